// What a pipeline sees of the world: which objects each stage selects, what they run, and which versions they may run.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import type { Kind, ListedVersion, Releases, Sight } from "../../core/kind.ts";
import { nearest } from "../../core/names.ts";
import { createReader } from "../../lifecycle/reader.ts";
import { observeAll } from "../observe.ts";
import { refuseOtherOrigin } from "../origins.ts";
import type { Session } from "../session.ts";
import type { Wish } from "../model.ts";
import type { Pipeline, Stage } from "./pipeline.ts";

/** One object of a stage. */
export interface StageObject {
  /** `Kind/name`. */
  readonly address: string;
  /** What it is called on the server. */
  readonly key: string;
  readonly isThere: boolean;
  /** The version that it runs. */
  readonly version: string | undefined;
  /** The version that its document pins. */
  readonly pinned: string | undefined;
  /** The update channel that its document names. */
  readonly channel: string | undefined;
  /** Where it answers people. */
  readonly url: string | undefined;
}

/** One stage as it is now. */
export interface StageSight {
  readonly objects: readonly StageObject[];
  /** What its objects may run. */
  readonly versions: readonly ListedVersion[];
}

/** All stages by name. */
export type World = ReadonlyMap<string, StageSight>;

/** The wishes that a stage selects, in their order; only kinds that run versions. */
export function selected(stage: Stage, wishes: readonly Wish[]): readonly Wish[] {
  const releasing = wishes.filter(({ kind }) => kind.releases !== undefined);
  const { labels } = stage;
  if (labels === undefined) return releasing.filter(({ name }) => stage.names.includes(name));
  return releasing.filter((wish) =>
    Object.entries(labels).every(([name, value]) => wish.labels?.[name] === value),
  );
}

/** What is wrong with the selections of a stack's pipelines: an object is in one stage of one of them. */
export function selectionMistakes(
  pipelines: readonly Pipeline[],
  wishes: readonly Wish[],
): Diagnostic[] {
  const owner: Owners = new Map();
  return pipelines.flatMap((pipeline) => mistakesIn(pipeline, wishes, owner));
}

/** In which stage of which pipeline each object is, by address. */
type Owners = Map<string, { readonly pipeline: string; readonly stage: string }>;

function mistakesIn(pipeline: Pipeline, wishes: readonly Wish[], owner: Owners): Diagnostic[] {
  const names = wishes.flatMap(({ kind, name }) => (kind.releases === undefined ? [] : [name]));
  return pipeline.stages.flatMap((stage, index) => {
    const at = `/spec/stages/${index}`;
    const tell = (path: string, summary: string, remedy: string): Diagnostic => ({
      code: "pipeline-stage",
      severity: "error",
      address: `Pipeline/${pipeline.name}`,
      place: pipeline.document.locate(`${at}${path}`),
      path: `${at}${path}`,
      summary,
      remedy,
    });
    const taken = selected(stage, wishes);
    const unknown = stage.names.flatMap((name, place) => {
      if (names.includes(name)) return [];
      const meant = nearest(name, names);
      const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
      const summary = `the stack has no deployment "${name}" for the stage "${stage.name}"`;
      return [tell(`/deployments/names/${place}`, summary, `${guess}Name one by metadata.name.`)];
    });
    const none =
      unknown.length === 0 && taken.length === 0
        ? [tell("/deployments", `the stage "${stage.name}" selects nothing`, "Mend its labels.")]
        : [];
    const twice = taken.flatMap(({ address }) => {
      const other = owner.get(address) ?? { pipeline: pipeline.name, stage: stage.name };
      owner.set(address, other);
      const isOwn = other.pipeline === pipeline.name;
      if (isOwn && other.stage === stage.name) return [];
      const where = isOwn ? "" : ` of the pipeline "${other.pipeline}"`;
      const summary = `${address} is in the stage "${stage.name}" and in "${other.stage}"${where}`;
      return [tell("/deployments", summary, "Select it in one stage of one pipeline.")];
    });
    return [...unknown, ...none, ...twice, ...channelMistakes(stage, taken, tell)];
  });
}

