// Tests the release of svc: installed from a local server, updated to a newer version, and announced on a terminal.
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runsAllCases } from "../../support/sampling.ts";
import { listen } from "../../support/listen.ts";
import { relativeLinks } from "../../support/page-links.ts";
import { builtPackages } from "../../support/svc-program.ts";
import { makeFolder, type TestFolder } from "../../golden/run-cli.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const hasRuby = spawnSync("ruby", ["--version"]).error === undefined;

/** The platform of this machine, whose executable the tests run. */
const platform = `${process.platform}_${process.arch}`;

let folder: TestFolder;
let server: Server;
let requests: string[];
let env: Record<string, string>;

/**
 * Packs the built packages into a folder, with executables for some platforms. Builds the service package again if
 * `service` is missing.
 */
async function release(into: string, platforms: readonly string[], service = ""): Promise<string> {
  const place = join(folder.path, into);
  const script = join(root, "scripts/release-program.mjs");
  const { client } = await builtPackages();
  await run(process.execPath, [script, place, client, service, platforms.join(",")], {
    env: { ...process.env, SVC_RELEASE_URL: "https://releases.example.com/svc/" },
  });
  return place;
}

beforeAll(async () => {
  folder = makeFolder({});
  const platforms = platform === "linux_x64" ? [platform] : [];
  const { service } = await builtPackages();
  const releases = await release("releases", platforms, service);
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? "");
    if (request.url?.startsWith("/moved/") === true)
      return void response.writeHead(302, { location: request.url.slice("/moved".length) }).end();
    try {
      response.end(readFileSync(join(releases, request.url ?? "")));
    } catch {
      response.writeHead(404).end();
    }
  });
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    SVC_RELEASE_URL: await listen(server),
    SVC_INSTALL_DIR: join(folder.path, "installed"),
  };
});
afterAll(() => {
  server.close();
  folder.remove();
});

const installed = (...names: string[]) => join(folder.path, "installed", ...names);
const svc = async (...args: string[]) =>
  (await run(installed("bin/svc"), args, { env })).stdout.trim();
const install = (more: Readonly<Record<string, string>> = {}) =>
  run("sh", [join(folder.path, "releases/install.sh")], { env: { ...env, ...more } });

