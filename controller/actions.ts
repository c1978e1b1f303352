// What operators do to a source through commands and the API: it takes effect through files in the state folder.
import { Failure } from "../core/errors.ts";
import { decideHeldPlan, type HeldPlan, type PlanDecision } from "./approvals.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { folderOf, suspensionIn } from "./controller-options.ts";
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
export function approvePlan(config: ControllerConfig, request: PlanDecisionRequest): HeldPlan {
  return decidePlan(config, "approved", request);
}

/**
 * Rejects a held plan, and withdraws its approval. Fails like {@link approvePlan}. The plan is not applied until an approval
 * replaces the rejection.
 */
export function rejectPlan(config: ControllerConfig, request: PlanDecisionRequest): HeldPlan {
  return decidePlan(config, "rejected", request);
}

function decidePlan(
  config: ControllerConfig,
  verdict: PlanDecision["verdict"],
  { source: name, at, ...decision }: PlanDecisionRequest,
): HeldPlan {
  const source = findSource(config, name);
  const made: PlanDecision = { ...decision, verdict, at: at.toISOString() };
  return decideHeldPlan(folderOf(config, source), made);
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
export function suspendSource(config: ControllerConfig, request: SuspensionRequest): string {
  const { source: name, by, reason, now } = request;
  const source = findSource(config, name);
  const expires = suspensionEnd(request.expires, now);
  saveSuspension(folderOf(config, source), { by, reason, expires });
  return expires;
}

/**
 * Ends the suspension that an operator set. Fails with `usage` for an unknown source, with `not_found` if it is not suspended,
 * and with `refused` if the configuration suspends it.
 */
export function resumeSource(
  config: ControllerConfig,
  { source: name, now }: { readonly source: string; readonly now: Date },
): void {
  const source = findSource(config, name);
  const folder = folderOf(config, source);
  const suspension = suspensionOf(source, folder, now);
  if (suspension === undefined) {
    const whole = suspensionIn(config, source, now) && source.pattern;
    throw new Failure("not_found", `${name} is not suspended itself`, {
      ...(whole !== undefined && { remedy: `Resume ${whole}, whose sources are suspended.` }),
    });
  }
  removeSuspension(folder);
  if (!suspension.configured) return;
  throw new Failure("refused", `the configuration suspends ${name} until ${suspension.expires}`, {
    remedy: "Remove suspend from the source in the configuration, and reload the controller.",
  });
}

/** Fails with `usage` for an unknown source, and with `refused` for one that is suspended: a request would wait for nothing. */
export function assertReconcilable(
  config: ControllerConfig,
  { source: name, now }: { readonly source: string; readonly now: Date },
): void {
  const suspension = suspensionIn(config, findSource(config, name), now);
  if (suspension === undefined) return;
  const { by, expires, reason } = suspension;
  throw new Failure("refused", `${name} is suspended by ${by} until ${expires}: ${reason}`, {
    remedy: "Resume it, or wait for the end of the suspension.",
  });
}

/** Returns a source by its name. Fails with `usage`. */
export function findSource(config: ControllerConfig, name: string): Source {
  const source = config.sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = config.sources.map((one) => one.name).join(", ");
  throw new Failure("usage", `the controller has no source ${name}`, {
    remedy: `The sources are ${names}.`,
  });
}
