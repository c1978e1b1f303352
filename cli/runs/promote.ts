// Runs `svc promote` and its subcommands.
import { upperFirst } from "../../core/text/naming.ts";
import { Failure } from "../../core/errors.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { whoText } from "../../core/text/who-text.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import {
  type PromotionResult,
  pipelineStatus,
  promote,
  rollback,
  verify,
} from "../../promotion/promote.ts";
import {
  approve,
  hold,
  type HoldResult,
  type RecordedAction,
  release,
  withdraw,
} from "../../promotion/manual-actions.ts";
import { shortCommits } from "../../promotion/candidate-kinds.ts";
import type { PlannedRollout } from "../../promotion/planned-rollout.ts";
import {
  type PipelineReport,
  pipelineJson,
  pipelineMarkdown,
  pipelineText,
  plainJson,
  plannedRolloutText,
  stepText,
} from "../../promotion/report.ts";
import { unknownStageError } from "../../promotion/lookup.ts";
import { whyJson, whyMarkdown, whyOf, whyText } from "../../promotion/why-report.ts";
import type { PipelineOptions } from "../../promotion/options.ts";
import type { VerbResult } from "../../reconciler/verbs/session.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import { serverAccessIfNamed } from "../shared/connection/connection.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes, worstExitCode } from "../shared/exit-codes.ts";
import type { Result } from "../shared/output/output.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import {
  type BlockedStage,
  blockedStages,
  exitCodeOfPromotion,
} from "../shared/run/promote-exit-code.ts";
import type { PromoteFlags } from "../shared/options/promote-options.ts";
import {
  failWithoutMode,
  modeOf,
  pipelineOptions,
  policiesOf,
} from "../shared/run/promote-mode.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportUnconfirmed } from "../shared/run/confirmation.ts";
import { reportDiagnostics, reportInvalidManifests, runVerb } from "../shared/run/verb.ts";

interface PipelineRequest {
  readonly pipeline: string;
  readonly paths: readonly string[];
  readonly flags: PromoteFlags;
  readonly context: CommandContext;
}

async function run(request: PipelineRequest): Promise<number> {
  const { flags } = request;
  const { to, version, reason, skipStages } = flags;
  if (version !== undefined && to === undefined) {
    throw new Failure("usage", "--version needs --to, to name the stage");
  }
  if (reason !== undefined && to === undefined) {
    throw new Failure("usage", "--reason needs --to, to name the stage");
  }
  if (flags.request === true && to === undefined) {
    throw new Failure("usage", "--request needs --to, to name the stage");
  }
  if (skipStages === true && (version === undefined || reason === undefined)) {
    throw new Failure("usage", "--skip-stages needs --to, --version and --reason");
  }
  const mode = modeOf(flags);
  if (mode === undefined) {
    if (to !== undefined) failWithoutMode();
    policiesOf(flags);
    return preview(request);
  }
  return runPromotion(request, (options, asking) =>
    promote({ ...options, mode, to, version, reason, skipStages, approve: asking }),
  );
}

async function preview({ pipeline, paths, flags, context }: PipelineRequest): Promise<number> {
  const looked = await runVerb({ paths, flags, context }, ({ options }) =>
    pipelineStatus({ ...options, ...pipelineOptions(pipeline, flags) }),
  );
  if (looked === undefined) return exitCodes.failed;
  context.output.result(resultOf(looked));
  const isSomething = looked.status.stages.some(({ step }) => step !== undefined);
  if (isSomething) context.output.warn(() => "nothing is promoted without --direct or --write");
  return isSomething ? exitCodes.changes : exitCodes.done;
}

