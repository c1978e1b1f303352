// Which version would come into a stage next: a channel's newest, or the newest that the stage before has promised.
import { invariant } from "../core/errors.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import {
  isVerificationValid,
  unlistedReason,
  type BlockedReason,
  soakingReason,
} from "./blocked-reasons.ts";
import { stageRecord, type Verification } from "./record.ts";
import { compareVersions, isListed, type StageSnapshot } from "./snapshot.ts";

/** What would come in, and what is to be said of what would not. */
export interface Candidate {
  readonly version: string | undefined;
  readonly skippedReasons: readonly BlockedReason[];
}

/** The one version that all objects of a stage run; undefined where there are several, or none. */
export function runningVersion({ objects }: StageSnapshot): string | undefined {
  const [first, ...others] = new Set(objects.map(({ version }) => version));
  return others.length === 0 ? first : undefined;
}

/** The candidate of a stage. */
export function candidateOf(stage: Stage, input: DecisionInput): Candidate {
  const stageSnapshot = input.snapshot.get(stage.name);
  invariant(stageSnapshot !== undefined, "every stage was looked at");
  const { enters } = stage;
  if ("channel" in enters) {
    const head = stageSnapshot.versions.find(
      (one) => one.channel === enters.channel && one.isNewestInChannel,
    )?.version;
    if (head === undefined || isListed(stageSnapshot, head)) return { version: head, skippedReasons: [] };
    return { version: undefined, skippedReasons: [unlistedReason(stage.name, head)] };
  }
  return newestPromotable(stage, stageSnapshot, { from: getStage(input, enters.stage), input });
}

/** The newest promised version that the stage may run; newer ones that it may not are told. */
function newestPromotable(
  stage: Stage,
  snapshot: StageSnapshot,
  { from, input }: { readonly from: Stage; readonly input: DecisionInput },
): Candidate {
  const { now } = input.context;
  const running = runningVersion(snapshot);
  const isNews = ({ version }: Verification): boolean =>
    running === undefined || compareVersions(version, running) > 0;
  const verified = stageRecord(input.record, from.name)
    .verified.filter(({ passed }) => passed)
    .toSorted((left, right) => compareVersions(right.version, left.version));
  const notes: BlockedReason[] = [];
  for (const one of verified) {
    const reason = notPromotableReason(from, one, now);
    if (reason === undefined && isListed(snapshot, one.version)) {
      return { version: one.version, skippedReasons: notes };
    }
    if (isNews(one)) notes.push(reason ?? unlistedReason(stage.name, one.version));
  }
  return { version: undefined, skippedReasons: notes };
}

/** Why a stage does not promise a version that has passed there; undefined where it does. */
export function notPromotableReason(
  from: Stage,
  one: Verification,
  now: Date,
): BlockedReason | undefined {
  const { version } = one;
  if (!isVerificationValid(one, from, now)) {
    const message = `the verification of ${version} in ${from.name} is too old`;
    return { code: "stale", message };
  }
  const soakedUntil = Date.parse(one.leftAt ?? now.toISOString());
  if (soakedUntil - Date.parse(one.since) >= from.soakMs) return undefined;
  if (one.leftAt === undefined) return soakingReason(from, one, now);
  const message = `${version} left ${from.name} before it had soaked there`;
  return { code: "unverified", message };
}

/** The stage of this name, which the reading of the document has made sure of. */
export function getStage({ pipeline }: Pick<DecisionInput, "pipeline">, name: string): Stage {
  const found = pipeline.stages.find((one) => one.name === name);
  invariant(found !== undefined, "a stage that another one names is there");
  return found;
}
