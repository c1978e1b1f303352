// Deployments as rows: making one with its defaults, finding it, showing it.
import type { Static } from "typebox";
import type { createDeployment, CreationStep } from "../../../api/deployments.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { fieldError } from "../field-error.ts";
import { toFlag } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { recordVersionRun } from "./versions.ts";

/** What a deployment is made from. */
export type NewDeployment = RequestOf<typeof createDeployment>["body"];

/** The columns that {@link showDeployment} wants: the others may be long. */
export const deploymentListColumns = ["id", "name", "deployment_url", "creation_step"] as const;

/** A deployment as the API shows it. */
export function showDeployment(
  row: Pick<Row<"deployments">, (typeof deploymentListColumns)[number]>,
) {
  return {
    id: row.id,
    name: row.name,
    deploymentUrl: row.deployment_url,
    creationStep: creationStep(row),
  };
}

/** A stored step: only declared ones are ever written. */
export function creationStep(
  row: Pick<Row<"deployments">, "creation_step">,
): Static<typeof CreationStep> {
  return row.creation_step as Static<typeof CreationStep>;
}

/** The row of a deployment; `not_found` where there is none. */
export async function readDeployment(db: Db, id: number): Promise<Row<"deployments">> {
  const row = await db
    .selectFrom("deployments")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw deploymentNotFound(id);
}

/** The failure for a deployment that is not there. */
export function deploymentNotFound(id: number): Failure {
  return new Failure("not_found", `there is no deployment ${id}`);
}

/**
 * Stores a deployment, on the newest version of the first channel, and returns its row. `conflict` where its name is taken,
 * `invalid` for an unknown region.
 */
export async function insertDeployment(
  tx: Db,
  wish: NewDeployment,
  { catalogue, at }: { catalogue: Catalogue; at: string },
): Promise<Row<"deployments">> {
  await refuseUnknownRegion(tx, wish.region);
  const { version, channel } = catalogue.newest("latest");
  const made = await tx
    .insertInto("deployments")
    .values({ ...deploymentColumns(wish), version, release_channel: channel, created_at: at })
    .onConflict((on) => on.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!made) throw deploymentNameConflict(wish.name);
  await recordVersionRun(tx, { version, channel }, at);
  return tx
    .updateTable("deployments")
    .set({ deployment_url: deploymentUrlOf(made) })
    .where("id", "=", made.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The failure for a name that another deployment has. */
export function deploymentNameConflict(name: string): Failure {
  return fieldError("name", ["conflict", `a deployment named ${JSON.stringify(name)} exists`]);
}

function deploymentColumns(wish: NewDeployment) {
  return {
    name: wish.name,
    region: wish.region,
    // It holds the id, which the database is about to choose.
    deployment_url: "",
    cloud_provider: wish.cloudProvider ?? "svccloud",
    target_platform: wish.targetPlatform ?? "aws",
    is_managed: toFlag(wish.isManaged ?? true),
    creation_step: wish.creationStep ?? "project",
    creation_method: wish.creationMethod ?? null,
    deploy_mode: wish.deployMode ?? null,
  };
}

/** The data host of a deployment: its name as far as a host name can spell it, and its id, which makes it unique. */
function deploymentUrlOf({ id, name, region }: Row<"deployments">): string {
  const spelled = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return deploymentUrlIn(region, spelled === "" ? `d-${id}` : `${spelled}-${id}`);
}

/** The data host of this label in a region. */
export function deploymentUrlIn(region: string, label: string): string {
  return `https://${label}.${region}.svc.localhost`;
}

/** Fails with `invalid` for a region that the account does not have. */
export async function refuseUnknownRegion(tx: Db, region: string): Promise<void> {
  const known = await tx.selectFrom("regions").select("name").orderBy("id").execute();
  if (known.some(({ name }) => name === region)) return;
  const names = known.map(({ name }) => name).join(", ");
  const what = `there is no region ${JSON.stringify(region)}; use one of ${names}`;
  throw fieldError("region", ["invalid", what]);
}
