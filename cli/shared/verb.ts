// Shared parts of commands on a stack: options, library call, progress, and errors in manifests.
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

/** Flags of a command on a stack. */
export interface VerbFlags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly adopt?: true;
  readonly replace?: readonly string[];
  readonly target?: readonly string[];
  readonly allowEmpty?: true;
}

/** Arguments of a command on a stack. */
export interface VerbRequest {
  readonly paths: readonly string[];
  readonly flags: VerbFlags;
  readonly context: CommandContext;
}

/** A running library call. */
export interface VerbCall {
  readonly options: VerbOptions;
  /** Removes the progress line from the terminal until the next event. */
  readonly clearProgress: () => void;
}

/**
 * Adds the options of every command on a stack; `more` lists formats in addition to text and JSON.
 */
export function verbOptions(command: Command, more: readonly ReportFormat[] = []): Command {
  return outputOptions(connectionOptions(stackOptions(command)), more);
}

/** Returns a report in all its formats. */
export function resultOf(report: Report): Result {
  return {
    text: (style) => reportText(report, style),
    json: () => reportJson(report),
    report,
  };
}

/** Returns the option that shows long lists in full. */
export function fullOption(): Option {
  return new Option("--full", "show every object of long lists in text output");
}

/** Returns the option that lists what a plan could not check. */
export function verboseOption(): Option {
  return new Option("--verbose", "list what could not be checked before the first write");
}

/** Returns the option that adopts existing objects. */
export function adoptOption(): Option {
  return new Option("--adopt", "import existing objects that are declared and that no stack owns");
}

/** Returns the option that forces replacement. */
export function replaceOption(): Option {
  const help = "force replacement of this object (Kind/name); repeatable";
  return new Option("--replace <address>", help).argParser(appendValue);
}

/** Returns the option that limits a plan. */
export function targetOption(): Option {
  const help =
    "limit the plan to this resource (Kind/name) and what it depends on; repeatable; nothing else " +
    "is deleted";
  return new Option("--target <address>", help).argParser(appendValue);
}

/** Returns the option that lets an empty stack delete its objects. */
export function allowEmptyOption(): Option {
  return new Option(
    "--allow-empty",
    "allow a stack without documents to delete or forget what it owns",
  );
}

/**
 * Runs a library call with progress. If the manifests have errors, reports them and returns undefined.
 */
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
    targets: flags.target?.filter((one) => context.missingTargets?.includes(one) !== true),
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

/** Prints diagnostics. */
export function reportDiagnostics(output: Output, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) output.warn((style) => diagnosticsText(diagnostics, style));
}

/** Prints the errors in the manifests, and returns the exit code. */
export function reportInvalidManifests(output: Output, diagnostics: readonly Diagnostic[]): number {
  reportDiagnostics(output, diagnostics);
  output.result(
    resultOf({ type: "manifests", stack: undefined, manifestDiagnostics: diagnostics }),
  );
  return exitCodes.failed;
}
