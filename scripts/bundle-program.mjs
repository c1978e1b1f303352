// Bundles a program that engines start: one file that needs nothing beside it, and a launcher that says so where Node is missing.
import { build } from "esbuild";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/**
 * Writes `file`, the bundle of `entry`, and its launcher `name` into `folder`. `what` is what messages call the program, and
 * `tell` the stream that its engine shows of one that does not start.
 */
export async function bundleProgram(folder, { entry, file, name, what, tell }) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, file),
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    legalComments: "none",
    // Only Node's own modules have it, and they are not what runs here.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), launcherScript({ what, file, tell }));
  chmodSync(join(folder, name), 0o755);
}

/** A script that starts the bundle beside it. Node keeps what it compiled in the user's cache, which halves the next start. */
function launcherScript({ what, file, tell }) {
  return `#!/bin/sh
# Starts the ${what} that lies beside this file.
# A link to it, such as one on PATH, has nothing beside it.
self=$0
while [ -h "$self" ]; do
  to=$(readlink -- "$self")
  case $to in
    /*) self=$to ;;
    *) self=$(dirname -- "$self")/$to ;;
  esac
done
here=$(CDPATH= cd -- "$(dirname -- "$self")" && pwd)
node=\${SVC_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "The ${what} svc needs Node.js 22.19 or newer: none was found. Install it, or set SVC_NODE to its path." >&${tell}
  exit 1
fi
cache=\${XDG_CACHE_HOME:-\${HOME:+$HOME/.cache}}
if [ -n "$cache" ]; then
  NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-$cache/svc}
  export NODE_COMPILE_CACHE
fi
exec "$node" --no-warnings "$here/${file}" "$@"
`;
}
