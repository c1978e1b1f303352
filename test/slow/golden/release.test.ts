// Tests the release of svc: its bytes, checksums, packages, pages and image.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { listen } from "../../support/listen.ts";
import { runsAllCases } from "../../support/sampling.ts";
import { relativeLinks } from "../../support/page-links.ts";
import { builtPackages } from "../../support/svc-program.ts";
import { makeFolder, type TestFolder } from "../../golden/run-cli.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let folder: TestFolder;

/** Packs the built packages into a folder. Builds the service package again if `service` is missing. */
async function release(into: string, service = ""): Promise<string> {
  const place = join(folder.path, into);
  const script = join(root, "scripts/release-program.mjs");
  const { client } = await builtPackages();
  await run(process.execPath, [script, place, client, service]);
  return place;
}

beforeAll(async () => {
  folder = makeFolder({});
  const { service } = await builtPackages();
  await release("releases", service);
});
afterAll(() => folder.remove());

// A second build takes a minute.
it.each(runsAllCases ? ["a second time"] : [])(
  "has the same bytes if it is built %s",
  async () => {
    const place = join(folder.path, "releases", "v0.1.0");
    const again = join(await release("again"), "v0.1.0");
    const same = readdirSync(again).filter((name) => !name.endsWith("SUMS"));
    const packages = ["svc-embed_0.1.0.tgz", "svc-service_0.1.0.tgz", "svc_0.1.0.tgz"];
    expect(same).toEqual(expect.arrayContaining(["Containerfile", "install.mjs", ...packages]));
    const differs = (name: string) =>
      !readFileSync(join(again, name)).equals(readFileSync(join(place, name)));
    expect(same.filter(differs)).toEqual([]);
  },
  300_000,
);

it("has valid checksums and the packages it is built from", async () => {
  const place = join(folder.path, "releases", "v0.1.0");
  await run("sha256sum", ["--check", "svc_0.1.0_SHA256SUMS"], { cwd: place });
  const contents = {
    "svc-service": ["dist/commands.js", "dist/web/manifest.json", "dist/web/svc-embed.js"],
    "svc-embed": ["dist/index.js", "dist/index.d.ts", "dist/svc-embed.js"],
  };
  for (const [name, files] of Object.entries(contents)) {
    const { stdout } = await run("tar", ["-tzf", join(place, `${name}_0.1.0.tgz`)]);
    const expected = ["package.json", "LICENSE", ...files].map((file) => `package/${file}`);
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(expected));
  }
  const sbom = JSON.parse(readFileSync(join(place, "svc_0.1.0.cdx.json"), "utf8"));
  expect(sbom.bomFormat).toBe("CycloneDX");
  const names = sbom.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["commander", "undici", "yaml"]));
}, 300_000);

it("has every page that its pages link to, the programs of its plugins, and less than 35 MB", async () => {
  const content = join(folder.path, "content");
  mkdirSync(content);
  const archive = join(folder.path, "releases/v0.1.0/svc_0.1.0.tgz");
  await run("tar", ["-xzf", archive, "-C", content, "--strip-components=1"]);
  const entries = readdirSync(content, { recursive: true, encoding: "utf8" });
  const bytes = entries.reduce((sum, name) => sum + statSync(join(content, name)).size, 0);
  expect(bytes).toBeLessThan(35e6);
  expect(entries).toContain("schemas/openapi.json");
  const pages = entries.filter((name) => name.endsWith(".md"));
  expect(pages).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]));
  const dead = pages.flatMap((page) =>
    relativeLinks(readFileSync(join(content, page), "utf8"))
      .filter(({ path }) => !existsSync(join(content, dirname(page), path)))
      .map(({ path }) => `${page}: ${path}`),
  );
  expect(dead).toEqual([]);

  const env = { ...process.env, HOME: folder.path };
  const svcIn = (name: string) =>
    run(process.execPath, [join(content, "dist/svc.js"), "plugin", "install", name], { env });
  await svcIn("terraform");
  await svcIn("pulumi");
  const plugin = join(folder.path, ".pulumi/plugins/resource-svc-v0.1.0/plugin.mjs");
  expect((await run(process.execPath, ["--check", plugin])).stderr).toBe("");
});

