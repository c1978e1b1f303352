// Results of commands that wrote nothing because no one confirmed, with the command that confirms.
import type { JsonObject } from "../../../core/json.ts";
import type { FailureReport } from "../../../reconciler/report/report.ts";
import { errorText } from "../error-text.ts";
import { type DeleteConfirmation, exitCodes } from "../exit-codes.ts";
import { confirmationCommand } from "./prompt.ts";
import type { Output, Result } from "../output/output.ts";

const nothingWritten = "not confirmed: nothing was written";

/** Replaces parts of the standard result. */
export interface ConfirmationOptions {
  /** Deletes and conflicts that need approval. */
  readonly confirmed?: DeleteConfirmation;
  /** The code of the error: `refused` where `--yes` does not suffice (default: confirmation_required). */
  readonly code?: "confirmation_required" | "refused";
  /** A sentence for standard error (default: nothing was written). */
  readonly message?: string;
  /** The alternative, where no command may confirm. */
  readonly remedy?: string | undefined;
}

/** Returns the result of a run without a terminal: the command that confirms, or the `remedy` instead. */
export function confirmationRequired(
  facts: JsonObject,
  {
    confirmed,
    code = "confirmation_required",
    message = nothingWritten,
    remedy: instead,
  }: ConfirmationOptions = {},
): Result {
  const command =
    instead === undefined ? confirmationCommand(process.argv.slice(2), confirmed) : undefined;
  const remedy = instead ?? `Run it to confirm: ${command}`;
  const reported = { code, message, remedy };
  const given = command === undefined ? {} : { command };
  const json = () => ({ ...errorEnvelope(reported), ...facts, ...given });
  return {
    text: () => (command === undefined ? "" : `To confirm, run: ${command}`),
    json,
    report: { type: "failure", ...reported },
  };
}

/** The text that a command without a terminal prints on standard error, after `pass --yes`. */
interface UnaskedText {
  readonly consequence: string;
}

/** Reports that there is no terminal to ask, with the command that confirms as the result. Returns the exit code. */
export function reportUnasked(
  output: Output,
  facts: JsonObject,
  { consequence, ...options }: UnaskedText & ConfirmationOptions,
): number {
  output.warn(() =>
    errorText(
      "confirmation_required",
      `no terminal to ask for confirmation; pass --yes${consequence}`,
    ),
  );
  output.result(confirmationRequired(facts, options));
  return exitCodes.confirmation;
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
