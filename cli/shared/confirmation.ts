// What a command answers that wrote nothing, since nobody confirmed it: the command that would, or that somebody said no.
import type { JsonObject } from "../../core/json.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import type { FailureReport } from "../../reconciler/report/report.ts";
import { confirmationCommand } from "./prompt.ts";
import type { Result } from "./output.ts";

const nothingWritten = "not confirmed: nothing was written";

/** Of what was not confirmed, where that is not all that there is to say. */
export interface ConfirmationOptions {
  /** Deletes that are to be allowed. */
  readonly deletes?: number;
  /** A sentence; that nothing was written where it is left out. */
  readonly message?: string;
}

/** Nobody was there to be asked. It is JSON as text too, for the program that called. */
export function confirmationRequired(
  facts: JsonObject,
  { deletes, message = nothingWritten }: ConfirmationOptions = {},
): Result {
  const command = confirmationCommand(process.argv.slice(2), deletes);
  const remedy = `run it to confirm: ${command}`;
  const told = { code: "confirmation_required", message, remedy };
  const json = () => ({ ...errorEnvelope(told), ...facts, command });
  // People have seen the report.
  const short = () => ({ ...json(), plan: undefined, pipeline: undefined });
  return { text: () => jsonText(short()), json, report: { type: "failure", ...told } };
}

/** Somebody was asked, and said no. */
export function declined(
  facts: JsonObject = {},
  { message = nothingWritten }: Pick<ConfirmationOptions, "message"> = {},
): Result {
  const told = { code: "declined", message, remedy: undefined };
  const json = () => ({ ...errorEnvelope(told), ...facts });
  return { text: () => "", json, report: { type: "failure", ...told } };
}

function errorEnvelope(error: Omit<FailureReport, "type">): JsonObject {
  return { status: error.code, error: { ...error } };
}
