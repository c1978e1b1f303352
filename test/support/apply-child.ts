// A process of its own that applies a stack, to be killed in the middle.
import { join } from "node:path";
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/grants.ts";
import { apply } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";

const [folder = "", url = "", key = ""] = process.argv.slice(2);

await apply({
  paths: [folder],
  cwd: folder,
  kinds,
  variables: {},
  grants: noGrants,
  env: { XDG_CONFIG_HOME: join(folder, ".config") },
  connection: { url, credential: new Secret(key) },
  allowDeletes: 1000,
  approve: async () => true,
});
