// The script that starts a bundled plugin, and says so where Node is missing.

/** Node keeps what it compiled in the user's cache, which halves the next start. */
const cached = `cache=\${XDG_CACHE_HOME:-\${HOME:+$HOME/.cache}}
if [ -n "$cache" ]; then
  NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-$cache/svc}
  export NODE_COMPILE_CACHE
fi
`;

/**
 * A launcher of `file`, which lies beside it; `tell` is the stream that the engine shows of one that does not start, `caches`
 * whether Node is to keep what it compiled.
 */
export function launcherOf({ what, file, tell, caches = false }) {
  return `#!/bin/sh
# Starts the ${what} that lies beside this file.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=\${SVC_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "The ${what} svc needs Node.js 22.19 or newer: none was found. Install it, or set SVC_NODE to its path." >&${tell}
  exit 1
fi
${caches ? cached : ""}exec "$node" --no-warnings "$here/${file}" "$@"
`;
}
