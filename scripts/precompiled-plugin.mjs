// Puts the compiled validators into bundles, in place of core/precompiled.ts.
import { build } from "esbuild";
import { root } from "./install.mjs";

const formats = `
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isIri, isTimeZone } from "./core/text-patterns.ts";
export default { ...fullFormats, iri: isIri, "time-zone": isTimeZone };
`;

let sources;

/** Returns the sources of the validators by digest, compiled once a build. */
async function validatorSources() {
  const { precompiledValidators } = await import("./precompile-validators.ts");
  sources ??= await precompiledValidators();
  return sources;
}

const validatorModules = {
  name: "validator-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^validator:/ }, ({ path }) => ({ path, namespace: "validator" }));
    onLoad({ filter: /.*/, namespace: "validator" }, async ({ path }) => ({
      contents: (await validatorSources()).get(path.replace("validator:", "")),
      resolveDir: root,
    }));
    onResolve({ filter: /^svc-formats$/ }, ({ path }) => ({ path, namespace: "formats" }));
    onLoad({ filter: /.*/, namespace: "formats" }, () => ({ contents: formats, resolveDir: root }));
  },
};

/** Writes a file for each validator, so that a program loads only those that it uses. */
export async function writeValidators(outdir) {
  const names = [...(await validatorSources()).keys()];
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, `validator:${name}`])),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    plugins: [validatorModules],
    logLevel: "warning",
  });
}

/** Makes a bundle of ES modules load the files of {@link writeValidators} from `folder`, relative to the chunks. */
export function validatorFiles(folder) {
  return replacePrecompiled(
    (names) => `
import { createRequire } from "node:module";
const names = new Set(${JSON.stringify(names)});
const load = createRequire(import.meta.url);
export const precompiled = {
  get: (name) => (names.has(name) ? () => load(\`${folder}/\${name}.cjs\`) : undefined),
};
`,
  );
}

/** Puts the validators into a bundle that is one file. */
export const inlineValidators = replacePrecompiled((names) => {
  const loaders = names.map((name) => `["${name}", () => require("validator:${name}")]`);
  return `export const precompiled = new Map([${loaders.join(",\n")}]);`;
});

function replacePrecompiled(contentsFor) {
  return {
    name: "precompiled-validators",
    setup(plugin) {
      validatorModules.setup(plugin);
      plugin.onLoad({ filter: /\/core\/precompiled\.ts$/ }, async () => ({
        contents: contentsFor([...(await validatorSources()).keys()]),
      }));
    },
  };
}
