// Reads the live state that a pipeline decides on: the objects of each stage, their versions, and the versions they may run.
import { Failure, invariant } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { Kind, ObservedObject, Reader, Releases } from "../core/kind/kind.ts";
import type { ListedVersion } from "../core/kind/releases.ts";
import { memberAt, splitPointer } from "../core/pointer.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { observeAll, rejectOtherOrigin, type Session } from "../reconciler/sessions.ts";
import { type CandidateKind, candidateKinds } from "./candidate-kinds.ts";
import type { Pipeline } from "./pipeline.ts";
import { selectedObjects } from "./selection.ts";
import type { DesiredObject } from "../reconciler/index.ts";

/** One object of a stage. */
export interface StageObject {
  /** `Kind/name`. */
  readonly address: string;
  /** Name on the server. */
  readonly key: string;
  readonly exists: boolean;
  /** ID on the server. */
  readonly id?: string;
  /** The running version. */
  readonly version: string | undefined;
  /** The version that its document pins. */
  readonly pinned: string | undefined;
  /** The update channel that its document names. */
  readonly channel: string | undefined;
  /** URL of the deployment. */
  readonly url: string | undefined;
}

/** The live state of one stage. */
export interface StageSnapshot {
  readonly objects: readonly StageObject[];
  readonly candidates: CandidateKind;
  /** Versions that the server lists for its objects. */
  readonly versions: readonly ListedVersion[];
}

/** The live state of all stages, by name. */
export type PipelineSnapshot = ReadonlyMap<string, StageSnapshot>;

/**
 * Reads the versions of all stages. Fails with `not_offered` if the server lists no versions, and with `refused` if
 * the stack was applied to another server.
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
  rejectOtherOrigin(await session.store.read(), session);
  const reader = createCachedReader(session.client.reader, { signal });
  const live = await observeReleases(
    stages.flatMap(({ objects }) => objects),
    { reader, signal },
  );
  const seen = stages.map(async ({ stage, objects }): Promise<[string, StageSnapshot]> => {
    const found = objects.map((declared) => ({
      declared,
      snapshot: live.get(declared.kind.name)?.byKey.get(declared.key),
    }));
    const first = found.find(({ snapshot }) => snapshot !== undefined);
    const candidates = candidateKinds[stage.candidates];
    const versions =
      first?.snapshot === undefined
        ? []
        : await availableVersions(session, first.declared.kind, {
            reader,
            snapshot: first.snapshot,
          });
    const all = found.map(({ declared, snapshot }) => stageObject(declared, snapshot, reader));
    return [stage.name, { candidates, versions, objects: await Promise.all(all) }];
  });
  return new Map(await Promise.all(seen));
}

/** Reads the live state of every object of a stack that runs platform versions. */
export async function releasingObjects(
  { desired, client }: Session,
  signal: AbortSignal | undefined,
): Promise<readonly StageObject[]> {
  const objects = desired.objects.filter(({ kind }) => kind.releases?.candidates === "versions");
  const reader = createCachedReader(client.reader, { signal });
  const live = await observeReleases(objects, { reader, signal });
  const all = objects.map((declared) =>
    stageObject(declared, live.get(declared.kind.name)?.byKey.get(declared.key), reader),
  );
  return Promise.all(all);
}

function observeReleases(
  objects: readonly DesiredObject[],
  how: Parameters<typeof observeAll>[1],
): ReturnType<typeof observeAll> {
  const wanted = objects.map(({ kind, scope, key }) => {
    const [field = ""] = splitPointer(releasesOf(kind).versionAt);
    return { kind, scope, key, fields: [...kind.key, field] };
  });
  return observeAll(wanted, how);
}

/** Returns how a kind runs versions. */
export function releasesOf({ releases, name }: Kind): Releases {
  invariant(releases !== undefined, `only kinds with versions are selected, not ${name}`);
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
  throw new Failure("not_offered", "this server does not list the available versions", {
    details: { operations: missing.map(({ id }) => id) },
    remedy: "Promote on a server that lists versions.",
  });
}

async function stageObject(
  declared: DesiredObject,
  snapshot: ObservedObject | undefined,
  reader: Reader,
): Promise<StageObject> {
  const { versionAt, channelAt, running, url } = releasesOf(declared.kind);
  return {
    address: declared.address,
    key: declared.key,
    exists: snapshot !== undefined,
    ...(snapshot?.id !== undefined && { id: snapshot.id }),
    version: snapshot && textOf(running(snapshot)),
    pinned: textOf(memberAt(declared.spec, versionAt)),
    channel: textOf(memberAt(declared.spec, channelAt)),
    url: snapshot && (await url(reader, snapshot)),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns whether a version is of the channel that a stage takes; commits are, because an object has one branch. */
export function isFrom(
  { channel }: { readonly channel: string | undefined },
  listed: ListedVersion,
): boolean {
  return channel === undefined || listed.channel === channel;
}

/** Returns the order of the candidates of a stage: negative if `left` is older. */
export function orderIn({
  candidates,
  versions,
}: Pick<StageSnapshot, "candidates" | "versions">): (left: string, right: string) => number {
  return candidates.order(versions);
}

/** Returns whether {@link orderIn} has a place for a candidate. */
export function hasPlaceIn(
  { candidates, versions }: Pick<StageSnapshot, "candidates" | "versions">,
  candidate: string,
): boolean {
  return candidates.hasPlace(versions, candidate);
}

/** Returns the order of the candidates of a pipeline, as its first stage with a list has it. */
export function orderInPipeline(snapshot: PipelineSnapshot): ReturnType<typeof orderIn> {
  const stages = [...snapshot.values()];
  const first = stages.find(({ versions }) => versions.length > 0) ?? stages[0];
  invariant(first !== undefined, "a pipeline has a stage");
  return orderIn(first);
}

/** Returns whether every object of the stage may run the version on its channel. */
export function isListed({ versions, objects }: StageSnapshot, version: string): boolean {
  const channels = new Set(objects.map(({ channel }) => channel));
  return [...channels].every((channel) =>
    versions.some(
      (one) => one.version === version && (channel === undefined || one.channel === channel),
    ),
  );
}
