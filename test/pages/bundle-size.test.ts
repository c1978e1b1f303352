// What a browser loads until the first chart, compressed.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("../../service/dist/web/", import.meta.url);
const assets = new URL("assets/", folder);

interface Manifest {
  readonly viewer: {
    readonly first: string;
    readonly script: string;
    readonly styles: readonly string[];
    readonly later: readonly string[];
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

// The core draws bars.
it.each(["core", "line", "pie", "scatter", "sankey"])("is at most 230 kB with %s", (part) => {
  const { viewer } = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as Manifest;
  const chart = readdirSync(assets).find((name) => new RegExp(`^${part}-.*\\.js$`, "u").test(name));
  if (chart === undefined) throw new Error(`no file draws ${part}`);
  const scripts = withImports([viewer.first, viewer.script, ...viewer.later, chart]);
  const bytes = [...viewer.styles, ...scripts].map(
    (name) => statSync(new URL(`${name}.br`, assets)).size,
  );
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(230_000);
});
