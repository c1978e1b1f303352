// Runs `svc spec [PATTERN]`: lists the operations in the server's OpenAPI document.
import { getSpec } from "../../api/spec.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type ListedOperation, filterSpec, operationsIn } from "../shared/help/openapi.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import type { ColumnFlags } from "../shared/output/table-options.ts";
import { printTable, refuseColumnFlags } from "../shared/output/table-output.ts";
import { withClient } from "../shared/connection/with-client.ts";

export interface Flags extends ConnectionFlags, OutputFlags, ColumnFlags {}

/** Runs `svc spec`. */
export function runSpec(pattern: string | undefined, flags: Flags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    if (output.isJson) refuseColumnFlags(flags);
    const spec = await readSpec(flags, signal);
    const listed = operationsIn(spec, pattern);
    if (listed.length === 0) throw noMatch(pattern, operationsIn(spec, undefined));
    const json = pattern === undefined ? spec : filterSpec(spec, listed);
    printTable(output, flags, { columns, rows: listed, json });
    return exitCodes.done;
  });
}

async function readSpec(flags: ConnectionFlags, signal: AbortSignal): Promise<JsonObject> {
  return withClient(flags, signal, async (client) => {
    return (await client.reader.call(getSpec, {})) as JsonObject;
  });
}

function noMatch(pattern: string | undefined, all: readonly ListedOperation[]): Failure {
  const words = all.flatMap(({ path, summary }) => `${path} ${summary}`.split(/[^\w-]+/u));
  const hint = pattern === undefined ? undefined : didYouMean(pattern, new Set(words));
  const what =
    pattern === undefined ? "the server lists no operations" : `no operation matches "${pattern}"`;
  return new Failure("not_found", what, {
    remedy: sentences(
      hint,
      "The pattern matches method, path, summary and operation id; omit it to list all operations.",
    ),
  });
}

/** The columns of the table by title. */
export const columns = new Map([
  ["METHOD", ({ method }: ListedOperation) => method],
  ["PATH", ({ path }: ListedOperation) => path],
  ["SUMMARY", ({ summary }: ListedOperation) => summary],
]);
