// Tests what `svc init` writes for any name, folder and CI system, and what it refuses. test/golden/init.test.ts applies it.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiVersion } from "../../core/kind/json-schema.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { town } from "../../test/support/plan-fixtures.ts";
import { type InitOptions, initStack } from "./init.ts";

const example: Kind = {
  ...town,
  examples: [
    { title: "A town", name: "ulm", spec: { name: "ulm", motto: "pay: #1" }, variations: {} },
  ],
};
let folder: string;
const at = (...names: readonly string[]) => path.join(folder, ...names);
const text = (file: string) => readFileSync(at(file), "utf8");

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "svc-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const init = (more: Partial<InitOptions> = {}) =>
  initStack({ folder: at("shop"), example, schema: { type: "object" }, ...more });

describe("a new stack", () => {
  it("is named after its folder and has one document, the schema and a .gitignore", async () => {
    expect(await init()).toEqual({
      stack: "shop",
      stackFolders: ["."],
      needsRepository: false,
      files: ["stack.yaml", "towns.yaml", ".svc/manifest.schema.json", ".gitignore"],
      missingIgnores: [],
    });
    expect(parse(text("shop/stack.yaml"))).toMatchObject({
      apiVersion,
      kind: "Stack",
      metadata: { name: "shop" },
    });
    expect(parse(text("shop/towns.yaml"))).toMatchObject({
      kind: "Town",
      metadata: { name: "ulm" },
      spec: { name: "shop-ulm", motto: "pay: #1" },
    });
    expect(JSON.parse(text("shop/.svc/manifest.schema.json"))).toEqual({ type: "object" });
  });

  it.each(["2026", "true", "null", "1e3", "0x1f"])(
    "can be named %s, which YAML reads as another type",
    async (name) => {
      await init({ name });
      expect(parse(text("shop/stack.yaml")).metadata.name).toBe(name);
      expect(parse(text("shop/towns.yaml")).spec.name).toBe(`${name}-ulm`);
    },
  );

  it("writes no document for a type without examples", async () => {
    await init({ example: { ...town, examples: [] } });
    expect(text("shop/towns.yaml")).toBe("");
  });
});

describe("environments", () => {
  it("share a base, each with its variable, and need a repository", async () => {
    const { stackFolders, needsRepository } = await init({ starter: "environments" });
    expect(stackFolders).toEqual(["stages/test", "stages/production"]);
    expect(needsRepository).toBe(true);
    for (const stage of ["test", "production"])
      expect(parse(text(`shop/stages/${stage}/stack.yaml`))).toMatchObject({
        metadata: { name: `shop-${stage}` },
        spec: { manifests: ["*.yaml", "../../base/**/*.yaml"], variables: { stage } },
      });
    expect(parse(text("shop/base/towns.yaml")).spec.name).toBe("${stage}-ulm");
  });

  it("name the schema by a path from each file", async () => {
    const { files } = await init({ starter: "environments" });
    for (const file of files.filter((one) => one.endsWith(".yaml"))) {
      const [, schema = ""] = text(`shop/${file}`).split("\n")[0]?.split("$schema=") ?? [];
      expect(existsSync(at("shop", path.dirname(file), schema))).toBe(true);
    }
  });
});

describe("a recipe for CI", () => {
  it("is in the root of the repository and names the stacks from there", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const ci = { system: "github", version: "1.2.3" } as const;
    const { files, needsRepository } = await init({ ci, folder: at("infra/our shop") });
    expect(files).toContain("../../.github/workflows/svc.yml");
    expect(needsRepository).toBe(false);
    expect(text(".github/workflows/svc.yml")).toContain("svc plan 'infra/our shop' --output");
  });

  it("is in the folder outside of a repository", async () => {
    const { files } = await init({ ci: { system: "gitlab", version: "1" } });
    expect(files).toContain("svc.gitlab-ci.yml");
    expect(text("shop/svc.gitlab-ci.yml")).toContain("svc plan .\n");
  });
});

describe("nothing is written", () => {
  const refused = async (more: Partial<InitOptions>) => {
    const before = readdirSync(folder, { recursive: true });
    const failure = await init(more).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    return failure;
  };

  it.each(["", "a/b", "-a", "a.", "größe", "a\n"])("for the invalid name %j", async (name) => {
    expect(await refused({ name })).toMatchObject({
      code: "usage",
      message: `${JSON.stringify(name)} is not a stack name`,
    });
  });

  it("for a name that is too long with its environment", async () => {
    const name = "a".repeat(250);
    expect(await refused({ name, starter: "environments" })).toMatchObject({
      code: "usage",
      message: `"${name}-test" is not a stack name`,
    });
  });

  it("in or below the folder of a Stack", async () => {
    await init();
    expect(await refused({})).toMatchObject({
      code: "refused",
      message: expect.stringContaining("contains a Stack already"),
    });
    expect(await refused({ folder: at("shop/sub") })).toMatchObject({
      code: "refused",
      message: expect.stringContaining("is in the folder of another stack"),
    });
  });

  it("over a file that exists; a .gitignore is kept", async () => {
    mkdirSync(at("shop/.vscode"), { recursive: true });
    writeFileSync(at("shop/.gitignore"), "mine\n");
    writeFileSync(at("shop/.vscode/settings.json"), "{}");
    expect(await refused({ vscode: true })).toMatchObject({
      code: "refused",
      message: `${at("shop/.vscode/settings.json")} would be overwritten`,
      remedy: "Nothing was written; pass another folder.",
    });
    const { files, missingIgnores } = await init();
    expect(files).not.toContain(".gitignore");
    expect(missingIgnores).toContain("secrets/");
    expect(text("shop/.gitignore")).toBe("mine\n");
  });
});
