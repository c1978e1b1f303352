// Tests that the command line tool declares the same resource types as the sources, and loads only those of a stack.
import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import * as declared from "../resources/index.ts";
import { startService } from "../test/support/test-service.ts";
import { svcProgram } from "../test/support/svc-program.ts";

const root = join(import.meta.dirname, "..");
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-lazy-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles the kinds in the same way as the tool, and returns the file. */
async function bundleKinds(): Promise<string> {
  const { commonJs } = (await import(join(import.meta.dirname, "bundle-program.mjs"))) as {
    commonJs: (text: string, options: object) => Promise<string>;
  };
  const { lazyKinds, loadingNow } = (await import(join(import.meta.dirname, "lazy-kinds.mjs"))) as {
    lazyKinds: Plugin;
    loadingNow: (text: string) => string;
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { index: "resources/index.ts" },
    outdir: join(folder, "bundle"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "node",
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [lazyKinds],
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await commonJs(loadingNow(text), {}));
  }
  return join(folder, "bundle", "index.cjs");
}

/** Returns a declaration as text; functions become a placeholder. */
function textOf(value: object): string {
  const members = Object.entries(value).toSorted(([left], [right]) => left.localeCompare(right));
  return JSON.stringify(members, (_key, one: unknown) =>
    typeof one === "function" ? "function" : one,
  );
}

it("declares every kind and component as the sources do, and loads them one by one", async () => {
  const file = await bundleKinds();
  const require = createRequire(file);
  const lazy = require(file) as typeof declared;
  const loaded = () => Object.keys(require.cache).filter((one) => one.startsWith(folder));
  const isLoaded = (name: string) => loaded().some((one) => one.includes(`/${name}-`));
  expect(lazy.kinds.map(({ name, doc }) => [name, doc])).toEqual(
    declared.kinds.map(({ name, doc }) => [name, doc]),
  );
  expect(isLoaded("user-group")).toBe(false);
  expect(lazy.starterKind.spec).toEqual(declared.starterKind.spec);
  expect([isLoaded("user-group"), isLoaded("workbook")]).toEqual([true, false]);
  expect(lazy.kinds.map(textOf)).toEqual(declared.kinds.map(textOf));
  expect(lazy.components.map(textOf)).toEqual(declared.components.map(textOf));
  expect(Object.keys(lazy).toSorted()).toEqual(Object.keys(declared).toSorted());
});

it("loads the resource types of a stack and of its inventory only", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const stack = join(folder, "stack");
  mkdirSync(stack);
  const document = (kind: string, spec: string): string =>
    `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: one }\nspec: ${spec}\n`;
  writeFileSync(join(stack, "stack.yaml"), document("Stack", "{}"));
  writeFileSync(join(stack, "group.yaml"), document("UserGroup", "{ name: analysts }"));
  const { file } = await svcProgram();
  const env = {
    ...process.env,
    SVC_API_URL: service.url,
    SVC_API_KEY: service.adminKey,
    NODE_COMPILE_CACHE: join(folder, "cache"),
  };
  const run = async (...args: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [file, ...args], { cwd: stack, env })).stdout;
  expect(await run("apply", "--yes")).toContain("Applied: 1 created");
  expect(await run("plan")).toContain("1 unchanged");
  for (const command of ["apply", "plan"]) expect(kindsLoadedBy(command)).toEqual(["user-group"]);
});

/** Returns the files of kinds that a command loaded, from its compile cache. */
function kindsLoadedBy(command: string): readonly string[] {
  const [kept = ""] = globSync(`cache/*/*-${command}`, { cwd: folder });
  const [head = ""] = readFileSync(join(folder, kept), "latin1").split("\n", 1);
  const index = readFileSync(join(root, "resources/index.ts"), "utf8");
  const kindFiles = new Set(
    [...index.matchAll(/ from "\.\/(?<name>[^"]+)\.ts"/gu)].map(({ groups }) => groups?.["name"]),
  );
  return (JSON.parse(head) as readonly [string, number][])
    .map(([name]) => /^chunks\/(?<name>.*)-[A-Z0-9]{8}\.cjs$/u.exec(name)?.groups?.["name"] ?? "")
    .filter((name) => kindFiles.has(name));
}
