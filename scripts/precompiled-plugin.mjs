// Puts the compiled validators into bundles, in place of core/schema/precompiled.ts.
import { deflateRawSync } from "node:zlib";
import { build, transform } from "esbuild";
import { withLicenses } from "./bundled-licenses.mjs";
import { root } from "./install.mjs";

const formats = `
import { fullFormats } from "ajv-formats/dist/formats.js";
import { customFormats } from "./core/schema/formats.ts";
export default { ...fullFormats, ...customFormats };
`;

let sources;

/** Returns the sources of the validators by digest, compiled once a build. */
function validatorSources() {
  sources ??= import("./precompile-validators.ts").then((module) => module.precompiledValidators());
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

/** Makes validators load the formats from the file beside them, which all of them share. */
const sharedFormats = {
  name: "shared-formats",
  setup({ onResolve }) {
    onResolve({ filter: /^svc-formats$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./svc-formats.cjs", external: true },
    );
  },
};

/** Writes a file for each validator, so that a program loads only those that it uses, and one for the formats. */
export async function writeValidators(outdir) {
  const names = [...(await validatorSources()).keys()];
  const entries = names.map((name) => [name, `validator:${name}`]);
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...entries, ["svc-formats", "svc-formats"]]),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    plugins: [sharedFormats, validatorModules, withLicenses(outdir)],
    logLevel: "warning",
  });
}

/** Makes a bundle of ES modules load the files of {@link writeValidators} from `folder`, relative to the chunks. */
export function validatorFiles(folder) {
  return replacePrecompiled(
    async () => `
import { createRequire } from "node:module";
const names = new Set(${JSON.stringify([...(await validatorSources()).keys()])});
const load = createRequire(import.meta.url);
export const precompiled = {
  get: (name) => (names.has(name) ? () => load(\`${folder}/\${name}.cjs\`) : undefined),
};
`,
  );
}

/**
 * Puts the validators of providers into their bundle, compressed: most runs use few of them, and Node.js reads the
 * whole file.
 */
export const embeddedValidators = replacePrecompiled(() => (embedded ??= embeddedContents()));

let embedded;

/** Returns the module of the validators of providers, compressed once a build. */
async function embeddedContents() {
  const { precompiledProviderValidators } = await import("./precompile-validators.ts");
  const compressed = {};
  for (const [name, source] of precompiledProviderValidators()) {
    const { code } = await transform(source, { minify: true, target: "node22.19" });
    compressed[name] = deflateRawSync(code, { level: 9 }).toString("base64");
  }
  return `
const compressed = ${JSON.stringify(compressed)};
const modules = {
  "svc-formats": () => require("svc-formats"),
  "ajv/dist/runtime/ucs2length": () => require("ajv/dist/runtime/ucs2length"),
};
const load = (name) => {
  const { inflateRawSync } = process.getBuiltinModule("node:zlib");
  const { compileFunction } = process.getBuiltinModule("node:vm");
  const source = inflateRawSync(Buffer.from(compressed[name], "base64")).toString();
  const module = { exports: {} };
  const filename = \`validator-\${name}.cjs\`;
  compileFunction(source, ["module", "require"], { filename })(module, (one) => modules[one]());
  return module.exports;
};
export const precompiled = new Map(Object.keys(compressed).map((name) => [name, () => load(name)]));
`;
}

function replacePrecompiled(contentsFor) {
  return {
    name: "precompiled-validators",
    setup(plugin) {
      validatorModules.setup(plugin);
      plugin.onLoad({ filter: /\/core\/schema\/precompiled\.ts$/ }, async () => ({
        contents: await contentsFor(),
        resolveDir: root,
      }));
    },
  };
}