/** Runs a promotion: asks for confirmation, then prints the result and the steps that failed. */
async function runPromotion(
  { pipeline, paths, flags, context }: PipelineRequest,
  call: (
    options: PipelineOptions,
    asking: (step: PlannedRollout) => Promise<boolean>,
  ) => Promise<VerbResult<PromotionResult>>,
): Promise<number> {
  const left: PlannedRollout[] = [];
  const { output } = context;
  const policies = policiesOf(flags);
  const done = await runVerb({ paths, flags, context }, ({ options, clearProgress }) =>
    call({ ...options, ...policies, ...pipelineOptions(pipeline, flags) }, async (step) => {
      if (flags.yes === true || flags.diff === true) return true;
      clearProgress();
      if (isInteractive()) output.warn(() => plannedRolloutText(step));
      const yes =
        isInteractive() && (await confirmInRun(`${upperFirst(stepText(step))}?`, context));
      if (!yes) left.push(step);
      return yes;
    }),
  );
  if (done === undefined) return exitCodes.failed;
  const isUnconfirmed = done.failures.length === 0 && left.length > 0;
  const code = isUnconfirmed ? notConfirmed(context, done, left) : exitCodes.done;
  if (!isUnconfirmed) output.result(resultOf(done));
  for (const failure of done.failures) {
    output.warn(() => shortCommits(errorText(failure.code, failure.message, failure.remedy)));
  }
  const blocked = blockedStages(done, flags.to ?? flags.stage);
  const isReported = ({ stage, reason }: BlockedStage): boolean =>
    (isUnconfirmed && reason.code === "not-confirmed") ||
    done.failures.some(
      ({ details }) => details?.["stage"] === stage && details["reason"] === reason.code,
    );
  for (const { stage, reason } of blocked.filter((one) => !isReported(one))) {
    output.warn(() => shortCommits(escapeInvisible(`${stage}: ${reason.code}: ${reason.message}`)));
  }
  // What failed in the stage is why someone rolls it back, or promotes another version to it.
  if (isUnconfirmed && (flags.to ?? flags.stage) !== undefined) return code;
  return worstExitCode([code, exitCodeOfPromotion(done, blocked)]);
}

/** Reports steps that were not confirmed, with the state of the pipeline. Returns the exit code. */
function notConfirmed(
  context: CommandContext,
  done: PromotionResult,
  steps: readonly PlannedRollout[],
): number {
  const { output } = context;
  const facts = { steps: steps.map(plainJson), pipeline: pipelineJson(done) };
  // At a terminal, each was shown before its question.
  const plans = isInteractive() ? [] : steps.map((step) => `${plannedRolloutText(step)}\n\n`);
  const known = done.done.length === 0 ? { ...done, done: undefined } : done;
  output.print((style) => `${plans.join("")}${pipelineText(known, style)}`);
  const consequence = steps.map((step) => `svc did not ${stepText(step)}`).join("; ");
  return reportUnconfirmed(context, { facts, consequence });
}

async function why({ pipeline, paths, flags, context }: PipelineRequest): Promise<number> {
  const { stage: only, version } = flags;
  if (version !== undefined && only === undefined)
    throw new Failure("usage", "--version needs --stage, to name the stage");
  const about = only === undefined || version === undefined ? undefined : { stage: only, version };
  const looked = await runVerb({ paths, flags, context }, ({ options }) =>
    pipelineStatus({ ...options, ...pipelineOptions(pipeline, flags), about }),
  );
  if (looked === undefined) return exitCodes.failed;
  const { stages } = looked.status;
  const reported = whyOf(looked, flags.stage);
  const known = stages.map(({ stage }) => stage);
  if (reported.stages.length === 0) throw unknownStageError(pipeline, flags.stage ?? "", known);
  context.output.result({
    text: (style) => whyText(reported, style),
    json: () => whyJson(reported),
    markdown: () => whyMarkdown(reported),
  });
  return exitCodes.done;
}

function runManualAction<T extends RecordedAction>(
  {
    command,
    pipeline,
    paths,
    flags,
    outcome,
  }: Omit<PipelineRequest, "context"> & {
    readonly command: "promote withdraw" | "promote hold" | "promote release";
    readonly outcome: string | ((done: T) => string);
  },
  call: (options: Parameters<typeof release>[0]) => Promise<VerbResult<T>>,
): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const stage = flags.stage ?? "";
    const { reason } = flags;
    const done = await call({
      ...loadOptions(paths, flags),
      ...pipelineOptions(pipeline, flags),
      connection: await serverAccessIfNamed(flags),
      stage,
      reason,
    });
    if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
    reportDiagnostics(output, done.diagnostics);
    const what = typeof outcome === "string" ? outcome : outcome(done);
    output.result({
      text: () => `${stage} ${shortCommits(escapeInvisible(what))}.`,
      json: () =>
        commandJson(command, { pipeline, stage, message: `${stage} ${what}`, ...done.who }),
    });
    return exitCodes.done;
  });
}

