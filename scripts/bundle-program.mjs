// Bundles a plugin: one self-contained file, and a launcher that reports a missing Node.js.
import { build } from "esbuild";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { embeddedValidators } from "./precompiled-plugin.mjs";
import { slimPackages } from "./slim-packages.mjs";

/**
 * Writes `file`, the bundle of `entry`, and its launcher `name` into `folder`. Messages call the program `what` and go to the
 * stream `errorStream`, which the engine shows if the plugin does not start.
 */
export async function bundleProgram(folder, { entry, file, name, what, errorStream }) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, file),
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    // grpc-js loads it, and protobufjs with it, only for services that the plugins do not offer (channelz, load reports).
    external: ["@grpc/proto-loader"],
    plugins: [slimPackages, embeddedValidators],
    legalComments: "none",
    // The bundle is CommonJS, where import.meta is not used.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
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
