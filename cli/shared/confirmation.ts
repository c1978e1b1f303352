// Results of commands that wrote nothing because no one confirmed, with the command that confirms.
import type { JsonObject } from "../../core/json.ts";
import type { FailureReport } from "../../reconciler/report/report.ts";
import type { DeleteConfirmation } from "./exit-codes.ts";
import { confirmationCommand } from "./prompt.ts";
import type { Result } from "./output.ts";

const nothingWritten = "not confirmed: nothing was written";

/** Replaces parts of the standard result. */
export interface ConfirmationOptions {
  /** Deletes and conflicts that need approval. */
  readonly confirmed?: DeleteConfirmation;
  /** A sentence for standard error (default: nothing was written). */
  readonly message?: string;
}

/** Returns the result of a run without a terminal: the command that confirms. */
export function confirmationRequired(
  facts: JsonObject,
  { confirmed, message = nothingWritten }: ConfirmationOptions = {},
): Result {
  const command = confirmationCommand(process.argv.slice(2), confirmed);
  const remedy = `run it to confirm: ${command}`;
  const reported = { code: "confirmation_required", message, remedy };
  const json = () => ({ ...errorEnvelope(reported), ...facts, command });
  return {
    text: () => `To confirm, run: ${command}`,
    json,
    report: { type: "failure", ...reported },
  };
}

/** Returns the result of a confirmation that the user declined. */
export function declined(
  facts: JsonObject = {},
  { message = nothingWritten }: Pick<ConfirmationOptions, "message"> = {},
): Result {
  const reported = { code: "declined", message, remedy: undefined };
  const json = () => ({ ...errorEnvelope(reported), ...facts });
  return { text: () => "", json, report: { type: "failure", ...reported } };
}

function errorEnvelope(error: Omit<FailureReport, "type">): JsonObject {
  return { status: error.code, error: { ...error } };
}
