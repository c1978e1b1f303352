// Which version would come into a stage next: a channel's newest, or the newest that the stage before has promised.
import { invariant } from "../../core/errors.ts";
import type { Basis } from "./basis.ts";
import type { Stage } from "./pipeline.ts";
import { isFresh, offList, type Reason, soaksIn } from "./reasons.ts";
import { stageRecord, type Verification } from "./record.ts";
import { byVersion, isListed, type StageSight } from "./world.ts";

/** What would come in, and what is to be said of what would not. */
export interface Candidate {
  readonly version: string | undefined;
  readonly notes: readonly Reason[];
}

/** The one version that all objects of a stage run; undefined where there are several, or none. */
export function runningIn({ objects }: StageSight): string | undefined {
  const [first, ...others] = new Set(objects.map(({ version }) => version));
  return others.length === 0 ? first : undefined;
}

/** The candidate of a stage. */
export function candidateOf(stage: Stage, basis: Basis): Candidate {
  const sight = basis.world.get(stage.name);
  invariant(sight !== undefined, "every stage was looked at");
  const { enters } = stage;
  if ("channel" in enters) {
    const head = sight.versions.find(
      (one) => one.channel === enters.channel && one.isNewestInChannel,
    )?.version;
    if (head === undefined || isListed(sight, head)) return { version: head, notes: [] };
    return { version: undefined, notes: [offList(stage.name, head)] };
  }
  return promised(stage, sight, { from: stageNamed(basis, enters.stage), basis });
}

/** The newest promised version that the stage may run; newer ones that it may not are told. */
function promised(
  stage: Stage,
  sight: StageSight,
  { from, basis }: { readonly from: Stage; readonly basis: Basis },
): Candidate {
  const { now } = basis.terms;
  const running = runningIn(sight);
  const isNews = ({ version }: Verification): boolean =>
    running === undefined || byVersion(version, running) > 0;
  const verified = stageRecord(basis.record, from.name)
    .verified.filter(({ passed }) => passed)
    .toSorted((left, right) => byVersion(right.version, left.version));
  const notes: Reason[] = [];
  for (const one of verified) {
    const reason = unpromised(from, one, now);
    if (reason === undefined && isListed(sight, one.version)) {
      return { version: one.version, notes };
    }
    if (isNews(one)) notes.push(reason ?? offList(stage.name, one.version));
  }
  return { version: undefined, notes };
}

/** Why a stage does not promise a version that has passed there; undefined where it does. */
export function unpromised(from: Stage, one: Verification, now: Date): Reason | undefined {
  const { version } = one;
  if (!isFresh(one, from, now)) {
    const said = `the verification of ${version} in ${from.name} is too old`;
    return { code: "stale", said };
  }
  const soakedUntil = Date.parse(one.leftAt ?? now.toISOString());
  if (soakedUntil - Date.parse(one.since) >= from.soakMs) return undefined;
  if (one.leftAt === undefined) return soaksIn(from, one, now);
  const said = `${version} left ${from.name} before it had soaked there`;
  return { code: "unverified", said };
}

/** The stage of this name, which the reading of the document has made sure of. */
export function stageNamed({ pipeline }: Pick<Basis, "pipeline">, name: string): Stage {
  const found = pipeline.stages.find((one) => one.name === name);
  invariant(found !== undefined, "a stage that another one names is there");
  return found;
}
