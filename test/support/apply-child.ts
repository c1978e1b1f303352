// A process of its own that applies a stack, or takes a run of it back, to be killed in the middle; `spawnApply` starts it.
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import type { ApplyOptions } from "../../reconciler/verbs/apply-session.ts";
import { undo } from "../../reconciler/verbs/undo.ts";
import { apply } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { keyVariable } from "./apply-process.ts";

// A process that is killed does not write the cache of compiled modules at its end.
flushCompileCache();

const [folder = "", url = "", run] = process.argv.slice(2);
const { [keyVariable]: key = "" } = process.env;

const options: ApplyOptions = {
  paths: [folder],
  cwd: folder,
  kinds,
  variables: {},
  grants: noGrants,
  env: { XDG_CONFIG_HOME: join(folder, ".config") },
  connection: { url, credential: new Secret(key) },
  allowDeletes: 1000,
  // A killed run may have written what it did not record.
  onConflict: "overwrite",
  approve: async () => true,
};

await (run === undefined ? apply(options) : undo({ ...options, run }));
