// What a command answers that wrote nothing, since nobody confirmed it: the command that would, or that somebody said no.
import type { JsonObject } from "../core/json.ts";
import { jsonText } from "../reconciler/report/json-text.ts";
import type { FailureReport } from "../reconciler/report/report.ts";
import { confirmingCommand } from "./confirm.ts";
import type { Result } from "./output.ts";

const nothing = "not confirmed: nothing was written";

/** Of what was not confirmed, where that is not all that there is to say. */
export interface UnwrittenTerms {
  /** Deletes that are to be allowed. */
  readonly deletes?: number;
  /** A sentence; that nothing was written where it is left out. */
  readonly message?: string;
}

/** Nobody was there to be asked. It is JSON as text too, for the program that called. */
export function unconfirmed(
  facts: JsonObject,
  { deletes, message = nothing }: UnwrittenTerms = {},
): Result {
  const command = confirmingCommand(process.argv.slice(2), deletes);
  const remedy = `run it to confirm: ${command}`;
  const told = { code: "confirmation_required", message, remedy };
  const json = () => ({ ...enveloped(told), ...facts, command });
  // People have seen the report.
  const short = () => ({ ...json(), plan: undefined, pipeline: undefined });
  return { text: () => jsonText(short()), json, report: { of: "failure", ...told } };
}

/** Somebody was asked, and said no. */
export function declined(
  facts: JsonObject = {},
  { message = nothing }: Pick<UnwrittenTerms, "message"> = {},
): Result {
  const told = { code: "declined", message, remedy: undefined };
  const json = () => ({ ...enveloped(told), ...facts });
  return { text: () => "", json, report: { of: "failure", ...told } };
}

function enveloped(error: Omit<FailureReport, "of">): JsonObject {
  return { status: error.code, error: { ...error } };
}
