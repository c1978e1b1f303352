// Bundles a plugin: the program that starts it, the modules that its requests load, and a launcher that reports a
// missing Node.js.
import { build } from "esbuild";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLicenses } from "./bundled-licenses.mjs";
import { moduleOptions } from "./bundle-package.mjs";
import { embeddedValidators } from "./precompiled-plugin.mjs";

/**
 * Writes `file`, the bundle of `entry`, and its launcher `name` into `folder`, with the modules that `entry` imports
 * dynamically in separate files next to it. Messages call the program `what` and go to the stream `errorStream`, which
 * the engine shows if the plugin does not start.
 */
export async function bundleProgram(folder, { entry, file, name, what, errorStream }) {
  await build({
    ...moduleOptions,
    entryPoints: { [file.replace(/\.mjs$/u, "")]: entry },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    // The hash makes the program load the files that it was built with, even while another version replaces it.
    chunkNames: "[name]-[hash]",
    minify: true,
    // grpc-js loads it, and protobufjs with it, only for services that the plugins do not offer (channelz, load reports).
    external: ["@grpc/proto-loader"],
    plugins: [embeddedValidators, withLicenses(folder)],
    legalComments: "none",
  });
  writeFileSync(join(folder, name), launcherScript({ what, file, errorStream }));
  chmodSync(join(folder, name), 0o755);
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
