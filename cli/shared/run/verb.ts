// Shared parts of commands on a stack: library call, progress, and errors in manifests.
import type { Diagnostic } from "../../../core/diagnostics.ts";
import { reportJson, reportText } from "../../../reconciler/report/render.ts";
import type { Report } from "../../../reconciler/report/report.ts";
import { diagnosticsText } from "../../../reconciler/report/plan-text.ts";
import type { VerbOptions, VerbResult } from "../../../reconciler/verbs/session.ts";
import { serverAccess } from "../connection/connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output, Result } from "../output/output.ts";
import type { CommandContext } from "./run-action.ts";
import { loadOptions } from "../options/load-options.ts";
import { progressFor } from "../output/progress.ts";
import type { VerbFlags } from "../options/verb-options.ts";

/** Arguments of a command on a stack. */
export interface VerbRequest {
  readonly paths: readonly string[];
  readonly flags: VerbFlags;
  readonly context: CommandContext;
  /** Set if the text of the result shows the diagnostics. */
  readonly diagnosticsIn?: "text";
}

/** A running library call. */
export interface VerbCall {
  readonly options: VerbOptions;
  /** Removes the progress line from the terminal until the next event. */
  readonly clearProgress: () => void;
}

/** Returns a report in all its formats. */
export function resultOf(report: Report): Result {
  return {
    text: (style) => reportText(report, style),
    json: () => reportJson(report),
    report,
  };
}

/**
 * Runs a library call with progress. If the manifests have errors, reports them and returns undefined.
 */
export async function runVerb<T extends object>(
  { paths, flags, context, diagnosticsIn }: VerbRequest,
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
    if (diagnosticsIn !== "text" || !output.isText) reportDiagnostics(output, verdict.diagnostics);
    return verdict;
  }
  reportInvalidManifests(output, verdict.diagnostics);
  return undefined;
}

/** Prints diagnostics that the text of the result does not show to standard error. */
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
