// The sources of a running controller: those of its configuration, and those that patterns add and remove.
import pLimit from "p-limit";
import type { ControllerConfig, Source } from "./config.ts";
import type { PatternChange } from "./reconciliation.ts";
import { savePattern, sourcesOfPattern, withSavedSources } from "./pattern-sources.ts";

/** The sources of a running controller. */
export interface LiveSources {
  /** The configuration, whose `sources` change. */
  readonly config: ControllerConfig;
  /** Replaces the sources of a pattern by those for the folders of a commit. Fails with `unavailable` if it cannot save them. */
  replace(entry: Source, folders: readonly string[]): Promise<PatternChange>;
  /** Takes over the sources of patterns that another replica has saved. Returns those that are gone. */
  reload(): Promise<readonly Source[]>;
}

export function liveSources(configured: ControllerConfig): LiveSources {
  const config = { ...configured };
  const replace: LiveSources["replace"] = async (entry, folders) => {
    const others = config.sources.filter(({ pattern }) => pattern !== entry.name);
    const before = config.sources.filter(({ pattern }) => pattern === entry.name);
    const { sources, errors } = sourcesOfPattern(entry, folders, others);
    const [now, then] = [sources, before].map((some) => new Set(some.map(({ name }) => name)));
    const added = sources.filter(({ name }) => then?.has(name) === false);
    const removed = before.filter(({ name }) => now?.has(name) === false);
    const kept = before.filter((source) => !removed.includes(source));
    // Before they change, so that a failure leaves all as it is.
    await savePattern(config, entry.name, [...kept, ...added]);
    config.sources = [...others, ...kept, ...added];
    return { sources: sources.length, added, removed, errors };
  };
  const reload: LiveSources["reload"] = async () => {
    const saved = (await withSavedSources(config)).sources;
    const before = new Map(config.sources.map((source) => [source.name, source]));
    const names = new Set(saved.map(({ name }) => name));
    const removed = config.sources.filter(({ name }) => !names.has(name));
    config.sources = saved.map((source) => before.get(source.name) ?? source);
    return removed;
  };
  // One after the other: each begins with the sources that the one before has left.
  const oneAtATime = pLimit(1);
  return {
    config,
    replace: (entry, folders) => oneAtATime(replace, entry, folders),
    reload: () => oneAtATime(reload),
  };
}