/** Says that a stage is held, and what held it before. */
function holdText({ before, isChanged }: HoldResult): string {
  if (before === undefined) return "is held";
  const { at, reason } = before;
  const known = `by ${whoText(before)} since ${at}: ${reason}`;
  return isChanged ? `is held. This replaces the hold ${known}` : `is already held ${known}`;
}

function resultOf(report: PipelineReport): Result {
  return {
    text: (style) => pipelineText(report, style),
    json: () => pipelineJson(report),
    markdown: () => pipelineMarkdown(report),
  };
}

/** Runs a subcommand of `svc promote`. */
type PromoteRun = (
  pipeline: string,
  paths: readonly string[],
  flags: PromoteFlags,
) => Promise<void>;

/** A subcommand of `svc promote` that needs its name. */
export type PromoteVerb =
  | "status"
  | "why"
  | "approve"
  | "withdraw"
  | "hold"
  | "release"
  | "rollback"
  | "verify";

/** Runs `svc promote run`. */
export function runPromote(line: Omit<PipelineRequest, "context">): Promise<void> {
  return runAction(line.flags, (context) => run({ ...line, context }));
}

/** Runs the subcommands of `svc promote` that need their names. */
export const promoteRuns: Readonly<Record<PromoteVerb, PromoteRun>> = {
  status: (pipeline, paths, flags) =>
    runAction(flags, async (context) => {
      const looked = await runVerb({ paths, flags, context }, ({ options }) =>
        pipelineStatus({ ...options, ...pipelineOptions(pipeline, flags) }),
      );
      if (looked === undefined) return exitCodes.failed;
      context.output.result(resultOf(looked));
      return exitCodes.done;
    }),
  why: (pipeline, paths, flags) =>
    runAction(flags, (context) => why({ pipeline, paths, flags, context })),
  approve: (pipeline, paths, flags) =>
    runAction(flags, async (context) => {
      const stage = flags.stage ?? "";
      const { version, reason } = flags;
      const done = await runVerb({ paths, flags, context }, ({ options }) =>
        approve({
          ...options,
          ...pipelineOptions(pipeline, flags),
          stage,
          version,
          reason,
        }),
      );
      if (done === undefined) return exitCodes.failed;
      const { version: approved, unchanged } = done;
      const message = unchanged ?? `${approved} is approved for ${stage}`;
      context.output.result({
        text: () => `${shortCommits(escapeInvisible(message))}.`,
        json: () =>
          commandJson("promote approve", {
            pipeline,
            stage,
            approved,
            changed: unchanged === undefined,
            message,
          }),
      });
      return exitCodes.done;
    }),
  withdraw: (pipeline, paths, flags) => {
    const outcome = ({ version }: RecordedAction & { readonly version: string }) =>
      `no longer has an approval of ${version}`;
    const command = "promote withdraw";
    return runManualAction({ command, pipeline, paths, flags, outcome }, (options) =>
      withdraw({ ...options, version: flags.version }),
    );
  },
  hold: (pipeline, paths, flags) =>
    runManualAction(
      { command: "promote hold", pipeline, paths, flags, outcome: holdText },
      (options) => hold({ ...options, reason: flags.reason ?? "" }),
    ),
  release: (pipeline, paths, flags) =>
    runManualAction(
      { command: "promote release", pipeline, paths, flags, outcome: "is no longer held" },
      release,
    ),
  rollback: (pipeline, paths, flags) =>
    runAction(flags, (context) => {
      const mode = modeOf(flags) ?? failWithoutMode();
      const stage = flags.stage ?? "";
      return runPromotion({ pipeline, paths, flags, context }, (options, asking) =>
        rollback({ ...options, mode, stage, reason: flags.reason, approve: asking }),
      );
    }),
  verify: (pipeline, paths, flags) =>
    runAction(flags, (context) =>
      runPromotion({ pipeline, paths, flags, context }, (options) =>
        verify({ ...options, stage: flags.stage ?? "" }),
      ),
    ),
};
