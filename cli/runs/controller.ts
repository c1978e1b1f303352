// Runs `svc controller`: the loop, one reconciliation, and the plan of a source.
import type { RecordedPlan, SourceOverview } from "../../controller/api-types.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import {
  heldPlanWarning,
  planSource,
  runController,
  type SourcePlan,
} from "../../controller/controller.ts";
import type { ReconciliationEvent } from "../../controller/events.ts";
import type { Reconciliation } from "../../controller/reconciliation.ts";
import { ReloadRequests } from "../../controller/reload-requests.ts";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { diagnosticsJson } from "../../reconciler/engine/plan-json.ts";
import { planFromReport } from "../../reconciler/report/reported-plan.ts";
import { hasServerChanges } from "../../reconciler/sessions.ts";
import { jsonLine } from "../../reconciler/report/json-text.ts";
import { components, kinds } from "../../resources/index.ts";
import { exitCodeOf, exitCodes, worstExitCode } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/run/apply-exit-code.ts";
import { callController } from "../shared/connection/controller-api.ts";
import { configOf, type ControllerFlags } from "./controller-actions.ts";
import { resultOf } from "../shared/run/verb.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";

export interface RunFlags {
  readonly config: string;
  readonly once?: true;
}

export interface PlanFlags extends ControllerFlags {
  readonly detailedExitcode?: true;
}

/** Runs `svc controller run`. */
export function runReconcileLoop(flags: RunFlags): Promise<void> {
  return runAction({ output: "text" }, (context) => run(flags, context));
}

/** Runs `svc controller plan`. */
export function runSourcePlan(source: string, flags: PlanFlags): Promise<void> {
  return runAction(flags, async (context) => {
    const { output, signal } = context;
    const local = configOf(flags);
    if (local === undefined) return showRecordedPlan(source, flags, context);
    const config = readControllerConfig(local);
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

/** Shows the plan that the last reconciliation of a running controller had. */
async function showRecordedPlan(
  source: string,
  flags: PlanFlags,
  { output, signal }: CommandContext,
): Promise<number> {
  const path = `/api/sources/${encodeURIComponent(source)}`;
  const call = (part: string) => callController(flags, { path: `${path}${part}`, signal });
  const { lastReconciliation, failure } = (await call("")) as object as Pick<
    SourceOverview,
    "failure"
  > & { readonly lastReconciliation?: ReconciliationEvent };
  const { report, time, commit, moreChanges = 0 } = (await call("/plan")) as Partial<RecordedPlan>;
  const { result, held } = lastReconciliation ?? {};
  if (report === undefined) {
    throw new Failure("not_found", `no reconciliation of ${source} had a plan yet`, {
      ...(failure !== undefined && { remedy: `The last one failed: ${failure.message}` }),
    });
  }
  if (failure !== undefined && held === undefined)
    output.warn(() => `The last reconciliation failed: ${escapeInvisible(failure.message)}`);
  if (moreChanges > 0) output.warn(() => `${moreChanges} more changes were not kept.`);
  const plan = planFromReport(report);
  const context = flags.context === undefined ? "" : ` --context ${flags.context}`;
  const at = `--url ${flags.url}${flags.login ? " --login" : ""}${context}`;
  const approve = `svc controller approve ${source} ${held?.plan} ${at}`;
  const warnings = held === undefined ? [] : [heldPlanWarning(held.plan, approve)];
  const diagnostics = [...plan.diagnostics, ...warnings];
  const shown = resultOf({
    type: "plan",
    plan: { ...plan, diagnostics },
    kinds,
    manifestDiagnostics: [],
    places: new Map(),
  });
  const isApplied = result === "applied" || result === "unhealthy";
  const from = commit === undefined ? "its folder" : `commit ${commit}`;
  const about = `Planned ${time} from ${from}${isApplied ? ", and applied" : ""}.`;
  output.result({
    ...shown,
    text: (style) => `${escapeInvisible(about)}\n${shown.text(style)}`,
    json: () =>
      withHeldPlan(
        { ...report, diagnostics: diagnosticsJson(diagnostics) },
        held && { plan: held.plan, deletes: held.deletes },
      ),
  });
  const isPending = !isApplied && hasServerChanges(plan);
  return isPending && flags.detailedExitcode === true ? exitCodes.changes : exitCodes.done;
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
