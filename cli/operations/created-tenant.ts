// Calls an operation that creates an unknown embed tenant, and says so: a misspelt name would create one unnoticed.
import { listEmbedTenants } from "../../api/embed-tenants.ts";
import type { Client } from "../../client/types.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { callOperation } from "./call-operation.ts";
import type { Outcome, RunContext } from "./command.ts";

/** Calls the operation, and reports on standard error that it created the embed tenant of the request. */
export async function callReportingTenant(
  operation: Operation,
  { client, request, output }: Pick<RunContext, "client" | "request" | "output">,
): Promise<Outcome> {
  const name = request.params["embedTenantName"] ?? request.body?.["embedTenantName"];
  const isNew = typeof name === "string" && (await isMissing(client, name));
  const outcome = await callOperation(client, operation, { ...request, limit: undefined });
  if (isNew) {
    output.info(
      () =>
        `created the embed tenant "${escapeInvisible(name)}"; if the name is wrong, ` +
        `\`svc embed tenants delete ${escapeInvisible(shellQuote(name))}\` deletes it`,
    );
  }
  return outcome;
}

/** Returns whether there is no such tenant; false if the credential may not list them, or too many have similar names. */
async function isMissing(client: Client, name: string): Promise<boolean> {
  const most = limits.pageMax;
  try {
    const found = await client.all(listEmbedTenants, { query: { search: name } }, { most });
    const isKnown = found.some((one) => one.name.toLowerCase() === name.toLowerCase());
    return !isKnown && found.length < most;
  } catch (error) {
    if (isFailure(error, "forbidden") || isFailure(error, "unknown_route")) return false;
    throw error;
  }
}
