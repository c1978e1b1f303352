// What a user reads when a run fails: what happened and what to do about it, or for a bug, that it is one.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import type { FailureReport } from "../../reconciler/report/report.ts";
import { exitCodeOf } from "./exit-codes.ts";

/** Writes to standard error what went wrong; answers the exit code. */
export function reportFailure(error: unknown): number {
  process.stderr.write(failureText(error));
  return exitCodeOf(error);
}

/** A failure as `--output json` shows it. */
export function failureJson(error: unknown): JsonObject {
  if (!(error instanceof Failure)) return { error: { code: "bug", message: bugText(error) } };
  const { code, message, remedy, details, retryAfter } = error;
  return { error: { code, message, remedy, retryAfter, details } };
}

/** A failure from before a command had an output, in the form that the arguments ask for; empty for text, which is told apart. */
export async function failureOutput(args: readonly string[], error: unknown): Promise<string> {
  const form = requestedForm(args);
  if (form === "json") return jsonText(failureJson(error));
  const { formatNames: formNames, renderReport: reportIn } =
    await import("../../reconciler/report/render.ts");
  const other = formNames.find((one) => one === form);
  return other === undefined ? "" : reportIn(other, failureReport(error));
}

/** The last form that is named, as far as anybody can tell where the arguments are wrong. */
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

/** The same as a report, for the forms that are neither. */
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
  const wait = retryAfter === undefined ? "" : `  try again in ${retryAfter} s\n`;
  return `error: ${code}: ${message}\n${remedy === undefined ? "" : `  ${remedy}\n`}${wait}`;
}

/** The message may hold anything, so it is shown only with the stack. */
function bugText(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return `error: this is a bug in svc (${name}); please report it with what SVC_DEBUG=1 adds to this message`;
}

function stackOf(error: unknown): string {
  if (!process.env["SVC_DEBUG"]) return "";
  return `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
