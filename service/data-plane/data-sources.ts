// The databases of a deployment, which its variables name: `SVC_DB_TYPE` and similar variables for the default one, or
// `SVC_DS_<SOURCE>_DB_TYPE` for others.
import { Failure } from "../../core/errors.ts";
import type { Database, DatabaseType } from "../engine/databases.ts";
import type { Sealer } from "../security/seal.ts";
import { variableSealContext } from "../security/sealed-columns.ts";
import type { Db } from "../store/schema.ts";

/** The variables of a deployment that name databases, by name. */
export type SourceVariables = ReadonlyMap<string, string>;

/** Reads the variables of a deployment that name databases. */
export async function readSourceVariables(
  db: Db,
  sealer: Sealer,
  deploymentId: number,
): Promise<SourceVariables> {
  const rows = await db
    .selectFrom("deployment_variables")
    .select(["deployment_id", "name", "sealed_value"])
    .where("deployment_id", "=", deploymentId)
    .where((eb) => eb.or([eb("name", "like", "SVC_DB_%"), eb("name", "like", "SVC_DS_%")]))
    .execute();
  return new Map(
    rows.map((row) => [row.name, sealer.open(row.sealed_value, variableSealContext(row))]),
  );
}

/** A source of data: the seeds of the build, or a database. */
export type DataSource = { readonly type: "seeds" } | Database;

/** The ports of databases, by type. */
const ports: Readonly<Record<DatabaseType, number>> = {
  postgres: 5432,
  mysql: 3306,
  clickhouse: 8443,
};

const isDatabaseType = (type: string): type is DatabaseType => Object.hasOwn(ports, type);

/** Returns a data source. Throws `invalid` for a data source that the variables do not name, or name incompletely. */
export function dataSourceOf(variables: SourceVariables, name: string): DataSource {
  const prefix = name === "default" ? "SVC_DB_" : `SVC_DS_${name.toUpperCase()}_DB_`;
  const type = variables.get(`${prefix}TYPE`);
  if (type === undefined && name === "default") return { type: "seeds" };
  if (type === undefined) {
    throw invalid(`the data source ${name} is not configured; set the variable ${prefix}TYPE`);
  }
  if (type === "duckdb" && name === "default") return { type: "seeds" };
  if (!isDatabaseType(type)) {
    throw invalid(
      `the variable ${prefix}TYPE is ${JSON.stringify(type)}; use postgres, clickhouse, or mysql for MariaDB and MySQL`,
    );
  }
  const other = [...variables.keys()].find(
    (one) => one.startsWith(`${prefix}SSL_`) && one !== `${prefix}SSL_CA`,
  );
  if (other !== undefined) {
    throw invalid(
      `the variable ${other} is not supported; a certificate is always checked, with ${prefix}SSL_CA if that is set`,
    );
  }
  const required = (part: string) => {
    const value = variables.get(`${prefix}${part}`);
    if (value !== undefined && value !== "") return value;
    throw invalid(`the data source ${name} needs the variable ${prefix}${part}`);
  };
  const port = Number(variables.get(`${prefix}PORT`) ?? ports[type]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw invalid(`the variable ${prefix}PORT is not a port`);
  }
  const isEncrypted = variables.get(`${prefix}SSL`);
  if (isEncrypted !== undefined && isEncrypted !== "true" && isEncrypted !== "false") {
    throw invalid(`the variable ${prefix}SSL must be true or false`);
  }
  return {
    type,
    at: {
      host: required("HOST"),
      port,
      database: required("NAME"),
      user: required("USER"),
      password: variables.get(`${prefix}PASS`) ?? "",
      isEncrypted: isEncrypted === undefined ? undefined : isEncrypted === "true",
      authorities: variables.get(`${prefix}SSL_CA`),
    },
  };
}

function invalid(message: string): Failure {
  return new Failure("invalid", message);
}
