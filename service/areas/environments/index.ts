// Area environments: the environments that serve the branches of a deployment, with the addresses of their data APIs.
import {
  createEnvironmentToken,
  createMetaSyncToken,
  listEnvironments,
  listEnvironmentTokens,
} from "../../../api/environments.ts";
import { Failure } from "../../../core/errors.ts";
import { keyset } from "../../store/keyset.ts";
import { readDeployment } from "../../store/deployments.ts";
import { environmentUrl } from "../../accounts/deployment-url.ts";
import {
  type Call,
  handleList,
  handleThenFinish,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf, pageOfBatch } from "../shared/pagination.ts";
import { environmentType } from "./environment-type.ts";
import { selectEnvironments } from "./select-environments.ts";
import { addToken, grantedScopes, ownTokens, showToken } from "./tokens.ts";

/** The handlers of this area. */
export const environments: readonly OperationHandler[] = [
  handleList(listEnvironments, async (call) => {
    const deployment = await readDeployment(call.db, call.params.deploymentId);
    const rows = selectEnvironments(call.db, deployment, call.query.type);
    const origin = call.origin();
    return pageOf(call, keyset(rows, "branches.id"), (row) => {
      const type = environmentType(row, deployment);
      const branch = type === "production" ? undefined : row.name;
      const url = `${environmentUrl(origin, deployment, branch)}/svcjs-api/v1`;
      return {
        id: String(row.id),
        type,
        branch: row.name,
        ...omitNullish({ user: row.username }),
        api_credentials: [{ type: "rest" as const, version: 1, url }],
      };
    });
  }),
  handleList(listEnvironmentTokens, async (call) => {
    const environment = await readEnvironment(call);
    return pageOfBatch(
      call,
      keyset(ownTokens(call, environment), "environment_tokens.id"),
      (rows) => Promise.all(rows.map((row) => showToken(call, row))),
    );
  }),
  handleThenFinish(
    createEnvironmentToken,
    async (call) => {
      const { scopes } = call.body;
      const environment = await readEnvironment(call);
      return addToken(call, environment, scopes ? grantedScopes(scopes) : null);
    },
    async (row, call) => ({ data: await showToken(call, row) }),
  ),
  handleThenFinish(
    createMetaSyncToken,
    async (call) => addToken(call, await readEnvironment(call), ["meta"]),
    async (row, call) => ({ data: await showToken(call, row) }),
  ),
];

/** Returns the branch of an environment. Throws `not_found` if the deployment has no such environment. */
async function readEnvironment({
  db,
  params: { deploymentId, environmentId },
}: Pick<Call, "db"> & {
  readonly params: { readonly deploymentId: number; readonly environmentId: number };
}): Promise<{ readonly id: number }> {
  const deployment = await readDeployment(db, deploymentId);
  const found = await selectEnvironments(db, deployment, undefined)
    .where("branches.id", "=", environmentId)
    .executeTakeFirst();
  if (found) return found;
  throw new Failure(
    "not_found",
    `deployment ${deploymentId} has no environment ${environmentId}; list its environments for their ids`,
  );
}
