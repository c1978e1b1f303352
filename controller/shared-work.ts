// What a controller does with the leases that it has, and with what other replicas have written.
import { Type } from "typebox";
import { isFailure } from "../core/errors.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import type { ControllerConfig, Source } from "./config.ts";
import type { NewCommit } from "./controller-options.ts";
import { isSettled } from "./dependencies.ts";
import type { Listener } from "./listener.ts";
import type { LiveSources } from "./live-sources.ts";
import type { Notifier } from "./notifier.ts";
import type { Records } from "./records.ts";
import type { Work } from "./replica.ts";
import type { SourceLoops } from "./source-loops.ts";
import { controllerDocuments, parseDocument } from "./state-store.ts";

/** Returns the targets of notifications and of the statuses of commits. */
export function targetsOf({ notify, statuses }: Pick<ControllerConfig, "notify" | "statuses">) {
  return [...notify, ...statuses];
}

/** The names of leases. */
export const leaseOf = {
  source: (name: string): string => `sources/${name}`,
  target: (name: string): string => `targets/${name}`,
} as const;

/** Returns the sources among leases. */
export function sourcesOf(leases: readonly string[]): string[] {
  return leases.flatMap((lease) => (lease.startsWith("sources/") ? [lease.slice(8)] : []));
}

const wakeSchema = Type.Object({
  sources: Type.Array(Type.String()),
  /** The new commit because of which the sources are triggered. */
  commit: Type.Optional(Type.String()),
});

declaredValidator(wakeSchema);

/** Triggers sources at the replicas that work on them, this one included. Each reason has a document. */
export function tellReplicas(
  config: Pick<ControllerConfig, "store">,
  reason: string,
  sources: readonly string[],
): Promise<void> {
  const type = { name: `wakes/${reason}`, schema: wakeSchema };
  return controllerDocuments(config).write(type, { sources });
}

/** Triggers the sources of a repository at other replicas, unless one of these has found its new commit first. */
export async function tellNewCommit(
  config: Pick<ControllerConfig, "store">,
  { repository, commit, sources: all }: NewCommit,
  loops: Pick<SourceLoops, "get">,
): Promise<void> {
  const sources = all.filter((name) => loops.get(name) === undefined);
  if (sources.length === 0) return;
  const type = { name: `wakes/commit-${repository}`, schema: wakeSchema };
  const documents = controllerDocuments(config);
  try {
    if ((await documents.read(type))?.commit !== commit)
      await documents.write(type, { sources, commit });
  } catch (error) {
    // They find it when their interval is over.
    if (!isFailure(error)) throw error;
  }
}

/** The parts of a running controller. */
interface WorkParts {
  readonly sources: LiveSources;
  readonly records: Records;
  readonly notifier: Notifier;
  readonly listener: Listener | undefined;
  readonly loops: SourceLoops;
}

/** Ends the loops of sources that are gone. */
export function forgetSources(
  removed: readonly Source[],
  { loops, listener, records }: Pick<WorkParts, "loops" | "listener" | "records">,
): void {
  for (const { name } of removed) {
    void loops.end(name).then(() => {
      listener?.forget(name);
      records.forget(name);
    });
  }
}

/** Returns the work of a controller, which replicas share. */
export function workOf(parts: WorkParts): Work {
  const { sources, records, notifier, listener, loops } = parts;
  const { config } = sources;
  const sourceNamed = (wanted: string) => config.sources.find(({ name }) => name === wanted);
  return {
    digest: config.digest,
    wanted: () => [
      ...config.sources.map(({ name }) => leaseOf.source(name)),
      ...targetsOf(config).map(({ name }) => leaseOf.target(name)),
    ],
    begin: (lease) => {
      const [kind, name = ""] = lease.split("/");
      if (kind === "targets") return notifier.start(name);
      const source = sourceNamed(name);
      records.reopen(name);
      listener?.take(name);
      notifier.refresh();
      if (source !== undefined) loops.start(source);
    },
    end: async (lease) => {
      const [kind, name = ""] = lease.split("/");
      if (kind === "targets") return notifier.end(name);
      await loops.end(name);
      records.reopen(name);
      listener?.release(name);
    },
    onChanged: async (documents, { isFirst, holds }) => {
      const changed = new Set<string>();
      for (const { name, text } of documents) {
        const [area = "", source = "", part] = name.split("/");
        if (name === "patterns") forgetSources(await sources.reload(), parts);
        else if (name === "notifications") notifier.refresh();
        else if (area === "wakes" && !isFirst) wake(name, text ?? "", loops);
        if (area !== "sources") continue;
        changed.add(source);
        if (part === "last" && !holds(leaseOf.source(source))) followLast(source, text ?? "");
      }
      if (!isFirst) await listener?.publish(...changed);
    },
  };

  function followLast(name: string, text: string): void {
    const source = sourceNamed(name);
    const event = source && records.follow(source, text);
    if (event === undefined) return;
    listener?.follow(event);
    if (isSettled(event) || event.suspension !== undefined) loops.onSettled(name);
  }
}

function wake(name: string, text: string, loops: SourceLoops): void {
  const { sources = [], commit } = parseDocument({ name, schema: wakeSchema }, text) ?? {};
  for (const source of sources) {
    const loop = loops.get(source);
    if (commit === undefined) loop?.trigger();
    else loop?.onCommitElsewhere(commit);
  }
}
