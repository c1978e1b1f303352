// What a pipeline sees of the snapshot: which objects each stage selects, what they run, and which versions they may run.
import { Failure, invariant } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Kind, ListedVersion, Releases, ObservedObject } from "../core/kind.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { observeAll } from "../reconciler/engine/observe.ts";
import { rejectOtherOrigin } from "../reconciler/operator/origins.ts";
import type { Session } from "../reconciler/verbs/session.ts";
import type { DesiredObject } from "../reconciler/model/index.ts";
import type { Pipeline } from "./pipeline.ts";
import { selectedObjects } from "./selection.ts";

/** One object of a stage. */
export interface StageObject {
  /** `Kind/name`. */
  readonly address: string;
  /** What it is called on the server. */
  readonly key: string;
  readonly exists: boolean;
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
export interface StageSnapshot {
  readonly objects: readonly StageObject[];
  /** What its objects may run. */
  readonly versions: readonly ListedVersion[];
}

/** All stages by name. */
export type PipelineSnapshot = ReadonlyMap<string, StageSnapshot>;

/**
 * Reads what the objects of all stages run. Fails with `not_offered` where the server lists no versions, and with `refused` where
 * it is not the one that the stack was applied to.
 */
export async function takeSnapshot(
  session: Session,
  pipeline: Pipeline,
  signal?: AbortSignal,
): Promise<PipelineSnapshot> {
  const stages = pipeline.stages.map((stage) => ({
    stage,
    objects: selectedObjects(stage, session.desired.objects),
  }));
  rejectOtherOrigin(await session.store.read(), session.client.origin);
  const reader = createCachedReader(session.client.reader, { signal });
  const live = await observeAll(
    stages.flatMap(({ objects }) =>
      objects.map(({ kind, scope, key }) => {
        return { kind, scope, key, fields: [...kind.key, releasesOf(kind).field] };
      }),
    ),
    { reader, signal },
  );
  const seen = stages.map(async ({ stage, objects }): Promise<[string, StageSnapshot]> => {
    const found = objects.map((declared) => ({
      declared,
      snapshot: live.get(declared.kind.name)?.byKey.get(declared.key),
    }));
    const first = found.find(({ snapshot }) => snapshot !== undefined);
    const versions =
      first?.snapshot === undefined
        ? []
        : await availableVersions(session, first.declared.kind, { reader, snapshot: first.snapshot });
    return [
      stage.name,
      { versions, objects: found.map(({ declared, snapshot }) => stageObject(declared, snapshot)) },
    ];
  });
  return new Map(await Promise.all(seen));
}

/** How objects of a kind that a stage selects run versions. */
export function releasesOf({ releases, name }: Kind): Releases {
  invariant(releases !== undefined, `stages select ${name}, which runs no versions`);
  return releases;
}

async function availableVersions(
  { apiDiscovery: offer }: Session,
  kind: Kind,
  {
    reader,
    snapshot,
  }: { readonly reader: ReturnType<typeof createCachedReader>; readonly snapshot: ObservedObject },
): Promise<readonly ListedVersion[]> {
  const releases = releasesOf(kind);
  const missing = releases.needs.filter((operation) => !offer.has(operation));
  if (missing.length === 0) return releases.versions(reader, snapshot);
  throw new Failure("not_offered", "this server does not list the versions there are", {
    details: { operations: missing.map(({ id }) => id) },
    remedy: "promote on a server that offers it",
  });
}

function stageObject(declared: DesiredObject, snapshot: ObservedObject | undefined): StageObject {
  const releases = releasesOf(declared.kind);
  const [wished, live] = [declared.spec[releases.field], snapshot?.spec[releases.field]];
  return {
    address: declared.address,
    key: declared.key,
    exists: snapshot !== undefined,
    version: textIn(live, "version"),
    pinned: textIn(wished, "version"),
    channel: textIn(wished, "channel"),
    url: snapshot && releases.url(snapshot),
  };
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** True where every object of the stage may run the version, each on the channel that its document names. */
export function isListed({ versions, objects }: StageSnapshot, version: string): boolean {
  const channels = new Set(objects.map(({ channel }) => channel));
  return [...channels].every((channel) =>
    versions.some(
      (one) => one.version === version && (channel === undefined || one.channel === channel),
    ),
  );
}

/** Orders versions: negative where `left` is the older one. */
export function compareVersions(left: string, right: string): number {
  const [mine, theirs] = [left, right].map((one) => one.split(".").map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (mine?.[index] ?? 0) - (theirs?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
