// Runs `svc query DEPLOYMENT QUERY`: runs a query on the data API of a deployment and prints its rows.
import { withDataApi } from "../../client/data-api.ts";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { deploymentOf } from "../shared/lookup/deployment-argument.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { Output } from "../shared/output/output.ts";
import { objectOf, readBody } from "../shared/options/request-body.ts";
import { runAction } from "../shared/run/run-action.ts";
import type { Table } from "../shared/output/table.ts";
import type { TableFlags } from "../shared/output/table-options.ts";
import { printTable, tableForm } from "../shared/output/table-output.ts";
import { withClient } from "../shared/connection/with-client.ts";

export interface Flags extends ConnectionFlags, TableFlags {
  readonly branch?: string;
  readonly dryRun?: true;
  readonly sql?: true;
  readonly excel?: true;
  readonly timeout?: number;
}

/** Runs `svc query`. */
export function runQuery(deployment: string, text: string, flags: Flags): Promise<void> {
  return runAction(tableForm(flags), async ({ output, signal }) => {
    requireRows(flags);
    const query = await queryOf(text, flags);
    const { branch: branchName, timeout } = flags;
    const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
    return withClient(flags, signal, async (client) => {
      const { id: deploymentId } = await deploymentOf(client, deployment);
      await withDataApi(client, { deploymentId, branchName }, async (api) => {
        if (flags.sql === true) return printObject(output, await api.sql(query));
        if (flags.dryRun === true) return printObject(output, await api.dryRun(query));
        // Rows as lists have their columns in order, also if there is no row.
        const isTable = !output.isJson;
        const sent = isTable ? { ...query, responseFormat: "compact" } : query;
        const answer = await api.load(sent, { timeoutMs, signal });
        const table = isTable ? rowsOf(answer) : { columns: new Map<never, never>(), rows: [] };
        return printTable(output, flags, { ...table, json: answer });
      });
      return exitCodes.done;
    });
  });
}

async function queryOf(text: string, flags: Flags): Promise<JsonObject> {
  const query = await readBody(text, flags, "@file in its place");
  return objectOf(query, "the query", '{"measures": ["orders.count"]}');
}

/** Throws `usage` for an output format of rows if the result has no rows. */
function requireRows(flags: Flags): void {
  const { output = "json", sql, dryRun } = flags;
  if (flags.excel === true && output !== "csv") {
    throw new Failure("usage", "--excel needs --output csv");
  }
  if ((sql ?? dryRun) === undefined) return;
  const named = (["wide", "columns", "sort"] as const).find((name) => flags[name] !== undefined);
  const flag = output === "json" ? named : `output ${output}`;
  if (flag === undefined) return;
  throw new Failure("usage", `--${flag} applies to rows only; --sql and --dry-run print JSON`);
}

/** Prints an answer that is not a table. */
function printObject(output: Output, answer: JsonObject): void {
  output.result({ text: () => jsonText(answer), json: () => answer });
}

/** Returns the rows of a compact answer. A time with a granularity is there twice; the plain one is left out. */
function rowsOf({ data, query }: JsonObject): Table {
  const { members, dataset } = isObject(data) ? data : {};
  if (!Array.isArray(members) || !Array.isArray(dataset)) {
    throw new Failure("unexpected_answer", "the data API did not answer with rows");
  }
  const names = members.map(String);
  const dimensions =
    isObject(query) && Array.isArray(query["dimensions"]) ? query["dimensions"] : [];
  const kept = names.flatMap((name, index) => {
    const isRepeated =
      !dimensions.includes(name) && names.some((other) => other.startsWith(`${name}.`));
    return isRepeated ? [] : [index];
  });
  return {
    columns: new Map(
      kept.map((index) => [names[index] ?? "", (row: readonly JsonValue[]) => row[index]]),
    ),
    rows: dataset.map((row: JsonValue) => (Array.isArray(row) ? row : [])),
  };
}
