// Tests the release: Terraform installs its archives from a mirror, and their checksums are reproducible.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { terraformPages } from "../../../scripts/terraform-docs.ts";
import { builtPackages } from "../../support/svc-program.ts";
import {
  makeWorkspace,
  providerConfiguration,
  describeWithEngines,
} from "../../engines/terraform-workspace.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const prefix = "terraform-provider-svc_0.1.0";

let folder: string;
let released: readonly string[];

/** Writes a release from the sources, or with the provider of a built package. */
async function release(into: string, ...built: readonly string[]): Promise<readonly string[]> {
  const script = join(root, "scripts", "release-terraform.mjs");
  const { stdout } = await run(process.execPath, [script, into, ...built]);
  return stdout.trim().split("\n");
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-released-"));
  const { client } = await builtPackages();
  released = await release(join(folder, "first"), join(client, "terraform"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the release of the provider", { timeout: 60_000 }, () => {
  it("writes an archive for each platform, with valid and reproducible checksums", async () => {
    const first = join(folder, "first");
    expect(released).toContain(join(first, `${prefix}_linux_amd64.zip`));
    const sums = readFileSync(join(first, `${prefix}_SHA256SUMS`), "utf8");
    const checksums = sums
      .trim()
      .split("\n")
      .map((line) => line.split("  "));
    const computed = checksums.map(([, name = ""]) => [sha256(join(first, name)), name]);
    expect(computed).toEqual(checksums);
    expect(checksums).toHaveLength(released.length - 1);
    await release(join(folder, "second"));
    expect(readFileSync(join(folder, "second", `${prefix}_SHA256SUMS`), "utf8")).toBe(sums);
  });
});

it("the archive contains the changelog and the pages of the registry", () => {
  // An archive stores the names of its files in plain text.
  const archive = readFileSync(join(folder, "first", `${prefix}_linux_amd64.zip`), "latin1");
  const pages = [
    "index",
    "resources/user_group",
    "data-sources/user_groups",
    "functions/embed_url",
  ];
  const names = ["LICENSE", "CHANGELOG.md", ...pages.map((page) => `docs/${page}.md`)];
  expect(names.filter((name) => !archive.includes(name))).toEqual([]);
});

describeWithEngines("released provider", (engine) => {
  it("is installed by `init` from a mirror with its checksum, and returns its schema", async () => {
    const home = join(folder, engine.name);
    const mirror = join(home, "mirror", engine.registry, "svc", "svc");
    mkdirSync(mirror, { recursive: true });
    for (const path of released.filter((name) => name.endsWith(".zip"))) {
      cpSync(path, join(mirror, path.slice(path.lastIndexOf("/") + 1)));
    }
    const configuration = join(home, "mirror.tfrc");
    const path = JSON.stringify(join(home, "mirror"));
    writeFileSync(
      configuration,
      `provider_installation {\n  filesystem_mirror {\n    path = ${path}\n  }\n}\n`,
    );
    const env = { HOME: home, TF_CLI_CONFIG_FILE: configuration };
    const workspace = await makeWorkspace(engine, env, { startsProvider: true });
    try {
      await workspace.write(providerConfiguration());
      const { code, output } = await workspace.run("init");
      expect([code, output]).toEqual([0, expect.stringContaining("Installed svc/svc v0.1.0")]);
      const lock = readFileSync(join(workspace.folder, ".terraform.lock.hcl"), "utf8");
      expect(lock).toContain('"h1:');
      const { output: schemas } = await workspace.run("providers", "schema", "-json");
      expect(schemas).toContain('"svc_user_group"');
      const examples = [...terraformPages("0.1.0")].flatMap(([name, text]) =>
        name.includes("/data-sources/")
          ? (/```terraform\n(.*?)```/su.exec(text)?.[1] ?? "none")
          : [],
      );
      expect(examples.length).toBeGreaterThan(20);
      writeFileSync(join(workspace.folder, "data.tf"), examples.join("\n"));
      expect(await workspace.run("validate")).toMatchObject({ code: 0 });
    } finally {
      await workspace.dispose();
    }
  });
});