/** Adds a release with the same program under another version. */
async function addRelease(version: string): Promise<string> {
  const releases = join(folder.path, "releases");
  const unpacked = join(folder.path, "unpacked");
  mkdirSync(unpacked, { recursive: true });
  await run("tar", ["-xzf", join(releases, "v0.1.0/svc_0.1.0.tgz"), "-C", unpacked]);
  const file = join(unpacked, "package/package.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"0.1.0"', `"${version}"`));
  const archive = join(releases, `v${version}/svc_${version}.tgz`);
  mkdirSync(dirname(archive), { recursive: true });
  await run("tar", ["-I", "gzip -1", "-cf", archive, "-C", unpacked, "package"]);
  const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
  const sums = join(releases, `v${version}/svc_${version}_SHA256SUMS`);
  writeFileSync(sums, `${sum}  svc_${version}.tgz\n`);
  writeFileSync(join(releases, "latest"), `${version}\n`);
  return sums;
}

// A second build takes a minute.
it.each(runsAllCases ? ["a second time"] : [])(
  "has the same bytes if it is built %s",
  async () => {
    const place = join(folder.path, "releases", "v0.1.0");
    const again = join(await release("again", []), "v0.1.0");
    const same = readdirSync(again).filter((name) => !name.endsWith("SUMS"));
    const packages = ["svc-embed_0.1.0.tgz", "svc-service_0.1.0.tgz", "svc_0.1.0.tgz"];
    const shared = ["Containerfile", ...packages, "svc.rb"];
    expect(same).toEqual(expect.arrayContaining(shared));
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

  const svcIn = (name: string) =>
    run(process.execPath, [join(content, "dist/svc.js"), "plugin", "install", name], { env });
  await svcIn("terraform");
  await svcIn("pulumi");
  const plugin = join(folder.path, ".pulumi/plugins/resource-svc-v0.1.0/plugin.mjs");
  expect((await run(process.execPath, ["--check", plugin])).stderr).toBe("");
});

it("is installed, updated and announced", async () => {
  const { stdout } = await install();
  expect(stdout).toContain(`Installed svc 0.1.0: ${installed("bin/svc")}\n`);
  expect(await svc("--version")).toBe("0.1.0");
  expect(readFileSync(installed("share/man/man1/svc-apply.1"), "utf8")).toContain(".TH SVC-APPLY");
  expect(await svc("update")).toBe("svc 0.1.0 is the newest release.");

  const sums = await addRelease("0.2.0");
  const checked = JSON.parse(await svc("update", "--check", "--json"));
  expect(checked).toMatchObject({
    version: "0.1.0",
    latest: "0.2.0",
    isNewer: true,
    isInstalled: false,
  });
  const moved = { ...env, SVC_RELEASE_URL: `${env["SVC_RELEASE_URL"]}/moved` };
  const { stdout: found } = await run(installed("bin/svc"), ["update", "--check"], { env: moved });
  expect(found).toContain("0.2.0");
  const valid = readFileSync(sums, "utf8");
  writeFileSync(
    sums,
    valid.replace(/^./u, (digit) => (digit === "0" ? "1" : "0")),
  );
  await expect(svc("update")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the checksum of svc_0.2.0.tgz differs"),
  });
  expect(await svc("--version")).toBe("0.1.0");

  // A terminal shows the new release once the command is done.
  const onTerminal = async (more: Readonly<Record<string, string>> = {}) => {
    const args = ["-qec", `${installed("bin/svc")} --version`, "/dev/null"];
    return (await run("script", args, { env: { ...env, ...more } })).stdout;
  };
  // Cached answers last a day. This test creates the first one, because a lookup on a busy machine may take longer than
  // a command waits.
  mkdirSync(join(folder.path, ".cache/svc"), { recursive: true });
  const kept = join(folder.path, ".cache/svc/latest-release");
  writeFileSync(kept, `${env["SVC_RELEASE_URL"]}\n0.2.0\n`);
  const notice = "0.1.0\r\nsvc 0.2.0 is available (installed: 0.1.0); run svc update\r\n";
  const requestCount = requests.length;
  expect(await onTerminal()).toBe(notice);
  expect(await onTerminal({ CI: "true" })).toBe("0.1.0\r\n");
  expect(await onTerminal({ SVC_NO_UPDATE_CHECK: "1" })).toBe("0.1.0\r\n");
  expect(requests.length).toBe(requestCount);

  writeFileSync(sums, valid);
  expect(await svc("update")).toBe("Installed svc 0.2.0 in place of 0.1.0.");
  expect(await svc("--version")).toBe("0.2.0");
  await addRelease("0.3.0");
  await svc("update");
  expect(readdirSync(installed("versions")).toSorted()).toEqual(["0.2.0", "0.3.0"]);
  await install({ SVC_VERSION: "v0.1.0" });
  expect(await svc("--version")).toBe("0.1.0");
  const wrong = install({ SVC_RELEASE_URL: "http://releases.example" });
  await expect(wrong).rejects.toMatchObject({
    stderr: expect.stringContaining("must be an https"),
  });
  const missing = install({ SVC_VERSION: "../x" });
  await expect(missing).rejects.toMatchObject({
    stderr: expect.stringContaining("is not a version"),
  });
  const invalid = install({ SVC_VERSION: "v0.3.0-rc.1" });
  await expect(invalid).rejects.toMatchObject({
    stderr: expect.stringContaining("is not a version"),
  });

  // A concurrent installation, a foreign program or a partial script changes nothing.
  mkdirSync(installed(".lock"));
  await expect(install()).rejects.toMatchObject({
    stderr: expect.stringContaining("is running; if none is, remove"),
  });
  rmdirSync(installed(".lock"));
  const shared = join(folder.path, "shared");
  mkdirSync(join(shared, "bin"), { recursive: true });
  writeFileSync(join(shared, "bin/svc"), "another program");
  await expect(install({ SVC_INSTALL_DIR: shared })).rejects.toMatchObject({
    stderr: expect.stringContaining("set SVC_INSTALL_DIR to a folder of its own"),
  });
  expect(readdirSync(shared, { recursive: true })).toEqual(["bin", "bin/svc"]);
  const script = readFileSync(join(root, "cli/install.sh"), "utf8");
  const part = script.slice(0, script.lastIndexOf("main"));
  const fresh = { ...env, SVC_INSTALL_DIR: join(folder.path, "fresh") };
  await run("sh", ["-c", part], { env: fresh });
  expect(existsSync(fresh.SVC_INSTALL_DIR)).toBe(false);
  expect(await svc("--version")).toBe("0.1.0");
  expect(readdirSync(installed()).toSorted()).toEqual(["bin", "share", "versions"]);
}, 300_000);

