// What the verbs on a stack have in common: their options, the library call's, progress, and mistakes in manifests.
import { type Command, Option } from "commander";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { type ReportFormat, reportJson, reportText } from "../../reconciler/report/render.ts";
import type { Report } from "../../reconciler/report/report.ts";
import { diagnosticsText } from "../../reconciler/report/plan-text.ts";
import type { VerbResult, VerbOptions } from "../../reconciler/verbs/session.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "./connection.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Output, type OutputFlags, outputOptions, type Result } from "./output.ts";
import type { CommandContext } from "./run-action.ts";
import { progressFor } from "./progress.ts";
import { appendValue, loadOptions, type StackFlags, stackOptions } from "./stack-options.ts";

/** The flags of a verb on a stack. */
export interface VerbFlags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly adopt?: true;
  readonly replace?: readonly string[];
  readonly allowEmpty?: true;
}

/** What was asked of a verb. */
export interface VerbRequest {
  readonly paths: readonly string[];
  readonly flags: VerbFlags;
  readonly context: CommandContext;
}

/** A verb under way. */
export interface VerbCall {
  readonly options: VerbOptions;
  /** Takes the progress line off the terminal, until there is more progress. */
  readonly clearProgress: () => void;
}

/** Adds what every verb on a stack takes; `more` are the forms it can answer in beside text and JSON. */
export function verbOptions(command: Command, more: readonly ReportFormat[] = []): Command {
  return outputOptions(connectionOptions(stackOptions(command)), more);
}

/** A report in all its forms. */
export function resultOf(report: Report): Result {
  return {
    text: (look) => reportText(report, look),
    json: () => reportJson(report),
    report,
  };
}

/** The option of commands that show long lists: nothing of them is folded. */
export function fullOption(): Option {
  return new Option("--full", "fold nothing in text: show every object of long lists");
}

/** The option to take over what exists. */
export function adoptOption(): Option {
  return new Option("--adopt", "take over declared objects that exist and that nobody owns");
}

/** The option to make objects anew. */
export function replaceOption(): Option {
  const help = "delete this one and make it anew (Kind/name); repeat it for several";
  return new Option("--replace <address>", help).argParser(appendValue);
}

/** The option to let a stack without documents lose what it owns. */
export function allowEmptyOption(): Option {
  return new Option(
    "--allow-empty",
    "let a stack that declares nothing delete or let go of what it owns",
  );
}

/** Runs a library call with progress. Where the manifests have mistakes they are told, and there is no answer. */
export async function runVerb<T extends object>(
  { paths, flags, context }: VerbRequest,
  call: (running: VerbCall) => Promise<VerbResult<T>>,
): Promise<Extract<VerbResult<T>, { ok: true }> | undefined> {
  const { output, signal } = context;
  const progress = progressFor(output);
  const clear = (): void => progress?.clear();
  const options: VerbOptions = {
    ...loadOptions(paths, flags),
    connection: await serverAccess(flags),
    signal,
    progress: progress?.on,
    adopt: flags.adopt === true ? () => true : undefined,
    replace: flags.replace,
    allowEmpty: flags.allowEmpty,
  };
  const verdict = await call({ options, clearProgress: clear }).finally(clear);
  if (verdict.ok) {
    reportDiagnostics(output, verdict.diagnostics);
    return verdict;
  }
  reportInvalidManifests(output, verdict.diagnostics);
  return undefined;
}

/** Says what was found in the manifests. */
export function reportDiagnostics(output: Output, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) output.warn((look) => diagnosticsText(diagnostics, look));
}

/** Ends a command with what is wrong with the manifests; answers its exit code. */
export function reportInvalidManifests(output: Output, diagnostics: readonly Diagnostic[]): number {
  reportDiagnostics(output, diagnostics);
  output.result(
    resultOf({ type: "manifests", stack: undefined, manifestDiagnostics: diagnostics }),
  );
  return exitCodes.failed;
}
