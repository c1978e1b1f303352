// Tests what bundles contain in place of the table of validators.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
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
    plugins: [await exported<Plugin>("precompiled-plugin.mjs", "embeddedValidators")],
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
