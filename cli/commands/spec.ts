// `svc spec [PATTERN]`: lists the operations in the server's OpenAPI document.
import Table from "cli-table3";
import { Command } from "commander";
import { getSpec } from "../../api/spec.ts";
import { sanitize } from "../../client/sanitize.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { type ConnectionFlags, connectionOptions } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { filterSpec, type ListedOperation, operationsIn } from "../shared/openapi.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import { withClient } from "../shared/with-client.ts";

/** Returns the `spec` command. */
export function specCommand(): Command {
  const command = new Command("spec")
    .description(
      "List the operations that the server offers, as a table or as OpenAPI with the schemas they use.",
    )
    .argument("[pattern]", "part of a method, path, summary or operation id; case-insensitive")
    .action((pattern: string | undefined, flags: ConnectionFlags & OutputFlags) =>
      runAction(flags, async ({ output, signal }) => {
        const spec = await readSpec(flags, signal);
        const listed = operationsIn(spec, pattern);
        if (listed.length === 0) throw noMatch(pattern);
        output.result({
          text: () => tableOf(listed),
          json: () => (pattern === undefined ? spec : filterSpec(spec, listed)),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(connectionOptions(command));
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

const bare = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/**
 * Formats aligned columns without borders, for use with cut and grep. Server text is sanitized for
 * terminals.
 */
function tableOf(listed: readonly ListedOperation[]): string {
  const table = new Table({
    head: ["METHOD", "PATH", "SUMMARY"],
    chars: bare,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...listed.map((one) => [one.method, sanitize(one.path), sanitize(one.summary)]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
