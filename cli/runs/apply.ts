// Runs `svc apply`: plans and applies a stack, or applies a saved plan.
import path from "node:path";
import type { ApplyFlags } from "../shared/options/apply-options.ts";
import { Failure } from "../../core/errors.ts";
import type { FailureFacts } from "../../reconciler/report/failure-schema.ts";
import type { ApplyResult, Plan, ProgressEvent } from "../../reconciler/model/index.ts";
import { planJson } from "../../reconciler/engine/plan-json.ts";
import { diagnosticsText, planText } from "../../reconciler/report/plan-text.ts";
import { deletions, writes } from "../../reconciler/model/plan-filters.ts";
import type { ApplyOptions } from "../../reconciler/apply.ts";
import type { ConflictPolicy } from "../../reconciler/verbs/field-conflicts.ts";
import { apply } from "../../reconciler/apply.ts";
import { hasStack } from "../../reconciler/export/stack-folder.ts";
import { kinds } from "../../resources/index.ts";
import { type ApprovalOptions, requestApproval } from "../shared/run/plan-approval.ts";
import { confirmationCommand } from "../shared/run/prompt.ts";
import { deleteConfirmation, exitCodes } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/run/apply-exit-code.ts";
import type { Output } from "../shared/output/output.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { CommandContext } from "../shared/run/run-action.ts";
import { runStacks } from "../shared/run/run-stacks.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { policyJudge } from "../shared/run/policy-judge.ts";
import {
  type PlanFile,
  isPlanFile,
  readPlan,
  rejectReport,
} from "../../reconciler/engine/plan-file.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportUnapproved, reportUnconfirmed } from "../shared/run/confirmation.ts";
import { exitCodeOfUndo } from "../shared/run/undo-result.ts";
import { type VerbRequest, resultOf, runVerb } from "../shared/run/verb.ts";

export interface Flags extends ApplyFlags {
  readonly keepGoing?: true;
}

/** Runs `svc apply`. */
export function runApply(args: string[], flags: Flags): Promise<void> {
  const files = args.filter(isPlanFile);
  const paths = args.filter((arg) => !files.includes(arg));
  for (const file of paths) rejectReport(file);
  const request = {
    paths,
    flags,
    targets: flags.target,
    stopsAtFailure: flags.keepGoing !== true,
    oneStackOption: files.length > 0 || flags.plan !== undefined ? "a saved plan" : undefined,
  };
  return runStacks(request, (stack, context) => run([...files, ...stack], flags, context));
}

async function run(
  args: readonly string[],
  flags: ApplyFlags,
  context: CommandContext,
): Promise<number> {
  const { file, saved, paths } = savedPlan(args, flags);
  const command = paths.length === 0 ? commandWithManifests(file, saved) : undefined;
  if (command !== undefined && !(await hasStack(process.cwd()))) {
    const message = `${file} was made from manifests in another folder: the current folder has no Stack document`;
    throw new Failure("usage", message, {
      remedy: `Name the manifests that the plan was made from: ${command}`,
    });
  }
  const code = await executeApply({ paths, flags, context, saved }, (options) =>
    apply({ ...options, savedPlan: saved }),
  );
  if (code === exitCodes.failed && command !== undefined) {
    const hint = "the plan was made from other manifests than those in the current folder";
    context.output.warn(() => `${hint}; run: ${command}`);
  }
  return code;
}

/** Returns the command that names the manifests of a plan; undefined if it was made from those in the current folder. */
function commandWithManifests(
  file: string | undefined,
  saved: PlanFile | undefined,
): string | undefined {
  if (file === undefined || saved?.manifests === undefined) return undefined;
  const folder = path.dirname(path.resolve(file));
  const manifests = saved.manifests.map(
    (manifest) => path.relative("", path.resolve(folder, manifest)) || ".",
  );
  if (manifests.every((manifest) => manifest === ".")) return undefined;
  return ["svc", "apply", file, ...manifests].map(shellQuote).join(" ");
}

interface ApplyRequest extends VerbRequest {
  readonly flags: ApplyFlags;
  readonly saved?: Plan | undefined;
  readonly isUndo?: boolean | undefined;
}

/** A plan, and whether an undo made it. */
interface PlanOfRun extends Pick<ApplyRequest, "isUndo"> {
  readonly plan: Plan;
}

/** A run that was refused, with the plan that it showed. */
interface RefusedRun extends Pick<ApplyRequest, "isUndo"> {
  readonly output: Output;
  readonly plan: Plan | undefined;
}

