// Area deployments: create, get and list; a scoped credential sees those in its scope.
import { createDeployment, getDeployment, getDeployments } from "../../../api/deployments.ts";
import { Failure } from "../../../core/errors.ts";
import { behave, behaveList, type Behaviour } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import { insertDeployment, showDeployment } from "./deployments.ts";

/** What the operations of the area do. */
export const deployments: readonly Behaviour[] = [
  behaveList(getDeployments, async (call) => {
    const reach = call.principal.deploymentIds;
    const steps = call.query.creationStep ?? [];
    let found = call.db.selectFrom("deployments").selectAll();
    // No id is 0; a list in SQL may not be empty.
    if (reach) found = found.where("id", "in", [0, ...reach]);
    if (steps.length > 0) found = found.where("creation_step", "in", steps);
    return pageOf(call, keyset(found, "deployments.id"), showDeployment);
  }),
  behave(getDeployment, async ({ db, params }) => {
    const row = await db
      .selectFrom("deployments")
      .selectAll()
      .where("id", "=", params.deploymentId)
      .executeTakeFirst();
    if (row) return showDeployment(row);
    throw new Failure("not_found", `there is no deployment ${params.deploymentId}`);
  }),
  behave(createDeployment, async ({ db, body, now }) =>
    showDeployment(await insertDeployment(db, body, moment(now()))),
  ),
];
