// The folder for caches. Own code: env-paths chooses other folders on macOS and Windows, and the launchers, which load
// no package, keep their compile cache here too.
import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the path of a file in the folder for caches of this user. */
export function cacheFile(...names: readonly string[]): string {
  // An empty variable counts as not set.
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "svc", ...names);
}