/** Plans with `call`, shows the plan, asks, applies and reports. Returns the exit code. */
export async function executeApply(
  { paths, flags, context, saved, isUndo }: ApplyRequest,
  call: (options: ApplyOptions) => ReturnType<typeof apply>,
): Promise<number> {
  const { output, signal, interrupt } = context;
  const terms: ApprovalOptions = {
    preapproved: flags.yes === true || saved !== undefined,
    interactive: isInteractive(),
    isUndo,
    signal,
  };
  const judge = policyJudge(flags);
  let shown: Plan | undefined;
  const reported = new Set<Diagnostic>();
  const request: VerbRequest = { paths, flags, context, diagnosticsIn: "text" };
  const done = await runVerb(request, ({ options, clearProgress }) => {
    const progress = (event: ProgressEvent): void => {
      if (event.event !== "plan") return options.progress?.(event);
      const { plan, addressesByKey: names, diagnostics } = event;
      clearProgress();
      shown = plan;
      if (output.isText) for (const diagnostic of diagnostics) reported.add(diagnostic);
      output.print((style) => planText(plan, { ...style, kinds, names, isUndo }, [...reported]));
    };
    const approve = async (plan: Plan): Promise<boolean> => {
      interrupt.setPrompting(true);
      const isApproved = await requestApproval(plan, terms);
      interrupt.setPrompting(false);
      return isApproved;
    };
    const { allowDeletes, reason: message, failOn } = flags;
    return call({
      ...options,
      progress,
      allowDeletes,
      onConflict: conflictPolicy(flags, terms),
      author: { message },
      approve,
      evaluatePolicies: judge,
      failOn,
    });
  }).catch((error: unknown) => reportDeleteLimit(error, { output, plan: shown, isUndo }));
  if (typeof done === "number") return done;
  if (done === undefined) return exitCodes.failed;
  const { plan, applied, diagnostics, places, addressesByKey } = done;
  if (applied === undefined)
    return reportUnconfirmed(context, { facts: factsOf({ plan, isUndo }) });
  const result = resultOf({
    type: "apply",
    applied,
    kinds,
    manifestDiagnostics: diagnostics,
    places,
    names: addressesByKey,
  });
  const added = diagnostics.filter((diagnostic) => !reported.has(diagnostic));
  output.result(
    added.length === 0
      ? result
      : { ...result, text: (style) => `${diagnosticsText(added, style)}\n${result.text(style)}` },
  );
  const code = exitCodeOfRun(applied, saved !== undefined, context);
  return isUndo === true ? exitCodeOfUndo(plan, code, output) : code;
}

function exitCodeOfRun(
  applied: ApplyResult,
  fromSaved: boolean,
  { output, interrupt }: CommandContext,
): number {
  const stopped = interrupt.exitCode();
  if (stopped !== undefined && applied.outcomes.some(({ result }) => result === "skipped")) {
    output.warn(() => resumeText(fromSaved));
  }
  return exitCodeOfApply(applied, stopped);
}

/**
 * Returns the remedy for the rest of a run. A saved plan that was partly applied is stale, so the rest needs a new
 * plan.
 */
function resumeText(fromSaved: boolean): string {
  const how = fromSaved ? "plan again to continue" : "run the same command again to continue";
  return `stopped: ${how}; completed changes are not repeated`;
}

function savedPlan(
  args: readonly string[],
  flags: ApplyFlags,
): {
  readonly file: string | undefined;
  readonly saved: PlanFile | undefined;
  readonly paths: readonly string[];
} {
  const files = args.filter(isPlanFile);
  const named = [...files, ...(flags.plan === undefined ? [] : [flags.plan])];
  if (named.length > 1)
    throw new Failure("usage", `several saved plans given: ${named.join(", ")}`);
  const [file] = named;
  const paths = args.filter((arg) => !files.includes(arg));
  return { file, saved: file === undefined ? undefined : readPlan(file), paths };
}

/**
 * Reports a plan that exceeds the delete limit, with the command that allows it. The command of an undo also overwrites the
 * conflicts: its plan has shown them as the changes to revert. An apply with conflicts has no such command, because it would
 * overwrite changes of others, or fail.
 */
function reportDeleteLimit(error: unknown, { output, plan, isUndo }: RefusedRun): number {
  const needed = deleteConfirmation(error);
  if (needed === undefined || plan === undefined || !(error instanceof Failure)) throw error;
  const isOpen = needed.conflicts !== undefined && isUndo !== true;
  const command = isOpen ? undefined : confirmationCommand(process.argv.slice(2), needed);
  return reportUnapproved(output, error, {
    facts: { ...factsOf({ plan, isUndo }), ...needed },
    command,
  });
}

/** Returns the facts about a plan that waits for a confirmation. */
function factsOf({ plan, isUndo }: PlanOfRun): FailureFacts {
  const counts = { writes: writes(plan).length, deletes: deletions(plan).length };
  return { ...counts, plan: planJson(plan, { kinds, isUndo }) };
}

/** Returns the remedy for conflicts. A user at a terminal sees them before confirming. */
function conflictPolicy(
  { onConflict }: ApplyFlags,
  { preapproved, interactive }: ApprovalOptions,
): ConflictPolicy | undefined {
  return onConflict ?? (interactive && !preapproved ? "overwrite" : undefined);
}
