// Decides who sees SQL: the text of queries, and the tables and expressions of the data model.
import { Failure } from "../../core/errors.ts";
import { readAppConfig } from "../areas/app/app-config.ts";
import { authorizeResource } from "../security/authorize-call.ts";
import type { Principal } from "../security/principal.ts";
import type { Db } from "../store/schema.ts";

/** A caller of the data API of a deployment. */
export interface SqlReader {
  readonly db: Db;
  readonly principal: Principal;
  readonly deploymentId: number;
}

/**
 * Returns whether the caller may read the data model of the deployment. The token of an environment may not, because its
 * creator gives it to viewers.
 */
export async function isDeveloper({ db, principal, deploymentId }: SqlReader): Promise<boolean> {
  if (principal.environment?.environmentId !== undefined) return false;
  const target = { type: "deployment", id: deploymentId } as const;
  return !(await authorizeResource({ db, principal }, "SchemaRead", target));
}

/** Throws `forbidden` unless the caller may read the data model. */
export async function requireDeveloper(reader: SqlReader): Promise<void> {
  if (await isDeveloper(reader)) return;
  throw new Failure(
    "forbidden",
    "only who has the permission SchemaRead sees SQL and tables, and not with the token of an environment",
  );
}

/**
 * Throws `forbidden` unless the caller may read generated SQL. A session of creator mode may, unless the account hides it
 * from creators.
 */
export async function requireShownSql(reader: SqlReader): Promise<void> {
  if (reader.principal.session?.isCreatorMode !== true) return requireDeveloper(reader);
  const { creatorMode } = await readAppConfig(reader.db);
  if (creatorMode?.showGeneratedSql !== false) return;
  throw new Failure(
    "forbidden",
    "the app configuration hides generated SQL from creators; an administrator can set creatorMode.showGeneratedSql",
  );
}
