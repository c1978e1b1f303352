// What operators do to a source through commands and the API: it takes effect through documents of the state.
import { Failure } from "../core/errors.ts";
import { decideHeldPlan, type HeldPlan, type PlanDecision } from "./held-plans.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { suspensionIn } from "./controller-options.ts";
import { withSavedSources } from "./pattern-sources.ts";
import { documentsOf } from "./state-store.ts";
import { removeSuspension, saveSuspension, suspensionEnd, suspensionOf } from "./suspensions.ts";

/** A decision about a held plan of a source. */
export interface PlanDecisionRequest {
  readonly source: string;
  /** Id of the held plan. */
  readonly plan: string;
  readonly by: string;
  readonly reason?: string;
  readonly at: Date;
}

/** Approves a held plan. Fails with `usage`, `not_found` or `stale` if there is no such source or plan. */
export function approvePlan(
  config: ControllerConfig,
  request: PlanDecisionRequest,
): Promise<HeldPlan> {
  return decidePlan(config, "approved", request);
}

/**
 * Rejects a held plan, and withdraws its approval. Fails like {@link approvePlan}. The plan is not applied until an approval
 * replaces the rejection.
 */
export function rejectPlan(
  config: ControllerConfig,
  request: PlanDecisionRequest,
): Promise<HeldPlan> {
  return decidePlan(config, "rejected", request);
}

async function decidePlan(
  config: ControllerConfig,
  verdict: PlanDecision["verdict"],
  { source: name, at, ...decision }: PlanDecisionRequest,
): Promise<HeldPlan> {
  const source = await findSource(config, name);
  const made: PlanDecision = { ...decision, verdict, at: at.toISOString() };
  return decideHeldPlan(documentsOf(config, source), made);
}

/** A suspension of a source. */
export interface SuspensionRequest {
  readonly source: string;
  readonly by: string;
  readonly reason: string;
  /** A duration, a date or a time with an offset. */
  readonly expires: string;
  readonly now: Date;
}

/** Suspends a source, and returns the end in ISO 8601. Fails with `usage` for an unknown source or a wrong end. */
export async function suspendSource(
  config: ControllerConfig,
  request: SuspensionRequest,
): Promise<string> {
  const { source: name, by, reason, now } = request;
  const source = await findSource(config, name);
  const expires = suspensionEnd(request.expires, now);
  await saveSuspension(documentsOf(config, source), { by, reason, expires });
  return expires;
}

/**
 * Ends the suspension that an operator set. Fails with `usage` for an unknown source, with `not_found` if it is not suspended,
 * and with `refused` if the configuration suspends it.
 */
export async function resumeSource(
  config: ControllerConfig,
  { source: name, now }: { readonly source: string; readonly now: Date },
): Promise<void> {
  const source = await findSource(config, name);
  const documents = documentsOf(config, source);
  const suspension = await suspensionOf(source, documents, now);
  if (suspension === undefined) {
    const whole = (await suspensionIn(config, source, now)) && source.pattern;
    throw new Failure("not_found", `${name} is not suspended itself`, {
      ...(whole !== undefined && { remedy: `Resume ${whole}, whose sources are suspended.` }),
    });
  }
  await removeSuspension(documents);
  if (!suspension.configured) return;
  throw new Failure("refused", `the configuration suspends ${name} until ${suspension.expires}`, {
    remedy: "Remove suspend from the source in the configuration, and reload the controller.",
  });
}

/** Fails with `usage` for an unknown source, and with `refused` for one that is suspended: a request would wait for nothing. */
export async function assertReconcilable(
  config: ControllerConfig,
  { source: name, now }: { readonly source: string; readonly now: Date },
): Promise<void> {
  const suspension = await suspensionIn(config, await findSource(config, name), now);
  if (suspension === undefined) return;
  const { by, expires, reason } = suspension;
  throw new Failure("refused", `${name} is suspended by ${by} until ${expires}: ${reason}`, {
    remedy: "Resume it, or wait for the end of the suspension.",
  });
}

/** Returns a source by its name. Fails with `usage`. */
export async function findSource(config: ControllerConfig, name: string): Promise<Source> {
  const named = (sources: readonly Source[]) => sources.find((one) => one.name === name);
  const live = named(config.sources);
  if (live !== undefined) return live;
  // The configuration of a command has only the patterns.
  const { sources } = await withSavedSources(config);
  const saved = named(sources);
  if (saved !== undefined) return saved;
  const names = sources.map((one) => one.name).join(", ");
  throw new Failure("usage", `the controller has no source ${name}`, {
    remedy: `The sources are ${names}.`,
  });
}
