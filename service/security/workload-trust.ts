// The claims that a workload trust requires of OIDC tokens, and the limits of the tokens that it gives.
import type { Static } from "typebox";
import type { WorkloadClaim } from "../../api/workload-trusts.ts";
import type { CredentialLimits } from "../../core/operation/authorize.ts";
import type { JsonValue } from "../../core/json.ts";
import { matchesWildcard } from "../../core/text/naming.ts";
import { fromJson, toJson } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import { keyLimits } from "./key-limits.ts";

/** A claim that tokens must have; `*` in its value matches any text. */
export type RequiredClaim = Static<typeof WorkloadClaim>;

/** Returns the claims that a workload trust or an identity provider requires. */
export function trustClaims({ claims }: { readonly claims: string }): readonly RequiredClaim[] {
  return fromJson(claims) as readonly RequiredClaim[];
}

/** Returns the limits of the tokens of a trust. */
export function trustLimits(
  row: Pick<Row<"workload_trusts">, "permissions" | "states" | "deployment_ids">,
): CredentialLimits {
  const { deployment_ids: deployments } = row;
  return {
    ...keyLimits(row),
    ...(deployments !== null && { deployments: fromJson(deployments) as number[] }),
  };
}

/**
 * Removes a deleted deployment from the limits of trusts. A trust without remaining deployments gives access to none.
 */
export async function forgetDeployment(tx: Db, deploymentId: number): Promise<void> {
  const trusts = await tx
    .selectFrom("workload_trusts")
    .select(["id", "permissions", "states", "deployment_ids"])
    .where("deployment_ids", "is not", null)
    .execute();
  for (const trust of trusts) {
    const { deployments = [] } = trustLimits(trust);
    if (!deployments.includes(deploymentId)) continue;
    const left = deployments.filter((id) => id !== deploymentId);
    await tx
      .updateTable("workload_trusts")
      .set({ deployment_ids: toJson(left) })
      .where("id", "=", trust.id)
      .execute();
  }
}

/** Returns whether a token has all claims. Numbers and booleans match as text; a list matches if one of its values does. */
export function hasClaims(
  payload: Readonly<Record<string, unknown>>,
  required: readonly RequiredClaim[],
): boolean {
  return required.every(({ name, value }) => {
    const found = Object.hasOwn(payload, name) ? payload[name] : undefined;
    return [found].flat().some((one) => isScalar(one) && matchesWildcard(String(one), value));
  });
}

function isScalar(value: unknown): value is Exclude<JsonValue, object> {
  return ["string", "number", "boolean"].includes(typeof value);
}
