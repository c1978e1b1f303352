// Runs `svc spec [PATTERN]`: lists the operations in the server's OpenAPI document.
import { getSpec } from "../../api/spec.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { alignColumns } from "../../core/align-columns.ts";
import { escapeInvisible } from "../../core/escape-text.ts";
import type { ConnectionFlags } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type ListedOperation, filterSpec, operationsIn } from "../shared/openapi.ts";
import type { OutputFlags } from "../shared/output-options.ts";
import { runAction } from "../shared/run-action.ts";
import { withClient } from "../shared/with-client.ts";

/** Runs `svc spec`. */
export function runSpec(
  pattern: string | undefined,
  flags: ConnectionFlags & OutputFlags,
): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const spec = await readSpec(flags, signal);
    const listed = operationsIn(spec, pattern);
    if (listed.length === 0) throw noMatch(pattern);
    output.result({
      text: () => tableOf(listed),
      json: () => (pattern === undefined ? spec : filterSpec(spec, listed)),
    });
    return exitCodes.done;
  });
}

async function readSpec(flags: ConnectionFlags, signal: AbortSignal): Promise<JsonObject> {
  return withClient(flags, signal, async (client) => {
    return (await client.reader.call(getSpec, {})) as JsonObject;
  });
}

function noMatch(pattern: string | undefined): Failure {
  const what =
    pattern === undefined ? "the server lists no operations" : `no operation matches "${pattern}"`;
  return new Failure("not_found", what, {
    remedy:
      "the pattern matches method, path, summary and operation id; omit it to list all operations",
  });
}

/** Formats the operations as a table. Text of the server is escaped for terminals. */
function tableOf(listed: readonly ListedOperation[]): string {
  const rows = listed.map((one) => [one.method, one.path, one.summary].map(escapeInvisible));
  return alignColumns([["METHOD", "PATH", "SUMMARY"], ...rows]).join("\n");
}
