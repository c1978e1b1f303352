// Refuses statements of data models that DuckDB's settings do not prevent: statements that change data, log, or read
// more than tables.
import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";

/** Table functions that read their arguments only. Others reach files, logs, settings and other statements. */
const tableFunctions: ReadonlySet<string> = new Set([
  "generate_series",
  "json_each",
  "json_tree",
  "range",
  "repeat",
  "repeat_row",
  "unnest",
]);

/** Scalar functions that have an effect or block a thread. */
const refusedFunctions: ReadonlySet<string> = new Set([
  "currval",
  "nextval",
  "setseed",
  "sleep_ms",
  "write_log",
]);

/**
 * Throws `invalid` unless a text is one SELECT that calls only functions without effects. DuckDB's own parser reads
 * the text, so that every spelling of a name is found: `lock_configuration` does not stop `enable_logging`.
 */
export async function checkStatement(connection: DuckDBConnection, text: string): Promise<void> {
  if (text.includes("\0")) throw refused("has a NUL character");
  const { statements } = await parse(connection, text);
  if (!Array.isArray(statements) || statements.length !== 1) {
    throw refused("is not one SELECT statement");
  }
  // Avoids recursion, because the text controls the depth.
  const open: JsonValue[] = [...statements];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) for (const one of node) open.push(one);
    else if (isObject(node)) {
      checkNode(node);
      for (const one of Object.values(node)) if (one !== null) open.push(one as JsonValue);
    }
  }
}

async function parse(
  connection: DuckDBConnection,
  text: string,
): Promise<{ readonly statements?: JsonValue }> {
  const serialize =
    "SELECT CAST(json_serialize_sql(CAST($1 AS VARCHAR), skip_null := true, skip_empty := true) AS VARCHAR)";
  const [[found] = []] = (await connection.runAndReadAll(serialize, [text])).getRowsJson();
  const parsed = JSON.parse(typeof found === "string" ? found : "{}") as {
    readonly error: boolean;
    readonly error_type?: string;
    readonly error_message?: string;
    readonly statements?: JsonValue;
  };
  if (!parsed.error) return parsed;
  if (parsed.error_type === "not implemented") throw refused("is not one SELECT statement");
  throw refused(`cannot be parsed: ${parsed.error_message ?? "syntax error"}`);
}

function checkNode(node: { readonly [name: string]: unknown }): void {
  const { type, function_name: name } = node;
  if (type === "SHOW_REF") throw refused("describes tables; use SELECT");
  if (type === "TABLE_FUNCTION") {
    const called = isObject(node["function"]) ? node["function"]["function_name"] : undefined;
    const known = typeof called === "string" ? called.toLowerCase() : "";
    if (!tableFunctions.has(known)) throw refused(`calls the table function ${known}`);
  }
  if (typeof name === "string" && refusedFunctions.has(name.toLowerCase())) {
    throw refused(`calls the function ${name}`);
  }
}

/** The cause distinguishes errors in the model's SQL from errors in a request. */
function refused(reason: string): Failure {
  const text = `the SQL of the data model ${reason}, which queries do not support`;
  return new Failure("invalid", text, { cause: new Error(reason) });
}
