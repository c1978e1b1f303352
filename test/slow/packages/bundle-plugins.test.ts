// Tests what bundles contain in place of the modules of Node.js and of the table of validators.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile, schemaDigest, uncompiledKeywords } from "../../../core/schema/validate.ts";
import { inputSchema } from "../../../provider/bridge/validate-inputs.ts";
import { kinds } from "../../../resources/index.ts";

const root = join(import.meta.dirname, "../../..");
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(root, "node_modules", ".bundle-plugins-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let bundles = 0;

/** Returns the exports of a script without types. */
async function exported<Value>(script: string, name: string): Promise<Value> {
  const exports = (await import(join(root, "scripts", script))) as Record<string, Value>;
  return exports[name] as Value;
}

/** Bundles a program in the same way as the command line tool, and returns its exports. */
async function bundled(contents: string): Promise<Record<string, unknown>> {
  const outfile = join(folder, `${(bundles += 1)}.mjs`);
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    banner: { js: "const require = (name) => process.getBuiltinModule(name);" },
    plugins: [
      await exported<Plugin>("builtin-modules.mjs", "builtinModules"),
      await exported<Plugin>("precompiled-plugin.mjs", "embeddedValidators"),
    ],
  });
  return (await import(pathToFileURL(outfile).href)) as Record<string, unknown>;
}

describe("validators of providers", () => {
  it("are in the bundle, and report what ajv reports", async () => {
    const { names, compileBundled } = await bundled(`
      import { compile } from "./core/schema/validate.ts";
      import { precompiled } from "./core/schema/precompiled.ts";
      export const names = [...precompiled.keys()];
      export const compileBundled = compile;
    `);
    for (const kind of kinds) {
      const schema = inputSchema(kind.spec);
      const isEmbedded = (names as readonly string[]).includes(schemaDigest(schema));
      const json = JSON.stringify(schema);
      expect(isEmbedded).toBe(!uncompiledKeywords.some((keyword) => json.includes(keyword)));
      const validate = (compileBundled as typeof compile)(schema);
      const [example] = kind.examples;
      for (const value of [example?.spec, { ...example?.spec, unknown: 1 }, { name: 5 }, null])
        expect(validate(value)).toEqual(compile(schema)(value));
    }
  });
});

describe("modules of Node.js", () => {
  it("have the same functions, and load nothing that a program does not use", async () => {
    const { same, names } = await bundled(`
      import fs, { readFileSync } from "node:fs";
      import * as crypto from "crypto";
      export const same = readFileSync === fs.readFileSync && fs.promises !== undefined;
      export const names = Object.keys(crypto);
    `);
    expect(same).toBe(true);
    expect(names).toContain("createHash");
    expect(names).not.toContain("webcrypto");
  });

  it("fails the build for a property that loads more", async () => {
    const program = `import { promises } from "node:fs"; export const found = promises;`;
    await expect(bundled(program)).rejects.toThrow(`No matching export`);
  });
});

describe("chunks of a split bundle", () => {
  it("pass each other what they export, whatever they are named, and keep text that looks like an import", async () => {
    const texts: Readonly<Record<string, string>> = {
      first:
        `import{text as own,default as word}from"./second.cjs";import"./third.cjs";import{sep}from"node:path";` +
        `var load=()=>import("./third.cjs");export{own as text,word,sep,load as default};\n/*! license */\n`,
      second: `var word="w",text='import{a as b}from"./a.cjs";export{a as b};';export{text,word as default};`,
      third: `globalThis.loadedChunks=(globalThis.loadedChunks??0)+1;var third=3;export{third};`,
    };
    const commonJs = await exported<(text: string, options: object) => Promise<string>>(
      "bundle-program.mjs",
      "commonJs",
    );
    for (const [name, chunk] of Object.entries(texts)) {
      const converted = await commonJs(chunk, { minifyWhitespace: true });
      writeFileSync(join(folder, `${name}.cjs`), converted);
    }
    const first = createRequire(import.meta.url)(join(folder, "first.cjs")) as {
      default(): Promise<unknown>;
    };
    expect(first).toMatchObject({
      text: `import{a as b}from"./a.cjs";export{a as b};`,
      word: "w",
      sep,
    });
    expect(await first.default()).toEqual({ third: 3 });
    expect(globalThis).toHaveProperty("loadedChunks", 1);
    // Values are copied, so that no use of another chunk calls a function.
    expect(Object.getOwnPropertyDescriptor(first, "word")).toHaveProperty("value", "w");
  });
});
