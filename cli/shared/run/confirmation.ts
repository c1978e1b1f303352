// Reports commands that were not confirmed, with the command that confirms them.
import type { JsonObject } from "../../../core/json.ts";
import { escapeLines } from "../../../core/text/escape-text.ts";
import { failureJson } from "../../../reconciler/report/failure-json.ts";
import type { FailureFacts } from "../../../reconciler/report/failure-schema.ts";
import type { FailureReport } from "../../../reconciler/report/report.ts";
import { errorText } from "../error-text.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output } from "../output/output.ts";
import { isInteractive } from "../streams.ts";
import { confirmationCommand } from "./prompt.ts";
import type { CommandContext } from "./run-action.ts";

/** What a command reports that no one confirmed. */
interface Unconfirmed {
  /** Members of the JSON result. */
  readonly facts?: FailureFacts;
  /** What the command did not do (default: nothing was written). */
  readonly consequence?: string;
}

/**
 * Reports a command that was not confirmed: a signal stopped it, the user declined, or there is no terminal. Without a
 * terminal it names the command that confirms. Returns the exit code.
 */
export function reportUnconfirmed(
  { output, signal, interrupt }: CommandContext,
  { facts = {}, consequence = "nothing was written" }: Unconfirmed = {},
): number {
  if (signal.aborted) {
    const remedy = "Run the same command again to continue.";
    const error = { code: "aborted", message: `stopped: ${consequence}`, remedy };
    return reportStopped(output, error, { facts, exitCode: interrupt.exitCode() });
  }
  if (isInteractive()) {
    const message = `not confirmed: ${consequence}`;
    return reportUnapproved(output, { code: "declined", message, remedy: undefined }, { facts });
  }
  const error = {
    code: "confirmation_required",
    message: `no terminal to ask for confirmation: ${consequence}`,
    remedy: undefined,
  };
  const command = confirmationCommand(process.argv.slice(2));
  return reportUnapproved(output, error, { facts, command });
}

/** The members of the result besides its error, and the command that confirms, if one may. */
interface ConfirmationFacts {
  readonly facts: FailureFacts;
  readonly command?: string | undefined;
}

/**
 * Reports the error of a command that needs a confirmation. Without a terminal, the command that confirms replaces its
 * remedy. Returns the exit code.
 */
export function reportUnapproved(
  output: Output,
  { code, message, remedy: own }: Omit<FailureReport, "type">,
  { facts, command }: ConfirmationFacts,
): number {
  const isNamed = command !== undefined && !isInteractive();
  const remedy = isNamed ? `To confirm, run: ${command}` : own;
  const all = { ...facts, command };
  return reportStopped(output, { code, message, remedy }, { status: code, facts: all });
}

/** Reports an error with facts about the run, as every form of output shows it. Returns the exit code. */
function reportStopped(
  output: Output,
  { code, message, remedy }: Omit<FailureReport, "type">,
  {
    facts,
    status,
    exitCode = exitCodes.confirmation,
  }: {
    readonly facts: FailureFacts;
    readonly status?: string;
    readonly exitCode?: number | undefined;
  },
): number {
  output.warn(() => escapeLines(errorText(code, message, remedy)));
  output.result({
    text: () => "",
    json: () => failureJson({ code, message, remedy }, { status, ...facts } as JsonObject),
    isError: true,
    report: { type: "failure", code, message, remedy },
  });
  return exitCode;
}
