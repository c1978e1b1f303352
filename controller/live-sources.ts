// The sources of a running controller: those of its configuration, and those that patterns add and remove.
import pLimit from "p-limit";
import type { ControllerConfig, Source } from "./config.ts";
import type { PatternChange } from "./reconciliation.ts";
import { savePatterns, sourcesOfPattern } from "./pattern-sources.ts";

/** The sources of a running controller. */
export interface LiveSources {
  /** The configuration, whose `sources` change. */
  readonly config: ControllerConfig;
  /** Replaces the sources of a pattern by those for the folders of a commit. Fails with `unavailable` if it cannot save them. */
  replace(entry: Source, folders: readonly string[]): Promise<PatternChange>;
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
    const next = [...others, ...kept, ...added];
    // Before they change, so that a failure leaves all as it is.
    await savePatterns(config, next);
    config.sources = next;
    return { sources: sources.length, added, removed, errors };
  };
  // One after the other: each saves the sources of all patterns.
  const oneAtATime = pLimit(1);
  return { config, replace: (entry, folders) => oneAtATime(replace, entry, folders) };
}
