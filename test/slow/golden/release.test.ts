// Tests the release of svc: its bytes, checksums, packages, pages and image.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, expect, it } from "vitest";
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
    expect(same).toEqual(expect.arrayContaining(["Containerfile", ...packages]));
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

it("describes an image without errors", () => {
  const place = join(folder.path, "releases/v0.1.0");
  const image = readFileSync(join(place, "Containerfile"), "utf8");
  expect(validate(image).map(({ message }) => message)).toEqual([]);
  expect(image).toContain(`node:${manifest.devDependencies.node}-`);
});
