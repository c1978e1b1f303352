// The operations of an environment and their handlers. Each names its operation, which declares whether it needs a
// token.
import {
  dryRunQuery,
  dryRunQueryByPost,
  environmentOpenapi,
  getEnvironmentLiveness,
  getEnvironmentReadiness,
  getEnvironmentSpec,
  getModelMeta,
  loadQuery,
  loadQueryByPost,
  querySql,
  sqlOfQuery,
  sqlOfQueryByPost,
} from "../../api/data-plane.ts";
import { requireServedBuild, servedBuild } from "../areas/data-model/builds.ts";
import { hashOfTree } from "../areas/data-model/trees.ts";
import { environmentUrl } from "../accounts/deployment-url.ts";
import type { EnvironmentAnswer, EnvironmentHandler } from "./environment-call.ts";
import { dryRun, load, meta } from "./queries.ts";
import { loadSql, sql } from "./sql-text.ts";

const up: EnvironmentAnswer = { status: 200, body: { health: "HEALTH" } };
const down: EnvironmentAnswer = { status: 500, body: { health: "DOWN" } };

/** All handlers. */
export const environmentHandlers: readonly EnvironmentHandler[] = [
  // The environment was found, so it is active.
  { operation: getEnvironmentLiveness, run: async () => up },
  {
    operation: getEnvironmentReadiness,
    run: async ({ db, branch, requireReady }) => {
      const isReady = await requireReady().then(
        () => true,
        () => false,
      );
      return isReady && (await servedBuild(db, branch.id)) !== undefined ? up : down;
    },
  },
  {
    operation: getEnvironmentSpec,
    run: async ({ db, deployment, branch, branchName, origin }) => {
      const build = await requireServedBuild(db, branch.id);
      const body = environmentOpenapi({
        url: environmentUrl(origin, deployment, branchName),
        version: build.version,
        buildJobId: String(build.id),
        filesHash: await hashOfTree(db, build.tree_id),
        builtAt: build.updated_at,
      });
      return { status: 200, body };
    },
  },
  { operation: loadQuery, scope: "data", run: load },
  { operation: loadQueryByPost, scope: "data", run: load },
  { operation: querySql, scope: "sql", run: loadSql },
  { operation: sqlOfQuery, scope: "sql", run: sql },
  { operation: sqlOfQueryByPost, scope: "sql", run: sql },
  { operation: dryRunQuery, scope: "data", run: dryRun },
  { operation: dryRunQueryByPost, scope: "data", run: dryRun },
  { operation: getModelMeta, scope: "meta", run: meta },
];
