// What operators do to a stage of a pipeline: it is written to the record of the pipeline at once, as `svc promote` does.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { createHostQueue } from "../git/host-queue.ts";
import { approve, hold, release, type StageActionOptions } from "../promotion/index.ts";
import { loadStack, type ResolveResult, type VerbResult } from "../reconciler/index.ts";
import { openSession } from "../reconciler/sessions.ts";
import { assertReconcilable } from "./actions.ts";
import { systemClock } from "./clock.ts";
import { type Caller, connectionOf, type Source } from "./config.ts";
import { type ControllerOptions, createContexts } from "./controller-options.ts";
import { readPromotions, requireSharedRecord, savePromotions } from "./promotions.ts";
import { checkoutSource, loadOptions, stackNameMismatch } from "./reconcile.ts";
import { requireStack } from "./source-patterns.ts";
import type { Documents } from "./state-store.ts";

export const stageActions = ["approve-version", "hold-stage", "release-stage"] as const;

/** An action on a stage. */
export interface StageAction {
  readonly action: (typeof stageActions)[number];
  readonly pipeline: string;
  readonly stage: string;
  /** For an approval. */
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  /** Who acts, which the token says. */
  readonly by: string;
  readonly login: Caller["login"];
}

/** Actions at each Git host, and at each server: one that does not respond delays only those that need it. */
const checkouts = createHostQueue(limits.controllerActions);
const records = createHostQueue(limits.controllerActions);

/**
 * Approves a version, holds a stage or releases it, in a temporary checkout. Returns the approved version. Fails as the commands
 * of `svc promote` do, and with `refused` if the source is suspended, or if the record is in a file of a checkout.
 */
export async function actOnStage(
  options: ControllerOptions,
  source: Source,
  action: StageAction,
): Promise<{ readonly version?: string }> {
  const { clock = systemClock, signal, env, config } = options;
  requireStack(source);
  await assertReconcilable(config, { source: source.name, now: clock.now() });
  const checkoutFolder = await mkdtemp(path.join(tmpdir(), "svc-stage-"));
  try {
    const context = {
      ...createContexts({ ...options, checkoutFolder })(source),
      signal: AbortSignal.any([
        AbortSignal.timeout(limits.controllerActionMs),
        ...(signal === undefined ? [] : [signal]),
      ]),
      clock,
    };
    const checkout = await checkouts(source.git?.url ?? "", () =>
      checkoutSource(source, { context, details: { diagnostics: [] } }),
    );
    const connection = connectionOf(source, env);
    const { login } = action;
    const isServer = login?.server === URL.parse(connection.url)?.origin;
    const stageOptions = {
      ...loadOptions(source, checkout?.folder ?? "", context),
      purpose: "compare" as const,
      connection,
      signal: context.signal,
      now: () => clock.now(),
      pipeline: action.pipeline,
      stage: action.stage,
      reason: action.reason,
      by: action.by,
      vouchedBy: "controller" as const,
      groups: isServer ? login?.groups : undefined,
    };
    return await records(stageOptions.connection.url, async () => {
      const loaded = await loadStack(stageOptions);
      const other = stackNameMismatch(source, loaded);
      if (other !== undefined) throw invalid([other]);
      if (loaded.desired === undefined) throw invalid(loaded.diagnostics);
      await requireSharedRecord(source, loaded.desired.stack, stageOptions);
      const done = await record(action, stageOptions);
      await refresh(source, { options: stageOptions, loaded, documents: context.documents });
      return done;
    });
  } finally {
    await rm(checkoutFolder, { recursive: true, force: true });
  }
}

type StageOptions = StageActionOptions & { readonly now: () => Date };

async function record(
  { action, version, reason = "" }: StageAction,
  options: StageOptions,
): Promise<{ readonly version?: string }> {
  switch (action) {
    case "hold-stage":
      accepted(await hold({ ...options, reason }));
      return {};
    case "release-stage":
      accepted(await release(options));
      return {};
    case "approve-version": {
      const approved = accepted(await approve({ ...options, version }));
      if (approved.unchanged !== undefined) throw new Failure("refused", approved.unchanged);
      return { version: approved.version };
    }
    default:
      return action satisfies never;
  }
}

/** Saves the pipelines as they are after the action. If they cannot be read now, the next reconciliation does. */
async function refresh(
  source: Source,
  {
    options,
    loaded,
    documents,
  }: {
    readonly options: StageOptions;
    readonly loaded: ResolveResult;
    readonly documents: Documents;
  },
): Promise<void> {
  try {
    const opened = await openSession(options, loaded);
    if (!opened.ok) return;
    await using session = opened.session;
    await savePromotions(documents, await readPromotions(source, session, options));
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
}

function accepted<T>(verdict: VerbResult<T>): T {
  if (verdict.ok) return verdict;
  throw invalid(verdict.diagnostics);
}

function invalid(diagnostics: VerbResult<object>["diagnostics"]): Failure {
  const error = diagnostics.find(({ severity }) => severity === "error");
  const why = error === undefined ? "" : `: ${error.summary}`;
  return new Failure("refused", `the manifests have errors${why}`);
}