it("is installed for one user, updated from its repository, and announced on a terminal", async () => {
  const prefix = join(folder.path, "installed");
  const place = join(folder.path, "releases", "v0.1.0");
  const archive = join(place, "svc_0.1.0.tgz");
  const releaseFile = (name: string) => readFileSync(join(place, name));
  const releases: Record<string, Record<string, Buffer | string>> = {
    "tags/v0.1.0": Object.fromEntries(
      ["svc_0.1.0.tgz", "svc_0.1.0_SHA256SUMS"].map((name) => [name, releaseFile(name)]),
    ),
    latest: await newerRelease(archive),
  };
  let address = "";
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const [, which = ""] = /^\/repos\/acme\/svc\/releases\/(.+)$/u.exec(url) ?? [];
    const files = releases[which];
    if (files === undefined) {
      const [, of = "", name = ""] = /^\/files\/(.+)\/([^/]+)$/u.exec(url) ?? [];
      return void response.end(releases[of]?.[name]);
    }
    const assets = Object.keys(files).map((name) => ({
      name,
      browser_download_url: `${address}/files/${which}/${name}`,
    }));
    const tag_name = which === "latest" ? "v0.2.0" : "v0.1.0";
    response.end(JSON.stringify({ tag_name, assets }));
  });
  address = await listen(server);
  onTestFinished(() => void server.close());

  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    SVC_UPDATE_REPO: "acme/svc",
    SVC_UPDATE_API: address,
  };
  const installer = run(process.execPath, [join(place, "install.mjs")], {
    env: { ...env, SVC_VERSION: "v0.1.0", SVC_INSTALL_DIR: prefix },
  });
  const bin = join(prefix, "bin");
  expect((await installer).stdout).toBe(
    `Installed svc 0.1.0: ${join(bin, "svc")}\nAdd ${bin} to PATH.\n`,
  );
  const program = join(prefix, "bin/svc");
  const svc = async (...args: string[]) => (await run(program, args, { env })).stdout.trim();
  const onTerminal = async (more: Readonly<Record<string, string>> = {}) =>
    (
      await run("script", ["-qec", `${program} --version`, "/dev/null"], {
        env: { ...env, ...more },
      })
    ).stdout;

  expect(JSON.parse(await svc("update", "--check", "--json"))).toMatchObject({
    version: "0.1.0",
    latest: "0.2.0",
    isNewer: true,
    isInstalled: false,
  });
  // Cached answers last a day. A lookup on a busy machine may take longer than a command waits.
  mkdirSync(join(folder.path, ".cache/svc"), { recursive: true });
  const cached = join(folder.path, ".cache/svc/newest-release");
  writeFileSync(cached, `${address}/repos/acme/svc/releases/latest\n0.2.0\n`);
  const asked = requests.length;
  const notice = "svc 0.2.0 is available (installed: 0.1.0); run svc update\r\n";
  expect(await onTerminal()).toBe(`0.1.0\r\n${notice}`);
  expect(await onTerminal({ CI: "true" })).toBe("0.1.0\r\n");
  expect(await onTerminal({ SVC_NO_UPDATE_CHECK: "1" })).toBe("0.1.0\r\n");
  expect(requests.length).toBe(asked);

  const { latest = {} } = releases;
  const sums = latest["svc_0.2.0_SHA256SUMS"] ?? "";
  latest["svc_0.2.0_SHA256SUMS"] = `0${String(sums)}`;
  await expect(svc("update")).rejects.toMatchObject({
    stderr: expect.stringContaining("the checksum of svc_0.2.0.tgz differs"),
  });
  expect(await svc("--version")).toBe("0.1.0");
  latest["svc_0.2.0_SHA256SUMS"] = sums;
  expect(await svc("update")).toBe("Installed svc 0.2.0 in place of 0.1.0.");
  expect(await svc("--version")).toBe("0.2.0");
  expect(await svc("update")).toBe("svc 0.2.0 is the newest release.");

  const elsewhere = join(folder.path, "content/dist/svc.js");
  await expect(run(process.execPath, [elsewhere, "update"], { env })).rejects.toMatchObject({
    stderr: expect.stringContaining("is not a global installation of npm"),
  });
}, 300_000);

/** Returns the files of a release that has the same program under another version. */
async function newerRelease(archive: string): Promise<Record<string, Buffer | string>> {
  const unpacked = join(folder.path, "newer");
  mkdirSync(unpacked);
  await run("tar", ["-xzf", archive, "-C", unpacked]);
  const file = join(unpacked, "package/package.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"0.1.0"', '"0.2.0"'));
  await run("tar", ["-I", "gzip -1", "-cf", join(unpacked, "new.tgz"), "-C", unpacked, "package"]);
  const content = readFileSync(join(unpacked, "new.tgz"));
  const sum = createHash("sha256").update(content).digest("hex");
  return {
    "svc_0.2.0.tgz": content,
    "svc_0.2.0_SHA256SUMS": `${sum}  svc_0.2.0.tgz\n`,
  };
}

it("describes an image without errors", () => {
  const place = join(folder.path, "releases/v0.1.0");
  const image = readFileSync(join(place, "Containerfile"), "utf8");
  expect(validate(image).map(({ message }) => message)).toEqual([]);
  expect(image).toContain(`node:${manifest.devDependencies.node}-`);
});
