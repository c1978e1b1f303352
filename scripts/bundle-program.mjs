// Bundles a plugin: the program that starts it, the modules that its requests load, and a launcher that reports a
// missing Node.js.
import { build, transform } from "esbuild";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { withLicenses } from "./bundled-licenses.mjs";
import { root } from "./install.mjs";
import { embeddedValidators } from "./precompiled-plugin.mjs";

const target = "node22.19";

/**
 * Writes `file`, the bundle of `entry`, and its launcher `name` into `folder`, with the modules that `entry` imports
 * dynamically in separate files next to it. Messages call the program `what` and go to the stream `errorStream`, which
 * the engine shows if the plugin does not start.
 */
export async function bundleProgram(folder, { entry, file, name, what, errorStream }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { [file.replace(/\.cjs$/u, "")]: entry },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    // The hash makes the program load the files that it was built with, even while another version replaces it.
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    target,
    // grpc-js loads it, and protobufjs with it, only for services that the plugins do not offer (channelz, load reports).
    external: ["@grpc/proto-loader"],
    plugins: [embeddedValidators, withLicenses(folder)],
    legalComments: "none",
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles)
    writeFileSync(join(folder, basename(path)), await commonJs(text, { minify: true }));
  writeFileSync(join(folder, name), launcherScript({ what, file, errorStream }));
  chmodSync(join(folder, name), 0o755);
}

/**
 * Converts a chunk of a split bundle, because Node.js starts CommonJS faster, and only ES modules can be split. Chunks
 * do not import each other in cycles, and no module assigns what it exports again, so the values are copied. A
 * conversion that keeps bindings reads each use of another chunk through a function: a tenth of the CPU of a start.
 */
export async function commonJs(text, options) {
  const head = /^(?:import(?:[^"';]*from)?"[^"]*";)*/u.exec(text)[0];
  const body = text
    .slice(head.length)
    .replace(/\bimport\((?<file>"\.[^"]*")\)/gu, "Promise.resolve().then(() => require($<file>))")
    .replace(/export\{(?<names>[^}]*)\};(?=\s*(?:\/\*[^]*\*\/)?\s*$)/u, (_all, names) =>
      exporting(names),
    );
  const { code } = await transform(requiring(head) + body, {
    ...options,
    format: "cjs",
    platform: "node",
    target,
    define: {
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
      "import.meta.url": "__filename",
    },
  });
  return code;
}

/** Converts the imports of other chunks. */
function requiring(imports) {
  return imports.replace(
    /import(?:\{(?<names>[^}]*)\}from)?(?<file>"\.[^"]*");/gu,
    (_all, names, file) =>
      names === undefined
        ? `require(${file});`
        : `var{${names.replaceAll(" as ", ":")}}=require(${file});`,
  );
}

/** Converts the exports of a chunk. */
function exporting(names) {
  const members = names.split(",").map((one) => one.split(" as ").toReversed().join(":"));
  return `module.exports={${members.join(",")}};`;
}

/** Returns a launcher script for the bundle beside it. A compile cache halves the time of later starts. */
function launcherScript({ what, file, errorStream }) {
  return `#!/bin/sh
# Starts the ${what} that is in the folder of this file.
# A link to it, such as one on PATH, has nothing beside it.
self=$0
while [ -h "$self" ]; do
  to=$(readlink -- "$self")
  case $to in
    /*) self=$to ;;
    *) self=$(dirname -- "$self")/$to ;;
  esac
done
# Without other programs, which would delay the start.
case $self in
  /*) here=\${self%/*}/ ;;
  */*) here=./\${self%/*}/ ;;
  *) here=./ ;;
esac
node=\${SVC_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "The ${what} svc requires Node.js 22.19 or newer, which was not found. Install it, or set SVC_NODE to its path." >&${errorStream}
  exit 1
fi
cache=\${XDG_CACHE_HOME:-\${HOME:+$HOME/.cache}}
if [ -n "$cache" ]; then
  NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-$cache/svc}
  export NODE_COMPILE_CACHE
fi
exec "$node" --no-warnings "\${here}${file}" "$@"
`;
}
