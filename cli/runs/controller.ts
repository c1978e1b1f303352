// Runs `svc controller`: the loop, one reconciliation, and the plan of a source.
import { readControllerConfig } from "../../controller/read-config.ts";
import { planSource, runController, type SourcePlan } from "../../controller/controller.ts";
import type { Reconciliation } from "../../controller/reconciliation.ts";
import { ReloadRequests } from "../../controller/reload-requests.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { jsonLine } from "../../reconciler/report/json-text.ts";
import { components, kinds } from "../../resources/index.ts";
import { exitCodeOf, exitCodes, worstExitCode } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/run/apply-exit-code.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { resultOf } from "../shared/run/verb.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";

export interface RunFlags {
  readonly config: string;
  readonly once?: true;
}

export interface PlanFlags extends OutputFlags {
  readonly config: string;
  readonly detailedExitcode?: true;
}

/** Runs `svc controller run`. */
export function runReconcileLoop(flags: RunFlags): Promise<void> {
  return runAction({ output: "text" }, (context) => run(flags, context));
}

/** Runs `svc controller plan`. */
export function runSourcePlan(source: string, flags: PlanFlags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const config = readControllerConfig(flags.config);
    const options = { config, kinds, components, env: process.env, signal };
    const { reconciliation, plan, held } = await planSource(options, source);
    const { diagnostics: manifestDiagnostics, failure, result } = reconciliation;
    if (plan === undefined) {
      if (failure !== undefined) throw failure;
      output.result(resultOf({ type: "manifests", stack: undefined, manifestDiagnostics }));
      return exitCodes.failed;
    }
    const shown = resultOf({
      type: "plan",
      plan,
      kinds,
      manifestDiagnostics,
      places: new Map(),
    });
    output.result({ ...shown, json: () => withHeldPlan(shown.json(), held) });
    if (failure !== undefined) throw failure;
    const isChanged = result === "changes" && flags.detailedExitcode === true;
    return isChanged ? exitCodes.changes : exitCodes.done;
  });
}

/** Returns the report of a plan with the id by which a held one is approved. */
function withHeldPlan(report: JsonValue, held: SourcePlan["held"]): JsonValue {
  return held === undefined || !isObject(report) ? report : { ...report, held: { ...held } };
}

async function run(
  { config, once }: RunFlags,
  { signal, interrupt }: CommandContext,
): Promise<number> {
  const reloads = new ReloadRequests();
  // Before the configuration is read, as services do; without a listener, the signal would end the process.
  if (once !== true) process.on("SIGHUP", reloads.request);
  const reconciliations = await runController({
    config: readControllerConfig(config),
    kinds,
    components,
    env: process.env,
    once,
    signal,
    reloads,
    onEvent: (event) => process.stdout.write(jsonLine(event)),
  }).finally(() => process.off("SIGHUP", reloads.request));
  if (once !== true) return exitCodes.done;
  return worstExitCode(
    reconciliations.map((reconciliation) =>
      exitCodeOfReconciliation(reconciliation, interrupt.exitCode()),
    ),
  );
}

/** Returns the exit code of one source: 2 if it is in plan mode and has changes, 5 if its plan waits for approval. */
function exitCodeOfReconciliation(
  { result, applied, failure }: Reconciliation,
  stopped: number | undefined,
): number {
  switch (result) {
    case "held":
      return exitCodes.confirmation;
    case "changes":
      return exitCodes.changes;
    case "invalid":
    case "unhealthy":
      return exitCodes.failed;
    case "stopped":
      return stopped ?? exitCodes.interrupted;
    case "suspended":
      return exitCodes.done;
    default:
      if (applied !== undefined) return exitCodeOfApply(applied, stopped);
      return failure === undefined ? exitCodes.done : exitCodeOf(failure);
  }
}
