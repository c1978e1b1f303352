// Runs a command for each of several stacks: one report a stack, one summary, one exit code.
import { Failure, invariant } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { reportFormat } from "../../../reconciler/model/report-format.ts";
import { paint } from "../../../reconciler/report/style.ts";
import { unknownTargetsOf } from "../../../reconciler/engine/targets.ts";
import { separateStacks } from "../../../reconciler/manifest/separate-stacks.ts";
import { exitCodes, worstExitCode } from "../exit-codes.ts";
import { renderReport } from "../../../reconciler/report/render.ts";
import type { Output, Result } from "../output/output.ts";
import type { OutputFlags } from "../output/output-options.ts";
import { type CommandContext, reportError, runAction } from "./run-action.ts";

/** A command on the stacks of its paths. */
export interface StacksRequest {
  readonly paths: readonly string[];
  readonly flags: OutputFlags;
  /** Set to skip the other stacks after one that did not succeed. */
  readonly stopsAtFailure?: boolean | undefined;
  /** The option that names a file for one stack, if it is given. */
  readonly oneStackOption?: string | undefined;
  /** The addresses of `--target`. A stack without any of them is skipped. */
  readonly targets?: readonly string[] | undefined;
}

type StackWork = (paths: readonly string[], context: CommandContext) => Promise<number>;

/** Runs the command for each stack of the paths; paths without several stacks are one stack. */
export async function runStacks(request: StacksRequest, work: StackWork): Promise<void> {
  const { paths, flags, oneStackOption } = request;
  await runAction(flags, async (context) => {
    const stacks = await separateStacks(paths, process.cwd());
    if (stacks.length <= 1) return work(paths, context);
    if (oneStackOption !== undefined) {
      throw new Failure("usage", `${oneStackOption} accepts one stack, not ${stacks.length}`);
    }
    const runs = await runEach(stacks, { request, context, work });
    assertTargetsFound(runs, request.targets);
    context.output.result(combinedResult(runs));
    return worstExitCode(runs.flatMap(({ exitCode }) => exitCode ?? []));
  });
}

/** The result of one stack; without an exit code it was not run. */
interface StackRun {
  readonly path: string;
  /** Targets that the stack does not have. */
  readonly missingTargets?: readonly string[];
  readonly exitCode?: number;
  readonly result?: Result | undefined;
}

interface StackRunContext {
  readonly request: StacksRequest;
  readonly context: CommandContext;
  readonly work: StackWork;
}

async function runEach(
  stacks: readonly string[],
  how: StackRunContext,
): Promise<readonly StackRun[]> {
  const { request, context } = how;
  const runs: StackRun[] = [];
  let isStopped = false;
  for (const path of stacks) {
    if (isStopped) {
      runs.push({ path });
      continue;
    }
    const { output } = context;
    // Standard error is a stream of JSON lines there.
    const heading = output.isJson ? () => undefined : output.print;
    heading((style) => paint(style, "bold", `${path}:`));
    const run = await runOne(path, how);
    if (run.exitCode === undefined) heading(() => "skipped: it has none of the targets");
    heading(() => "\n");
    runs.push(run);
    const hasFailed = (run.exitCode ?? exitCodes.done) !== exitCodes.done;
    isStopped = (hasFailed && request.stopsAtFailure === true) || context.signal.aborted;
  }
  return runs;
}

/** Runs the command for one stack; again without the targets that the stack does not have, if it has others. */
async function runOne(
  path: string,
  { request, context, work }: StackRunContext,
): Promise<StackRun> {
  const own = collectingOutput(context.output);
  const ownContext = { ...context, output: own.output };
  const attempt = async (missingTargets: readonly string[]): Promise<StackRun> => {
    try {
      const exitCode = await work([path], { ...ownContext, missingTargets });
      return { path, missingTargets, exitCode, result: own.result() };
    } catch (error) {
      const unknown = missingTargets.length > 0 ? [] : unknownTargetsOf(error);
      if (unknown.length > 0 && unknown.length === request.targets?.length)
        return { path, missingTargets: unknown };
      if (unknown.length > 0) return attempt(unknown);
      const exitCode = reportError(error, ownContext);
      return { path, missingTargets, exitCode, result: own.result() };
    }
  };
  return attempt([]);
}

function assertTargetsFound(runs: readonly StackRun[], targets: readonly string[] = []): void {
  const wereRun = runs.filter(({ missingTargets }) => missingTargets !== undefined);
  const isMissing = (target: string) =>
    wereRun.every(({ missingTargets = [] }) => missingTargets.includes(target));
  const missing = targets.filter(isMissing);
  if (wereRun.length < runs.length || missing.length === 0) return;
  throw new Failure(
    "usage",
    `none of the ${runs.length} stacks has ${missing.join(", ")} to target`,
    {
      remedy: "Use addresses of documents or of objects that a stack owns: Kind/name.",
    },
  );
}

/** Prints the text of a result immediately, and keeps the result for the other forms. */
function collectingOutput(output: Output): {
  readonly output: Output;
  readonly result: () => Result | undefined;
} {
  let first: Result | undefined;
  return {
    output: {
      ...output,
      result: (result) => {
        if (first !== undefined) return;
        first = result;
        if (output.isText) output.print(result.text);
      },
    },
    result: () => first,
  };
}

function combinedResult(runs: readonly StackRun[]): Result {
  return {
    text: () => summaryText(runs),
    json: () => ({
      format: reportFormat,
      report: "stacks",
      stacks: runs.map(({ path, exitCode, result }): JsonObject => ({
        path,
        exitCode,
        result: result?.json(),
      })),
    }),
    render: (form) => {
      const [first, ...others] = runs.flatMap(({ path, result }) =>
        result?.report === undefined ? [] : { ...result.report, path },
      );
      invariant(first !== undefined, "no stack has a report");
      return renderReport(form, first, ...others);
    },
  };
}

const outcomes: Readonly<Record<number, string>> = {
  [exitCodes.done]: "done",
  [exitCodes.failed]: "failed",
  [exitCodes.changes]: "differs",
  [exitCodes.partial]: "partly applied",
  [exitCodes.conflict]: "stale, locked or in conflict",
  [exitCodes.confirmation]: "needs confirmation",
  [exitCodes.closed]: "closed by a maintenance window or freeze",
  [exitCodes.usage]: "wrong usage",
  [exitCodes.access]: "not authenticated or not allowed",
};

function summaryText(runs: readonly StackRun[]): string {
  const lines = runs.map(({ path, exitCode, missingTargets }) => {
    if (exitCode === undefined)
      return `  ${path}: ${missingTargets === undefined ? "not run" : "skipped, it has none of the targets"}`;
    const outcome = outcomes[exitCode] ?? "stopped";
    return `  ${path}: ${outcome}${exitCode === exitCodes.done ? "" : ` (exit code ${exitCode})`}`;
  });
  return [`${runs.length} stacks:`, ...lines].join("\n");
}
