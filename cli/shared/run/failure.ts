// Formats failures for users: what happened and what to do next, or that it is a bug.
import { Failure } from "../../../core/errors.ts";
import { escapeLines } from "../../../core/text/escape-text.ts";
import type { JsonObject } from "../../../core/json.ts";
import { failureJson } from "../../../reconciler/report/failure-json.ts";
import { formatNames } from "../../../reconciler/report/format-names.ts";
import { jsonText } from "../../../reconciler/report/json-text.ts";
import type { FailureReport } from "../../../reconciler/report/report.ts";
import { errorText } from "../error-text.ts";
import { exitCodeOf } from "../exit-codes.ts";

/** Writes an error to standard error and returns its exit code. */
export function reportFailure(error: unknown): number {
  process.stderr.write(escapeLines(failureText(error)));
  return exitCodeOf(error);
}

/** Returns anything thrown as `--output json` shows it. */
export function thrownJson(error: unknown): JsonObject {
  if (!(error instanceof Failure)) return failureJson({ code: "bug", message: bugText(error) });
  const { code, message, remedy, details, retryAfter } = error;
  return failureJson({ code, message, remedy, retryAfter, details });
}

/**
 * Returns a failure that occurred before the command created its output, in the format that the
 * arguments request; empty for text, which goes to standard error.
 */
export async function failureOutput(args: readonly string[], error: unknown): Promise<string> {
  const form = requestedForm(args);
  if (form === "json") return jsonText(thrownJson(error));
  const other = formatNames.find((one) => one === form);
  if (other === undefined) return "";
  const { renderReport } = await import("../../../reconciler/report/render.ts");
  return renderReport(other, failureReport(error));
}

/** Returns the last format named in the arguments, which may be invalid otherwise. */
function requestedForm(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const read = end === -1 ? args : args.slice(0, end);
  return read
    .flatMap((arg, at) => {
      if (arg === "--json") return ["json"];
      if (arg === "--output") return read.slice(at + 1, at + 2);
      return arg.startsWith("--output=") ? [arg.slice("--output=".length)] : [];
    })
    .at(-1);
}

/** Returns the same as a report, for Markdown, JUnit, SARIF and GitHub. */
export function failureReport(error: unknown): FailureReport {
  if (!(error instanceof Failure)) {
    return { type: "failure", code: "bug", message: bugText(error), remedy: undefined };
  }
  const { code, message, remedy } = error;
  return { type: "failure", code, message, remedy };
}

function failureText(error: unknown): string {
  if (!(error instanceof Failure)) return `${bugText(error)}\n${stackOf(error)}`;
  const { code, message, remedy, retryAfter } = error;
  const wait = retryAfter === undefined ? "" : `  retry after ${retryAfter} s\n`;
  return `${errorText(code, message, remedy)}\n${wait}`;
}

/** The message of a bug may contain anything, so it is shown only with the stack trace. */
function bugText(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return (
    `error: this is a bug in svc (${name}); please report it with the output of the same ` +
    "command under SVC_DEBUG=1"
  );
}

function stackOf(error: unknown): string {
  if (!process.env["SVC_DEBUG"]) return "";
  return `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
