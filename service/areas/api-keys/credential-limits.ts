// The limits of a credential: read from requests, for API keys and for workload trusts.
import type { updateApiKey } from "../../../api/api-keys.ts";
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { Db } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** Returns the limits with the changes of a request; `null` removes a limit. */
export function changedLimits(
  current: CredentialLimits,
  {
    deploymentIds,
    permissions,
    states,
  }: Omit<RequestOf<typeof updateApiKey>["body"], "name" | "isDisabled">,
): CredentialLimits {
  const set = {
    deployments: deploymentIds === undefined ? current.deployments : (deploymentIds ?? undefined),
    actions: permissions === undefined ? current.actions : (permissions ?? undefined),
    states: states === undefined ? current.states : (states ?? undefined),
  };
  return omitNullish(set);
}

/** Throws `invalid` if a deployment does not exist. */
export async function refuseUnknownDeployments(db: Db, wanted: readonly number[]): Promise<void> {
  if (wanted.length === 0) return;
  const known = await db
    .selectFrom("deployments")
    .select("id")
    .where("id", "in", [...new Set(wanted)])
    .execute();
  const ids = new Set(known.map(({ id }) => id));
  const missing = [...new Set(wanted)].filter((id) => !ids.has(id));
  if (missing.length > 0) {
    const what = `there are no deployments with ids ${missing.join(", ")}`;
    throw fieldError("deploymentIds", ["invalid", what]);
  }
}