function channelMistakes(
  { enters }: Stage,
  taken: readonly Wish[],
  tell: (path: string, summary: string, remedy: string) => Diagnostic,
): Diagnostic[] {
  if (!("channel" in enters)) return [];
  const channels = new Set(taken.flatMap(({ kind }) => kind.releases?.channels ?? []));
  if (channels.size === 0 || channels.has(enters.channel)) return [];
  const remedy = `The channels are ${[...channels].join(", ")}.`;
  return [tell("/enters/channel", `there is no update channel "${enters.channel}"`, remedy)];
}

/**
 * Reads what the objects of all stages run. Fails with `not_offered` where the server lists no versions, and with `refused` where
 * it is not the one that the stack was applied to.
 */
export async function lookAt(
  session: Session,
  pipeline: Pipeline,
  signal?: AbortSignal,
): Promise<World> {
  const stages = pipeline.stages.map((stage) => ({
    stage,
    wishes: selected(stage, session.desired.wishes),
  }));
  refuseOtherOrigin(await session.store.read(), session.client.origin);
  const reader = createReader(session.client.reader, { signal });
  const live = await observeAll(
    stages.flatMap(({ wishes }) =>
      wishes.map(({ kind, scope, key }) => {
        return { kind, scope, key, fields: [...kind.key, releasesOf(kind).field] };
      }),
    ),
    { reader, signal },
  );
  const seen = stages.map(async ({ stage, wishes }): Promise<[string, StageSight]> => {
    const found = wishes.map((wish) => ({
      wish,
      sight: live.get(wish.kind.name)?.byKey.get(wish.key),
    }));
    const first = found.find(({ sight }) => sight !== undefined);
    const versions =
      first?.sight === undefined
        ? []
        : await listed(session, first.wish.kind, { reader, sight: first.sight });
    return [
      stage.name,
      { versions, objects: found.map(({ wish, sight }) => objectOf(wish, sight)) },
    ];
  });
  return new Map(await Promise.all(seen));
}

/** How objects of a kind that a stage selects run versions. */
export function releasesOf({ releases, name }: Kind): Releases {
  invariant(releases !== undefined, `stages select ${name}, which runs no versions`);
  return releases;
}

async function listed(
  { offer }: Session,
  kind: Kind,
  { reader, sight }: { readonly reader: ReturnType<typeof createReader>; readonly sight: Sight },
): Promise<readonly ListedVersion[]> {
  const releases = releasesOf(kind);
  const missing = releases.needs.filter((operation) => !offer.has(operation));
  if (missing.length === 0) return releases.versions(reader, sight);
  throw new Failure("not_offered", "this server does not list the versions there are", {
    details: { operations: missing.map(({ id }) => id) },
    remedy: "promote on a server that offers it",
  });
}

function objectOf(wish: Wish, sight: Sight | undefined): StageObject {
  const releases = releasesOf(wish.kind);
  const [wished, live] = [wish.spec[releases.field], sight?.spec[releases.field]];
  return {
    address: wish.address,
    key: wish.key,
    isThere: sight !== undefined,
    version: textIn(live, "version"),
    pinned: textIn(wished, "version"),
    channel: textIn(wished, "channel"),
    url: sight && releases.url(sight),
  };
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** True where every object of the stage may run the version, each on the channel that its document names. */
export function isListed({ versions, objects }: StageSight, version: string): boolean {
  const channels = new Set(objects.map(({ channel }) => channel));
  return [...channels].every((channel) =>
    versions.some(
      (one) => one.version === version && (channel === undefined || one.channel === channel),
    ),
  );
}

/** Orders versions: negative where `left` is the older one. */
export function byVersion(left: string, right: string): number {
  const [mine, theirs] = [left, right].map((one) => one.split(".").map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (mine?.[index] ?? 0) - (theirs?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
