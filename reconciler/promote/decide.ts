// What a pipeline is to do next, and why not more: a pure function of its document, its record, the world and the clock.
import { invariant } from "../../core/errors.ts";
import type { Basis, Terms } from "./basis.ts";
import { candidateOf, runningIn, stageNamed } from "./candidate.ts";
import type { Stage } from "./pipeline.ts";
import { failedIn, heldBy, isFresh, named, offList, type Reason } from "./reasons.ts";
import { type Rollout, type StageRecord, stageRecord, targetOf, verificationOf } from "./record.ts";
import { type Target, targetBack, unlistedBack } from "./way-back.ts";
import { byVersion, isListed, type StageObject, type StageSight } from "./world.ts";

/** A version begins to come in. */
export interface Start extends Target {
  readonly do: "start";
  readonly stage: string;
  readonly cause: Rollout["cause"];
}

/** Some objects of a stage are to move to a version, or are checked with it. */
export interface Batch {
  readonly do: "move" | "verify";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** Some objects pin a version that is not to come in any more, and do not run it yet: they pin again what they run. */
export interface Revert {
  readonly do: "revert";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** All of a stage runs the version and has passed. */
export interface Finish {
  readonly do: "finish";
  readonly stage: string;
  readonly version: string;
}

/** One thing that may be done now. */
export type Step = Start | Batch | Revert | Finish;

/** What is to be said of one stage. */
export interface StageDecision {
  readonly stage: string;
  /** What would come in next; undefined where nothing would. */
  readonly candidate: string | undefined;
  /** What may be done at once. */
  readonly step: Step | undefined;
  /** Why it does not go on; empty where it does, or where there is nothing to go on to. */
  readonly reasons: readonly Reason[];
}

/** What each stage is to do next, in their order. */
export function decide(basis: Basis): readonly StageDecision[] {
  return basis.pipeline.stages.map((stage) => decideStage(stage, basis));
}

interface Here {
  readonly stage: Stage;
  readonly sight: StageSight;
  readonly known: StageRecord;
  readonly basis: Basis;
}

type Told = Pick<StageDecision, "step" | "reasons"> & {
  /** What is under way cannot come to its end. */
  readonly isLost?: boolean;
};

function decideStage(stage: Stage, basis: Basis): StageDecision {
  const { record, world, terms } = basis;
  const sight = world.get(stage.name);
  invariant(sight !== undefined, "every stage was looked at");
  const found = candidateOf(stage, basis);
  const about = { stage: stage.name, candidate: found.version };
  const missing = sight.objects.filter(({ isThere }) => !isThere);
  if (missing.length > 0) {
    const said = `${named(missing)} not there yet: apply the stack first`;
    return { ...about, ...because({ code: "missing", said }) };
  }
  const given = terms.inVain.get(stage.name);
  if (given !== undefined) return { ...about, ...because(given) };
  const here: Here = { stage, sight, known: stageRecord(record, stage.name), basis };
  const { rollout } = here.known;
  const { isLost, ...now } = rollout === undefined ? resting(here) : underWay(here, rollout);
  // Another version may come in where nothing is under way, or what is has failed or is lost.
  const isOpen = rollout === undefined || rollout.failedAt !== undefined || isLost === true;
  if (now.step !== undefined || !isOpen) return { ...about, ...now };
  const { version } = found;
  if (version === undefined || version === runningIn(sight) || version === rollout?.version) {
    return { ...about, ...because(...now.reasons, ...heldReasons(here), ...found.notes) };
  }
  const against = entryReasons(here, version);
  if (against.length > 0)
    return { ...about, ...because(...now.reasons, ...against, ...found.notes) };
  return { ...about, ...doing({ do: "start", stage: stage.name, version, cause: "candidate" }) };
}

function doing(step: Step): Told {
  return { step, reasons: [] };
}

function because(...reasons: readonly Reason[]): Told {
  return { step: undefined, reasons };
}

/** Nothing is under way: what runs is verified where that is not known, not fresh, or did not pass: by every run anew. */
function resting(here: Here): Told {
  const { stage, sight, known, basis } = here;
  const running = runningIn(sight);
  if (running === undefined) {
    const versions = [...new Set(sight.objects.map(({ version }) => version ?? "no version"))];
    const said = `${stage.name} runs ${versions.toSorted().join(", ")} side by side`;
    return because({ code: "mixed", said });
  }
  const verified = verificationOf(known, running);
  const addresses = sight.objects.map(({ address }) => address);
  const again = doing({ do: "verify", stage: stage.name, version: running, addresses });
  if (verified === undefined || !isFresh(verified, stage, basis.terms.now)) return again;
  if (verified.passed) return because();
  const failed = failedIn(stage.name, running);
  if (!basis.terms.looked.has(stage.name)) return { ...again, reasons: [failed] };
  return wayBack(here, running, failed);
}

/** What a stage runs, or what was coming in, where that did not pass; undefined where all is well. */
export function failedNow({ name }: Stage, { record, world }: Basis): string | undefined {
  const known = stageRecord(record, name);
  const { rollout } = known;
  if (rollout !== undefined) return rollout.failedAt === undefined ? undefined : rollout.version;
  const sight = world.get(name);
  const running = sight && runningIn(sight);
  if (running === undefined) return undefined;
  return verificationOf(known, running)?.passed === false ? running : undefined;
}

/** A rollout goes on: what runs the version is verified first, then the next ones move. */
function underWay(here: Here, rollout: Rollout): Told {
  const { stage, sight } = here;
  const { version } = rollout;
  const target = ({ address }: StageObject): string => targetOf(rollout, address);
  const isWaiting = (one: StageObject): boolean =>
    rollout.way === "write" && one.pinned === target(one) && one.version !== target(one);
  const waiting = sight.objects.filter(isWaiting);
  if (rollout.failedAt !== undefined) return orRevert(afterFailure(here, rollout), here, waiting);
  const about = { stage: stage.name, version };
  // What runs it while its document says something else goes away again with the next apply.
  const isThere = (one: StageObject): boolean =>
    one.version === target(one) && (rollout.way === "direct" || one.pinned === target(one));
  const isUnchecked = (one: StageObject): boolean =>
    isThere(one) && !rollout.checked.includes(one.address);
  const unchecked = alike(sight.objects.filter(isUnchecked), target);
  if (unchecked !== undefined) return doing({ do: "verify", stage: stage.name, ...unchecked });
  const remaining = sight.objects.filter((one) => !isThere(one));
  if (remaining.length === 0) return doing({ do: "finish", ...about });
  const rest = remaining.filter((one) => !isWaiting(one));
  const [gone] = rollout.cause === "rollback" ? [] : goneReasons(here, version);
  if (gone !== undefined)
    return { ...orRevert(wayBack(here, version, gone), here, waiting), isLost: true };
  const lapsed = lapsedReasons(here, rollout);
  if (lapsed.length > 0) return orRevert(because(...lapsed), here, waiting);
  const against = goingOnReasons(here, rollout);
  const room = roomFor(here, rollout) - waiting.length;
  if (against.length > 0 || rest.length === 0 || room <= 0) {
    return because(...against, ...waitReason(waiting, version));
  }
  const next = alike(rest, target);
  if (next === undefined) return because();
  const addresses = next.addresses.slice(0, room);
  return doing({ do: "move", stage: stage.name, version: next.version, addresses });
}

/** The first of some objects, with those that come to the same version. */
function alike(
  objects: readonly StageObject[],
  target: (one: StageObject) => string,
): Pick<Batch, "version" | "addresses"> | undefined {
  const [first] = objects;
  if (first === undefined) return undefined;
  const version = target(first);
  const all = objects.filter((one) => target(one) === version);
  return { version, addresses: all.map(({ address }) => address) };
}

/** What is written and not applied is taken back where nothing else is done: the next apply would bring it in all the same. */
function orRevert(told: Told, { stage, known }: Here, waiting: readonly StageObject[]): Told {
  // What a way back has written is better than what still runs.
  if (known.rollout?.cause === "rollback") return told;
  const written = waiting.filter((one) => one.version !== undefined);
  const version = written[0]?.pinned;
  if (told.step !== undefined || version === undefined) return told;
  const addresses = written.map(({ address }) => address);
  return { ...told, step: { do: "revert", stage: stage.name, version, addresses } };
}

/** How many may change at once. A rollback takes all back that have moved: they are no more than that. */
function roomFor({ stage, sight }: Here, { cause }: Rollout): number {
  const { atOnce } = stage;
  if (cause === "rollback") return sight.objects.length;
  if ("count" in atOnce) return atOnce.count;
  return Math.max(1, Math.floor((sight.objects.length * atOnce.percent) / 100));
}

function waitReason(waiting: readonly StageObject[], version: string): Reason[] {
  if (waiting.length === 0) return [];
  const said = `the manifests pin ${version}, and ${named(waiting)} not applied yet`;
  return [{ code: "waits-for-apply", said }];
}

function afterFailure(here: Here, { version, cause }: Rollout): Told {
  const failed = failedIn(here.stage.name, version);
  return cause === "rollback" ? because(failed) : wayBack(here, version, failed);
}

/** Back to what was verified before, where the stage says so and nothing stands against it. */
function wayBack({ stage, sight, known, basis }: Here, version: string, failed: Reason): Told {
  if (stage.onFailure === "stop") return because(failed);
  const back = targetBack({ sight, known }, version);
  if (back === undefined) {
    const gone = unlistedBack(stage.name, { sight, known }, version);
    if (gone !== undefined) return because(failed, gone);
    const said = `${failed.said}, and nothing else is verified there to go back to`;
    return because({ ...failed, said });
  }
  const closed = basis.terms.closed(stage, "rollback");
  if (closed !== undefined) return because(failed, closed);
  return doing({ do: "start", stage: stage.name, cause: "rollback", ...back });
}

/** What keeps a rollout from moving more; a way back is kept by nothing but the list and the operator. */
function goingOnReasons({ stage, sight, known, basis }: Here, rollout: Rollout): Reason[] {
  const { version, cause } = rollout;
  if (!isListed(sight, version)) return [offList(stage.name, version)];
  const closed = basis.terms.closed(stage, cause);
  return [
    ...(cause === "rollback" || known.hold?.version === version
      ? []
      : heldReasons({ stage, known })),
    ...(closed === undefined ? [] : [closed]),
  ];
}

/** Why a version that was let in is not to go on until that is mended: what let it in does not hold any more. */
function lapsedReasons({ stage, known, basis }: Here, { version, cause }: Rollout): Reason[] {
  if (cause === "rollback") return [];
  const { terms, record } = basis;
  const needs = stage.isAutomatic ? [] : admission(stage, known, { version, terms });
  if (!("stage" in stage.enters) || verificationOf(known, version)?.passed === true) return needs;
  const from = stageNamed(basis, stage.enters.stage);
  const upstream = verificationOf(stageRecord(record, from.name), version);
  const isLate = upstream !== undefined && !isFresh(upstream, from, terms.now);
  const said = `the verification of ${version} in ${from.name} is too old`;
  return isLate ? [{ code: "stale", said }, ...needs] : needs;
}

/** Why a version that was let in may not be moved to any more, for good. */
function goneReasons({ stage, sight, basis }: Here, version: string): Reason[] {
  if (!isListed(sight, version)) return [offList(stage.name, version)];
  return withdrawn({ stage, basis }, version);
}

/** A version that failed upstream since it was promised. */
export function withdrawn(
  { stage, basis }: { readonly stage: Stage; readonly basis: Pick<Basis, "record"> },
  version: string,
): Reason[] {
  if (!("stage" in stage.enters)) return [];
  const from = stage.enters.stage;
  const upstream = verificationOf(stageRecord(basis.record, from), version);
  if (upstream === undefined || upstream.passed) return [];
  return [{ code: "withdrawn", said: `${version} does not pass in ${from} any more` }];
}

function heldReasons({ stage, known }: Pick<Here, "stage" | "known">): Reason[] {
  return known.hold === undefined ? [] : [heldBy(stage.name, known.hold)];
}

/** What keeps a candidate from coming in. */
function entryReasons({ stage, known, sight, basis }: Here, version: string): Reason[] {
  const { terms } = basis;
  const closed = terms.closed(stage, "candidate");
  const own = verificationOf(known, version);
  return [
    ...heldReasons({ stage, known }),
    ...(own === undefined || own.passed ? [] : [failedIn(stage.name, version)]),
    ...olderReason(stage, sight, version),
    ...admission(stage, known, { version, terms }),
    ...(closed === undefined ? [] : [closed]),
  ];
}

function olderReason(stage: Stage, { objects }: StageSight, version: string): Reason[] {
  const newest = objects
    .flatMap((one) => one.version ?? [])
    .toSorted(byVersion)
    .at(-1);
  if (newest === undefined || byVersion(version, newest) >= 0) return [];
  const said = `${stage.name} runs ${newest}, which is newer than ${version}`;
  return [{ code: "older", said }];
}

function admission(
  stage: Stage,
  known: StageRecord,
  { version, terms }: { readonly version: string; readonly terms: Terms },
): Reason[] {
  if (known.approvals.some((one) => one.version === version)) return [];
  if (!stage.isAutomatic) {
    return [{ code: "needs-approval", said: `nobody has approved ${version} for ${stage.name}` }];
  }
  if (terms.mayBeAutomatic(stage.name)) return [];
  const said = `${stage.name} is automatic, and whoever runs svc has not granted it that`;
  return [{ code: "not-granted", said }];
}
