// Deployments as rows: making one with its defaults, and showing it.
import type { Static } from "typebox";
import type { createDeployment, CreationStep } from "../../../api/deployments.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { flag } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";

/** What a deployment is made from. */
export type NewDeployment = RequestOf<typeof createDeployment>["body"];

/** A deployment as the API shows it. */
export function showDeployment(row: Row<"deployments">) {
  return {
    id: row.id,
    name: row.name,
    deploymentUrl: row.deployment_url,
    creationStep: row.creation_step as Static<typeof CreationStep>,
  };
}

/** Stores a deployment and returns its row. `conflict` where its name is taken, `invalid` for an unknown region. */
export async function insertDeployment(
  tx: Db,
  wish: NewDeployment,
  createdAt: string,
): Promise<Row<"deployments">> {
  await refuseUnknownRegion(tx, wish.region);
  const made = await tx
    .insertInto("deployments")
    .values({ ...columns(wish), created_at: createdAt })
    .onConflict((on) => on.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!made) {
    throw new Failure("conflict", `a deployment named ${JSON.stringify(wish.name)} exists`);
  }
  return tx
    .updateTable("deployments")
    .set({ deployment_url: addressOf(made) })
    .where("id", "=", made.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columns(wish: NewDeployment) {
  return {
    name: wish.name,
    region: wish.region,
    // It holds the id, which the database is about to choose.
    deployment_url: "",
    cloud_provider: wish.cloudProvider ?? "svccloud",
    target_platform: wish.targetPlatform ?? "aws",
    is_managed: flag(wish.isManaged ?? true),
    creation_step: wish.creationStep ?? "project",
    creation_method: wish.creationMethod ?? null,
    deploy_mode: wish.deployMode ?? null,
  };
}

/** The data host of a deployment: its name as far as a host name can spell it, and its id, which makes it unique. */
function addressOf({ id, name, region }: Row<"deployments">): string {
  const spelled = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  const label = spelled === "" ? `d-${id}` : `${spelled}-${id}`;
  return `https://${label}.${region}.svc.localhost`;
}

async function refuseUnknownRegion(tx: Db, region: string): Promise<void> {
  const known = await tx.selectFrom("regions").select("name").orderBy("id").execute();
  if (known.some(({ name }) => name === region)) return;
  const names = known.map(({ name }) => name).join(", ");
  throw new Failure("invalid", `there is no region ${JSON.stringify(region)}; use one of ${names}`);
}
