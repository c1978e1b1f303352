// What a command answers that wrote nothing, since nobody confirmed it: the command that would, or that somebody said no.
import type { JsonObject } from "../core/json.ts";
import { jsonText } from "../reconciler/report/json-text.ts";
import type { FailureReport } from "../reconciler/report/report.ts";
import { confirmingCommand } from "./confirm.ts";
import type { Result } from "./output.ts";

const message = "not confirmed: nothing was written";

/** Nobody was there to be asked. It is JSON as text too, for the program that called; `deletes` are those to be allowed. */
export function unconfirmed(facts: JsonObject, deletes?: number): Result {
  const command = confirmingCommand(process.argv.slice(2), deletes);
  const remedy = `run it to confirm: ${command}`;
  const json = () => ({ ...enveloped("confirmation_required", remedy), ...facts, command });
  // People have seen the plan.
  const short = () => ({ ...json(), plan: undefined });
  return {
    text: () => jsonText(short()),
    json,
    report: reportOf("confirmation_required", remedy),
  };
}

/** Somebody was asked, and said no. */
export function declined(): Result {
  const json = () => enveloped("declined", undefined);
  return { text: () => "", json, report: reportOf("declined", undefined) };
}

function enveloped(status: string, remedy: string | undefined): JsonObject {
  return { status, error: { code: status, message, remedy } };
}

function reportOf(code: string, remedy: string | undefined): FailureReport {
  return { of: "failure", code, message, remedy };
}
