// Why a stage does not go on: a closed set of codes, each said in one sentence.
import { durationText } from "../reconciler/model/duration.ts";
import type { Stage } from "./pipeline.ts";
import type { StageRecord, Verification } from "./record.ts";
import type { StageObject } from "./snapshot.ts";

/** Every reason with what it means; docs/reference/pipelines.md explains them. */
export const reasonCodes = {
  held: "the stage is held",
  "needs-approval": "nobody has approved the version",
  "not-granted": "whoever runs svc has not let the stage go on by itself",
  "closed-window": "the stage must not change now",
  soaking: "the version has not run verified for long enough",
  unverified: "the stage before has not verified the version",
  stale: "the verification in the stage before is too old",
  withdrawn: "what the stage before had verified does not hold any more",
  "version-not-listed": "the server does not list the version",
  downgrade: "the stage runs something newer",
  failed: "the version did not pass",
  missing: "something in the stage is not there yet",
  "mixed-versions": "the stage runs several versions",
  "pending-apply": "the manifests pin the version, and it is not applied yet",
  "attempt-failed": "this run tried and failed",
} as const;

/** Why a stage does not go on. */
export interface BlockedReason {
  readonly code: keyof typeof reasonCodes;
  /** A sentence. */
  readonly message: string;
  /** ISO 8601: when that is over by itself; left out where it is not. */
  readonly until?: string;
}

/** True while a verification need not be done again. */
export function isVerificationValid(
  { at }: Verification,
  { validForMs }: Stage,
  now: Date,
): boolean {
  return validForMs === undefined || now.getTime() - Date.parse(at) < validForMs;
}

/** Of a version that did not pass. */
export function failedReason(stage: string, version: string): BlockedReason {
  return { code: "failed", message: `${version} did not pass in ${stage}` };
}

/** Of a stage that somebody holds. */
export function heldReason(
  stage: string,
  { by, at, reason }: NonNullable<StageRecord["hold"]>,
): BlockedReason {
  return { code: "held", message: `${stage} is held by ${by} since ${at}: ${reason}` };
}

/** Of a version that cannot be run any more, or not yet on the stage's channel. */
export function unlistedReason(stage: string, version: string): BlockedReason {
  const message = `${version} is not on the list of versions that ${stage} may run`;
  return { code: "version-not-listed", message };
}

/** Of a version that has not run verified for long enough. */
export function soakingReason(
  from: Stage,
  { version, since }: Verification,
  now: Date,
): BlockedReason {
  const until = new Date(Date.parse(since) + from.soakMs);
  const left = durationText(until.getTime() - now.getTime());
  const message = `${version} soaks in ${from.name} for ${left} more`;
  return { code: "soaking", message, until: until.toISOString() };
}

/** The first of some objects, and how many more, with a verb: `Kind/a and 3 more are`. */
export function addressesWithVerb(objects: readonly Pick<StageObject, "address">[]): string {
  const [first, ...more] = objects;
  const rest = more.length === 0 ? " is" : ` and ${more.length} more are`;
  return `${first?.address ?? "nothing"}${rest}`;
}