describe.skipIf(platform !== "linux_x64")(
  `without Node.js on the machine (${platform})`,
  () => {
    /** The programs that the installer and the tests use, on a path without Node.js. */
    const tools =
      "sh tar gzip awk curl sha256sum uname ln mv mkdir rm rmdir chmod readlink dirname cat git env";

    let without: Record<string, string>;
    const executable = (...names: string[]) => join(folder.path, "executable", ...names);
    const svcAlone = (...args: string[]) =>
      run(executable("bin/svc"), args, { env: without, cwd: folder.path });

    beforeAll(async () => {
      const bin = join(folder.path, "bin");
      mkdirSync(bin);
      for (const tool of tools.split(" ")) {
        const { stdout } = await run("sh", ["-c", `command -v ${tool}`]);
        symlinkSync(stdout.trim(), join(bin, tool));
      }
      const { SVC_RELEASE_URL = "" } = env;
      const SVC_INSTALL_DIR = executable();
      without = { PATH: bin, HOME: join(folder.path, "home"), SVC_RELEASE_URL, SVC_INSTALL_DIR };
      rmSync(join(folder.path, "releases/latest"), { force: true });
      writeFileSync(join(folder.path, "releases/latest"), "0.1.0\n");
      const installer = join(folder.path, "releases/install.sh");
      await run(join(bin, "sh"), [installer], { env: without });
    }, 300_000);

    it("installs an executable, which unpacks itself, and again if files are lost", async () => {
      expect(readlinkSync(executable("bin/svc"))).toBe("../versions/0.1.0/svc");
      expect(existsSync(executable("share/man/man1/svc-apply.1"))).toBe(true);
      expect((await svcAlone("--version")).stdout).toBe("0.1.0\n");
      const programs = join(folder.path, "home/.cache/svc/programs");
      const [program = ""] = readdirSync(programs);
      rmSync(join(programs, program, "dist/main.js"));
      expect(await svcAlone("--version")).toEqual({ stdout: "0.1.0\n", stderr: "" });
      expect(readdirSync(programs)).toEqual([program]);
    });

    it("finds itself on the path, and starts the plugins", async () => {
      const path = [executable("bin"), without["PATH"]].join(":");
      const doctor = run(executable("bin/svc"), ["doctor"], { env: { ...without, PATH: path } });
      await expect(doctor).rejects.toMatchObject({
        stdout: expect.stringContaining(`svc is ${executable("bin/svc")}\n`),
      });

      await svcAlone(
        "plugin",
        "install",
        "terraform",
        "--plugin-dir",
        join(folder.path, "plugins"),
      );
      const files = readdirSync(join(folder.path, "plugins"), {
        recursive: true,
        encoding: "utf8",
      });
      const launcher = files.find((name) => /terraform-provider-svc_v[^/]*$/u.test(name)) ?? "";
      const started = run(join(folder.path, "plugins", launcher), [], { env: without });
      await expect(started).rejects.toMatchObject({
        stdout: expect.stringContaining("This program is a Terraform and OpenTofu plugin"),
      });
    });

    it("is updated to an executable", async () => {
      const place = join(folder.path, "releases/v0.9.0");
      mkdirSync(place);
      const archive = "svc_0.9.0_linux_x64.tgz";
      cpSync(join(folder.path, "releases/v0.1.0/svc_0.1.0_linux_x64.tgz"), join(place, archive));
      const sum = createHash("sha256")
        .update(readFileSync(join(place, archive)))
        .digest("hex");
      writeFileSync(join(place, "svc_0.9.0_SHA256SUMS"), `${sum}  ${archive}\n`);
      writeFileSync(join(folder.path, "releases/latest"), "0.9.0\n");
      expect((await svcAlone("update")).stdout).toBe("Installed svc 0.9.0 in place of 0.1.0.\n");
      expect(readlinkSync(executable("bin/svc"))).toBe("../versions/0.9.0/svc");
    });

    it("says if there is none for the platform", async () => {
      const place = join(folder.path, "releases/v0.9.0");
      writeFileSync(join(place, "svc_0.9.0_SHA256SUMS"), "");
      const installer = join(folder.path, "releases/install.sh");
      const again = run(join(without["PATH"] ?? "", "sh"), [installer], { env: without });
      await expect(again).rejects.toMatchObject({
        stderr:
          "error: the release has no executable for linux_x64; install Node.js 22.19 or newer from nodejs.org and run this again\n",
      });
    });
  },
  300_000,
);

it("describes an image and a formula without errors", async () => {
  const place = join(folder.path, "releases/v0.1.0");
  const image = readFileSync(join(place, "Containerfile"), "utf8");
  expect(validate(image).map(({ message }) => message)).toEqual([]);
  expect(image).toContain(`node:${manifest.devDependencies.node}-`);
  const formula = readFileSync(join(place, "svc.rb"), "utf8");
  const sum = createHash("sha256")
    .update(readFileSync(join(place, "svc_0.1.0.tgz")))
    .digest("hex");
  expect(formula).toContain(`sha256 "${sum}"`);
  expect(formula).toContain('url "https://releases.example.com/svc/v0.1.0/svc_0.1.0.tgz"');
});

it.skipIf(!hasRuby)(
  `has a formula that Ruby reads${hasRuby ? "" : " (ruby is not installed)"}`,
  async () => {
    const formula = join(folder.path, "releases/v0.1.0/svc.rb");
    expect((await run("ruby", ["-wc", formula])).stdout).toBe("Syntax OK\n");
  },
);
