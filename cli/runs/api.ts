// Runs `svc api METHOD PATH`: sends one request and prints the response.
import { Failure, isFailure } from "../../core/errors.ts";
import type { Method } from "../../core/operation/operation.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { readBody } from "../shared/options/request-body.ts";
import { runAction } from "../shared/run/run-action.ts";
import { withClient } from "../shared/connection/with-client.ts";

export interface Flags extends ConnectionFlags {
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly data?: string;
  readonly json?: true;
  readonly jq?: string;
}

/** Runs `svc api`. */
export function runApi(method: Method, path: string, flags: Flags): Promise<void> {
  const { json, jq } = flags;
  const form = {
    output: json === true ? "json" : "text",
    ...(jq !== undefined && { jq }),
  } as const;
  return runAction({ ...form, color: false }, async ({ signal, output }) => {
    const body = flags.data === undefined ? undefined : await readBody(flags.data, flags);
    return withClient(flags, signal, async (client) => {
      const sent = { query: flags.query ?? {}, body };
      const answer = await client.request(method, path, sent).catch(async (error: unknown) => {
        throw await withoutCredentialRemedy(error, { method, path });
      });
      const { body: found } = answer;
      if (found !== undefined) output.result({ text: () => jsonText(found), json: () => found });
      return exitCodes.done;
    });
  });
}

/** Removes advice about the credential from the failure of an operation that needs none: the status is about its body. */
async function withoutCredentialRemedy(
  error: unknown,
  { method, path }: { readonly method: Method; readonly path: string },
): Promise<unknown> {
  if (!isFailure(error, "unauthenticated")) return error;
  const { operations } = await import("../../api/index.ts");
  const isPublic = operations.some(
    (one) => one.permission === "public" && one.method === method && one.path === path,
  );
  if (!isPublic) return error;
  const { code, message, details } = error;
  return new Failure(code, message, { cause: error, ...(details !== undefined && { details }) });
}
