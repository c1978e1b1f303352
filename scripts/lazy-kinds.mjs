// Makes the command line tool load a resource type when a command first reads it: most stacks use few types, and
// declaring all of them takes a seventh of a plan's CPU time.
import { readFileSync } from "node:fs";
import * as index from "../resources/index.ts";

/** An esbuild plugin for `resources/index.ts`. The chunks must be converted with {@link loadingNow}. */
export const lazyKinds = {
  name: "lazy-kinds",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]resources[/\\]index\.ts$/ }, async ({ path }) => ({
      contents: await lazyIndex(readFileSync(path, "utf8")),
      resolveDir: `${import.meta.dirname}/../resources`,
    }));
  },
};

/** Converts the imports of {@link lazyKinds}, each of which has a separate chunk, into CommonJS. */
export function loadingNow(text) {
  const converted = text.replace(/\bloadNow\(import\((?<file>"\.[^"]*")\)\)/gu, "require($<file>)");
  if (/\bloadNow\b/u.test(converted)) throw new Error("A chunk loads kinds in another way.");
  return converted;
}

/**
 * Returns a module with the exports of the index, which contains the members that lists of kinds show, and loads the
 * rest.
 */
async function lazyIndex(source) {
  const files = [...source.matchAll(/ from "(?<file>\.\/[^"]+)";$/gmu)].map(
    ({ groups }) => groups.file,
  );
  const places = new Map();
  for (const file of files) {
    const exported = await import(new URL(file, new URL("../resources/", import.meta.url)));
    for (const [name, value] of Object.entries(exported)) places.set(value, { file, name });
  }
  const lazy = (declared) => {
    const { name, plural, doc } = declared;
    const shown = { name, ...(plural !== undefined && { plural }), doc };
    const others = Object.keys(declared).filter((one) => !Object.hasOwn(shown, one));
    const { file, name: exportName } = places.get(declared);
    const load = `() => loadNow(import(${JSON.stringify(file)})).${exportName}`;
    return `lazily(${JSON.stringify(shown)}, ${JSON.stringify(others)}, ${load})`;
  };
  const exported = Object.entries(index);
  const lists = exported.filter(([, value]) => Array.isArray(value));
  const single = exported.filter(([, value]) => !Array.isArray(value));
  return [
    lazily,
    ...lists.map(([name, all]) => `export const ${name} = [${all.map(lazy).join(",\n")}];`),
    ...single.map(([name, kind]) => `export const ${name} = kinds[${placeOf(kind)}];`),
  ].join("\n");
}

function placeOf(kind) {
  const place = index.kinds.indexOf(kind);
  if (place === -1) throw new Error("resources/index.ts exports something else than kinds.");
  return place;
}

const lazily = `
function lazily(declared, others, load) {
  const define = (member, how) =>
    Object.defineProperty(declared, member, { enumerable: true, configurable: true, ...how });
  const loadAll = () => {
    const loaded = load();
    for (const member of others) define(member, { value: loaded[member] });
    return loaded;
  };
  for (const member of others) define(member, { get: () => loadAll()[member] });
  return declared;
}`;
