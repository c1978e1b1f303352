// Area deployments: create, get, list, update and delete deployments; their versions, data tokens and creation steps.
import {
  advanceCreationStep,
  createDeployment,
  deleteDeployment,
  deploymentToken,
  getDeployment,
  getDeployments,
  getDeploymentSettings,
  listDeploymentVersions,
  resetCreationStep,
  updateDeployment,
} from "../../../api/deployments.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  handle,
  handleList,
  handleThenFinish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { inMemorySource, pageOf } from "../shared/pagination.ts";
import { wakeBuilder } from "../data-model/builder.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import { tokenCreatorOf } from "../../security/query-principal.ts";
import { forgetDeployment } from "../../security/workload-trust.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { deploymentNotFound, readDeployment } from "../../store/deployments.ts";
import { showDeployment, deploymentListColumns } from "./deployments.ts";
import { addDeployment } from "./create-deployment.ts";
import { changeSettings, showSettings } from "./settings.ts";
import { listVersions, showVersion } from "./versions.ts";

/** The handlers of this area. */
export const deployments: readonly OperationHandler[] = [
  handleList(getDeployments, async (call) => {
    const { db, principal } = call;
    const steps = call.query.creationStep ?? [];
    const permitted = await permittedRows(call, {
      type: "deployment",
      action: "EmbedDeploymentRead",
    });
    let found = db.selectFrom("deployments").select(deploymentListColumns);
    if (permitted) found = found.where(permitted);
    const { deployments: reach } = principal.limits;
    // A list in SQL must not be empty, and no row has id 0.
    if (reach) found = found.where("id", "in", [0, ...reach]);
    if (steps.length > 0) found = found.where("creation_step", "in", steps);
    return pageOf(call, keyset(found, "deployments.id"), (row) =>
      showDeployment(row, call.origin()),
    );
  }),
  handle(getDeployment, async ({ db, params, origin }) =>
    showDeployment(await readDeployment(db, params.deploymentId), origin()),
  ),
  handleThenFinish(
    createDeployment,
    async ({ db, body, now, catalogue, origin }) =>
      showDeployment(await addDeployment(db, body, { catalogue, now: now() }), origin()),
    wakeBuilder,
  ),
  handleThenFinish(
    updateDeployment,
    async ({ db, params, body, now, catalogue, origin, isAccountHost }) =>
      changeSettings(db, params.deploymentId, {
        isAccountHost,
        update: body,
        catalogue,
        origin: origin(),
        now: now(),
      }),
    wakeBuilder,
  ),
  handle(deleteDeployment, async ({ db, params }) => {
    const deleted = await db
      .deleteFrom("deployments")
      .where("id", "=", params.deploymentId)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) throw deploymentNotFound(params.deploymentId);
    await forgetDeployment(db, params.deploymentId);
    return { success: true };
  }),
  handle(getDeploymentSettings, async ({ db, params, catalogue, origin }) =>
    showSettings(await readDeployment(db, params.deploymentId), { catalogue, origin: origin() }),
  ),
  handleList(listDeploymentVersions, async (call) => {
    const { db, params, catalogue } = call;
    const row = await readDeployment(db, params.deploymentId);
    const versions = await listVersions(db, catalogue);
    return pageOf(call, inMemorySource(versions), (version) =>
      showVersion(version, { row, catalogue }),
    );
  }),
  handleThenFinish(
    deploymentToken,
    async ({ db, params, body }) => {
      await readDeployment(db, params.deploymentId);
      return body?.expiresIn ?? limits.dataTokenSeconds;
    },
    async (seconds, { tokens, params, principal }) => ({
      svcApiToken: await tokens.issueDataToken({
        ...tokenCreatorOf(principal),
        deploymentId: params.deploymentId,
        seconds,
      }),
    }),
  ),
  handle(advanceCreationStep, async ({ db, params, body, origin }) =>
    showDeployment(await setStep(db, params.deploymentId, body.creationStep), origin()),
  ),
  handle(resetCreationStep, async ({ db, params, origin }) =>
    showDeployment(await setStep(db, params.deploymentId, "project"), origin()),
  ),
];

async function setStep(db: Db, id: number, step: string): Promise<Row<"deployments">> {
  const row = await db
    .updateTable("deployments")
    .set({ creation_step: step })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw deploymentNotFound(id);
  return row;
}
