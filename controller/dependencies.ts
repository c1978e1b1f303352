// The order of sources: which sources each one waits for, cycles, and why one still waits.
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { durationText } from "../core/text/duration.ts";
import type { ConfigFileError } from "../reconciler/document-types.ts";
import type { Source } from "./config.ts";
import type { SourceDocument } from "./config-schema.ts";
import type { ReconciliationEvent } from "./events.ts";
import type { Wait } from "./reconciliation.ts";
import { isPattern, remoteKey } from "./source-patterns.ts";

/** The members of a source that decide what it waits for. */
export type DependencyMembers = Pick<Source, "name" | "pattern" | "dependsOn"> &
  Partial<Pick<Source, "git">>;

/**
 * Returns the sources that a source depends on, with the patterns whose sources a glob can match. A glob, and what a pattern's
 * sources share, leaves out the source itself.
 */
export function dependenciesOf<T extends DependencyMembers>(
  { name, pattern, dependsOn }: DependencyMembers,
  sources: readonly T[],
): readonly T[] {
  if (dependsOn.length === 0) return [];
  const matchers = dependsOn.map((wanted) => ({ wanted, matches: matcherOf(wanted) }));
  return sources.filter((other) =>
    matchers.some(({ wanted, matches }) => {
      if (other.name === name) return wanted === name && pattern === undefined;
      const canMatchSources = isPattern(other) && matches(`${other.name}-*`);
      return matches(other.name) || other.pattern === wanted || canMatchSources;
    }),
  );
}

/** Returns the first cycle that each source without a place in the order is in or waits for: `a → b → a`, by its name. */
export function cyclesOf(sources: readonly DependencyMembers[]): ReadonlyMap<string, string> {
  const cycles = new Map<string, string>();
  const ended = new Set<string>();
  const visit = (source: DependencyMembers, path: readonly string[]): string | undefined => {
    const { name } = source;
    const begin = path.indexOf(name);
    if (begin !== -1) return [...path.slice(begin), name].join(" → ");
    if (ended.has(name)) return cycles.get(name);
    for (const next of dependenciesOf(source, sources)) {
      const cycle = visit(next, [...path, name]);
      if (cycle === undefined) continue;
      cycles.set(name, cycle);
      break;
    }
    ended.add(name);
    return cycles.get(name);
  };
  for (const source of sources) visit(source, []);
  return cycles;
}

/** Returns the errors of the dependencies in a configuration. The folders of patterns are not known here. */
export function dependencyErrors(documents: readonly SourceDocument[]): readonly ConfigFileError[] {
  const sources = documents.map(({ name, git, dependsOn = [] }): DependencyMembers =>
    isPattern({ git })
      ? { name: `${name}-*`, pattern: name, dependsOn }
      : { name, pattern: undefined, dependsOn },
  );
  const cycles = cyclesOf(sources);
  return sources.flatMap((source, index) => {
    const at = `/sources/${index}/dependsOn`;
    const unknown = source.dependsOn.flatMap((wanted, place) => {
      const exists = sources.some(
        ({ name, pattern }) =>
          matcherOf(wanted)(name) ||
          pattern === wanted ||
          (pattern !== undefined && wanted.startsWith(`${pattern}-`)),
      );
      if (exists) return [];
      const summary = `no source is called ${wanted}`;
      return [{ path: `${at}/${place}`, summary, remedy: "Name a source of this file." }];
    });
    const cycle = cycles.get(source.name);
    if (cycle === undefined) return unknown;
    const summary = `sources wait for each other: ${cycle}`;
    return [...unknown, { path: at, summary, remedy: "Remove one of the dependencies." }];
  });
}

/**
 * Returns what a source waits for before it may reconcile a commit: for every source that it depends on, also a pattern, to be
 * applied and healthy, at the same commit if both read one repository. The failure has the code `timeout` if it waits for too long.
 */
export function waitOf(
  source: Source,
  {
    commit,
    sources,
    lastOf,
    since: waitsSince,
    now,
  }: {
    readonly commit: string | undefined;
    readonly sources: readonly Source[];
    /** Returns the last reconciliation of a source by this configuration. */
    readonly lastOf: (source: string) => ReconciliationEvent | undefined;
    /** ISO 8601: since when it waits already. */
    readonly since: string | undefined;
    readonly now: Date;
  },
): Wait | undefined {
  const waiting = dependenciesOf(source, sources).flatMap((other) => {
    const reason = openReason(lastOf(other.name), isSameRemote(source, other) && commit);
    return reason === undefined ? [] : [{ name: other.name, reason }];
  });
  const missing = source.dependsOn
    .filter((wanted) => dependenciesOf({ ...source, dependsOn: [wanted] }, sources).length === 0)
    .filter((wanted) => !matcherOf(wanted)(source.name))
    .map((wanted) => ({ name: wanted, reason: `there is no source ${wanted}` }));
  const all = [...missing, ...waiting];
  const [first] = all;
  if (first === undefined) return undefined;
  const since = waitsSince ?? now.toISOString();
  const more = all.length > 1 ? `, and ${all.length - 1} more` : "";
  const isLate = now.getTime() - Date.parse(since) > limits.controllerDependencyMs;
  const late = isLate ? `for more than ${durationText(limits.controllerDependencyMs)} ` : "";
  const message = `waits ${late}for ${first.name}: ${first.reason}${more}`;
  const remedy = `It goes on by itself when ${first.name} is applied and healthy.`;
  const failure = new Failure(isLate ? "timeout" : "refused", message, { remedy });
  const names = all.slice(0, limits.controllerEventItems).map(({ name }) => name);
  return { sources: names, since, failure };
}

/** Returns whether nothing of the commit is left to apply, and no check failed. */
export function isSettled({ mode, result }: Pick<ReconciliationEvent, "mode" | "result">): boolean {
  if (result === "unchanged" || result === "applied") return true;
  // What is left are live edits.
  return mode === "report-drift" && result === "changes";
}

/** Returns why a source does not let others go on; undefined if it does. `commit` is set if it must have this commit. */
function openReason(
  last: ReconciliationEvent | undefined,
  commit: string | false | undefined,
): string | undefined {
  if (last === undefined) return "it is not reconciled yet";
  if (typeof commit === "string" && last.commit !== commit)
    return `it is not reconciled at ${commit.slice(0, 12)} yet`;
  if (isSettled(last)) return undefined;
  if (last.result === "changes") return `it has changes, and its mode is ${last.mode}`;
  if (last.result === "waiting") return "it waits for other sources itself";
  if (last.suspension !== undefined) {
    const { by, expires, reason } = last.suspension;
    return `it is suspended by ${by} until ${expires}: ${reason}`;
  }
  return `it is ${last.result}${last.failure === undefined ? "" : `: ${last.failure.message}`}`;
}

function isSameRemote({ git: one }: Source, { git: other }: Source): boolean {
  return one !== undefined && other !== undefined && remoteKey(one) === remoteKey(other);
}

function matcherOf(glob: string): (name: string) => boolean {
  if (!glob.includes("*")) return (name) => name === glob;
  const expression = new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`, "u");
  return (name) => expression.test(name);
}
