// Promotes or rolls back in a separate process, which tests kill.
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { promote, rollback } from "../../promotion/promote.ts";
import type { PromotionMode } from "../../promotion/promotion-run.ts";
import { kinds } from "../../resources/index.ts";

const given = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly origin: string;
  readonly now: string;
  readonly mode: PromotionMode;
  readonly env: Readonly<Record<string, string>>;
  readonly rolledBack?: string;
};
const now = Date.parse(given.now);

const options = {
  paths: [given.folder],
  cwd: given.folder,
  kinds,
  variables: {},
  grants: {
    ...noGrants,
    promotion: ["all"],
    checks: { origins: [given.origin], commands: {} },
  },
  env: given.env,
  connection: { url: given.url, credential: new Secret(given.key) },
  pipeline: "platform",
  by: "ada",
  mode: given.mode,
  now: () => new Date(now),
  approve: () => Promise.resolve(true),
};
await (given.rolledBack === undefined
  ? promote(options)
  : rollback({ ...options, stage: given.rolledBack }));
