// Finds deployments.
import { Failure } from "../../core/errors.ts";
import { preparedQuery } from "./prepared-query.ts";
import type { Db, Row } from "./schema.ts";

const deploymentById = preparedQuery((db: Db, value: { id: number }) =>
  db.selectFrom("deployments").selectAll().where("id", "=", value.id),
);

const deploymentIdById = preparedQuery((db: Db, value: { id: number }) =>
  db.selectFrom("deployments").select("id").where("id", "=", value.id),
);

/** Returns the row of a deployment. Throws `not_found` if there is none. */
export async function readDeployment(db: Db, id: number): Promise<Row<"deployments">> {
  const [row] = await deploymentById(db, { id });
  if (row) return row;
  throw deploymentNotFound(id);
}

/** Throws `not_found` if there is no such deployment. */
export async function requireDeployment(db: Db, id: number): Promise<void> {
  const [found] = await deploymentIdById(db, { id });
  if (!found) throw deploymentNotFound(id);
}

/** Returns the error for a missing deployment. */
export function deploymentNotFound(id: number): Failure {
  return new Failure("not_found", `there is no deployment ${id}`);
}
