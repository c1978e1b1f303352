// Reasons that block a stage: a closed set of codes, each with a message.
import { durationText } from "../core/text/duration.ts";
import { foldMessages } from "./fold-messages.ts";
import type { Stage } from "./pipeline.ts";
import type { Verification } from "./record.ts";
import type { StageObject, StageSnapshot } from "./snapshot.ts";
import { nextCheck, soakEnd } from "./soak.ts";

/** Every reason code with its meaning. docs/reference/pipelines.md explains them. */
export const reasonCodes = {
  held: "the stage is held",
  "needs-approval": "the version is not approved for the stage",
  "needs-request": "the next change of the promotion waits for a pull request",
  "not-granted": "the operator has not granted the stage automatic promotion",
  "closed-window": "a maintenance window or freeze blocks the stage",
  soaking: "the version has not completed its soak time",
  unverified: "the stage before has not verified the version",
  stale: "the verification in the stage before expired",
  withdrawn: "the version failed in the stage before after it was verified there",
  "version-not-listed": "the server does not list the version for a channel of the stage",
  downgrade: "the stage runs a newer version",
  "not-candidate": "svc promotes another version, or none, unless someone names this one",
  failed: "the version failed its checks",
  "rolled-back": "someone rolled the stage back from the version",
  missing: "an object of the stage does not exist yet",
  "mixed-versions": "the stage runs several versions",
  "pending-apply": "the manifests pin the version, but it is not applied yet",
  "not-confirmed": "the step was not confirmed in this run",
  "attempt-failed": "the step failed in this run",
} as const;

/** A reason why a stage is blocked. */
export interface BlockedReason {
  readonly code: keyof typeof reasonCodes;
  /** A sentence. */
  readonly message: string;
  /** ISO 8601: when the reason ends without an action. Left out if it does not. */
  readonly until?: string;
  /** The remedy, with its command. */
  readonly remedy?: string;
  /** The end of the output of each command that failed. */
  readonly outputs?: readonly { readonly check: string; readonly output: string }[];
}

/** A version that failed, and how to verify it again. */
export interface FailedVersion {
  readonly stage: string;
  readonly version: string;
  /** The results of its last checks. */
  readonly evidence: readonly Verification["evidence"][number][];
  /** The command that verifies it again. */
  readonly retry: string;
}

/** Returns the reason for a version that failed its checks. */
export function failedReason({ retry, ...failed }: FailedVersion): BlockedReason {
  const message = failureText(failed);
  if (isRolledBack({ passed: false, evidence: failed.evidence }))
    return { code: "rolled-back", message, remedy: `Promote it again: ${retry}` };
  const outputs = failed.evidence.flatMap(({ check, output }) =>
    output === undefined ? [] : { check, output },
  );
  const remedy = `Fix what failed, then verify it again: ${retry}`;
  return { code: "failed", message, remedy, ...(outputs.length > 0 && { outputs }) };
}

/** Says why a version no longer passes in a stage: a rollback by a person, or the checks that failed. */
export function failureText({ stage, version, evidence }: Omit<FailedVersion, "retry">): string {
  const checks = failedChecksText(evidence);
  return isRolledBack({ passed: false, evidence })
    ? `${stage} was ${checks.replace(/^rolled back/u, `rolled back from ${version}`)}`
    : `${version} did not pass in ${stage}${checks === "" ? "" : `: ${checks}`}`;
}

/** The check in the evidence of a version that a rollback left. */
export const rollbackCheck = "rollback";

/** Formats the first of the checks that failed: `GET https://shop.example answered 500, expected 200`. */
function failedChecksText(evidence: FailedVersion["evidence"]): string {
  const failed = evidence.filter(({ passed }) => !passed);
  return foldMessages(
    // The message of a rollback is a sentence without the name of the check.
    failed.map(({ check, message }) => ({
      subject: check === rollbackCheck ? "" : check,
      message,
    })),
  );
}

/** Returns whether a version passed, or was never checked, and a person rolled it back. */
export function isRolledBack({
  passed,
  evidence,
}: Pick<Verification, "passed"> & Pick<FailedVersion, "evidence">): boolean {
  const failed = evidence.filter((one) => !one.passed);
  return !passed && failed.length > 0 && failed.every(({ check }) => check === rollbackCheck);
}

/** Returns the reason for a version that is not listed, or not on the channel that an object of the stage follows. */
export function unlistedReason(
  stage: string,
  version: string,
  { versions, objects, candidates }: StageSnapshot,
): BlockedReason {
  const listed = versions.filter((one) => one.version === version).map(({ channel }) => channel);
  const outside = objects.filter(
    ({ channel }) => channel !== undefined && !listed.includes(channel),
  );
  const [first] = outside;
  const isElsewhere = first !== undefined && listed.length > 0;
  const follows =
    outside.length > 1
      ? ` and ${outside.length - 1} more take their versions`
      : " takes its versions";
  const why = isElsewhere
    ? `${first.address}${follows} from the channel ${first.channel}, and the server lists ${version} for ${listed.join(", ")}`
    : candidates.unlistedText;
  return { code: "version-not-listed", message: `${stage} may not run ${version}: ${why}` };
}

/** Returns the reason for a stage that runs a version without a place in the order, so that nothing is newer. */
export function unplacedReason(
  stage: string,
  version: string,
  { candidates }: Pick<StageSnapshot, "candidates">,
): BlockedReason {
  const message = `${stage} runs ${version}, and ${candidates.unlistedText}, so nothing is known to be newer`;
  const remedy = "Promote what the stage shall run by name, with --to and --version.";
  return { code: "version-not-listed", message, remedy };
}

/** Returns the reason for a version in its soak time. */
export function soakingReason(from: Stage, verification: Verification, now: Date): BlockedReason {
  const { version, failures } = verification;
  const end = Math.max(soakEnd(from, verification), nextCheck(from, verification) ?? 0);
  const failed =
    failures === undefined ? "" : `; ${failures} of ${from.failureLimit} failed checks tolerated`;
  const left = end - now.getTime();
  if (left <= 0) {
    const message = `${version} has soaked in ${from.name}, where its last checks are due${failed}`;
    return { code: "soaking", message, remedy: "The next `svc promote run` runs them." };
  }
  const message = `${version} soaks in ${from.name} for another ${durationText(left)}${failed}`;
  return { code: "soaking", message, until: new Date(end).toISOString() };
}

/** Formats the first of some objects, the number of others and a verb: `Kind/a and 3 more are`. */
export function addressesWithVerb(objects: readonly Pick<StageObject, "address">[]): string {
  const [first, ...more] = objects;
  const rest = more.length === 0 ? " is" : ` and ${more.length} more are`;
  return `${first?.address ?? "nothing"}${rest}`;
}
