// Deployment rows: create with defaults, and convert to the API form.
import type { Static } from "typebox";
import type { createDeployment, CreationStep } from "../../../api/deployments.ts";
import type { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { fieldError } from "../shared/field-error.ts";
import { toFlag } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { AccountOrigin } from "../../accounts/hosts.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { deploymentUrl } from "../../accounts/deployment-url.ts";
import { recordVersionRun } from "./versions.ts";

/** The input of a new deployment. */
export type NewDeployment = RequestOf<typeof createDeployment>["body"];

/** The columns that {@link showDeployment} needs. The other columns can be large. */
export const deploymentListColumns = ["id", "name", "custom_domain", "creation_step"] as const;

/** Converts a row of the account at `origin` to the API form. */
export function showDeployment(
  row: Pick<Row<"deployments">, (typeof deploymentListColumns)[number]>,
  origin: AccountOrigin,
) {
  return {
    id: row.id,
    name: row.name,
    deploymentUrl: deploymentUrl(origin, row),
    creationStep: creationStep(row),
  };
}

/** The column only ever contains declared steps. */
export function creationStep(
  row: Pick<Row<"deployments">, "creation_step">,
): Static<typeof CreationStep> {
  return row.creation_step as Static<typeof CreationStep>;
}

/**
 * Inserts a deployment on the newest version of the first channel and returns its row. Throws `conflict` if the name
 * is taken and `invalid` for an unknown region.
 */
export async function insertDeployment(
  tx: Db,
  input: NewDeployment,
  { catalogue, at }: { catalogue: Catalogue; at: string },
): Promise<Row<"deployments">> {
  await refuseUnknownRegion(tx, input.region);
  const { version, channel } = catalogue.newest("latest");
  const created = await tx
    .insertInto("deployments")
    .values({ ...deploymentColumns(input), version, release_channel: channel, created_at: at })
    .onConflict((on) => on.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!created) throw deploymentNameConflict(input.name);
  await recordVersionRun(tx, { version, channel });
  return created;
}

/** Returns the error for a name that is already in use. */
export function deploymentNameConflict(name: string): Failure {
  return fieldError("name", [
    "conflict",
    `a deployment named ${JSON.stringify(name)} already exists; choose another name`,
  ]);
}

function deploymentColumns(input: NewDeployment) {
  return {
    name: input.name,
    region: input.region,
    cloud_provider: input.cloudProvider ?? "svccloud",
    target_platform: input.targetPlatform ?? "aws",
    is_managed: toFlag(input.isManaged ?? true),
    creation_step: input.creationStep ?? "project",
    creation_method: input.creationMethod ?? null,
    deploy_mode: input.deployMode ?? null,
  };
}

/** Throws `invalid` for a region that the account does not have. */
export async function refuseUnknownRegion(tx: Db, region: string): Promise<void> {
  const known = await tx.selectFrom("regions").select("name").orderBy("id").execute();
  if (known.some(({ name }) => name === region)) return;
  const names = known.map(({ name }) => name).join(", ");
  const what = `there is no region ${JSON.stringify(region)}; use one of ${names}`;
  throw fieldError("region", ["invalid", what]);
}
