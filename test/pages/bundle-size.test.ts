// What a browser loads until the first chart, compressed.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("../../service/dist/web/", import.meta.url);
const assets = new URL("assets/", folder);

interface Manifest {
  readonly viewer: {
    readonly script: string;
    readonly imports: readonly string[];
    readonly styles: readonly string[];
  };
}

/** Returns files with all that they import at once. */
function withImports(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names);
  for (const name of all) {
    const text = readFileSync(new URL(name, assets), "utf8");
    for (const [, imported = ""] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/gu))
      all.add(imported);
  }
  return all;
}

it.each(["line", "bar", "pie"])("is at most 230 kB with a %s chart", (type) => {
  const { viewer } = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as Manifest;
  const chart = readdirSync(assets).find((name) => new RegExp(`^${type}-.*\\.js$`, "u").test(name));
  const files = [...viewer.styles, ...withImports([viewer.script, ...viewer.imports, chart ?? ""])];
  const bytes = files.map((name) => statSync(new URL(`${name}.br`, assets)).size);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(230_000);
});
