// Finds the pipeline, stage and version that a caller names, with suggestions for misspelled names.
import { Failure } from "../core/errors.ts";
import { compareVersions } from "../core/text/compare-versions.ts";
import { limits } from "../core/limits/limits.ts";
import { choicesRemedy, didYouMean, quoted, sentences } from "../core/text/naming.ts";
import type { Session } from "../reconciler/sessions.ts";
import { pipelinesOf } from "./document-type.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import type { PipelineSnapshot } from "./snapshot.ts";

/** Returns the pipeline of this name. Fails with `usage` if the stack has none. */
export function findPipeline(
  { desired }: Pick<Session, "desired">,
  { pipeline: name }: { readonly pipeline: string },
): Pipeline {
  const { stack } = desired;
  const pipelines = pipelinesOf(desired);
  const found = pipelines.find((one) => one.name === name);
  if (found !== undefined) return { ...found, displayPath: stack.displayPath };
  const known = pipelines.map((one) => one.name);
  throw new Failure("usage", `the stack ${stack.name} has no pipeline "${name}"`, {
    remedy: suggestionFor(name, known),
  });
}

/** Returns the stage of this name. Fails with `usage` if the pipeline has none. */
export function findStage({ name: pipeline, stages }: Pipeline, name: string): Stage {
  const found = stages.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = stages.map((one) => one.name);
  throw unknownStageError(pipeline, name, known);
}

/** Returns the failure for an unknown stage name. */
export function unknownStageError(
  pipeline: string,
  name: string,
  known: readonly string[],
): Failure {
  return new Failure("usage", `the pipeline ${pipeline} has no stage "${name}"`, {
    remedy: suggestionFor(name, known),
  });
}

/** Fails with `refused` if no stage lists the version, so that it can never be promoted. */
export function requireListedVersion(
  { name }: Pipeline,
  snapshot: PipelineSnapshot,
  version: string,
): void {
  const known = listedVersions(snapshot);
  if (known.has(version)) return;
  throw refusedError(
    `no stage of ${name} may run ${version}: the server does not list it`,
    sentences(
      didYouMean(version, known, quoted),
      newestVersionsText(known) ?? "Apply the stack first.",
    ),
  );
}

/** Returns the versions that the server lists for the stages of a pipeline. */
export function listedVersions(snapshot: PipelineSnapshot): ReadonlySet<string> {
  const stages = [...snapshot.values()];
  return new Set(stages.flatMap(({ versions }) => versions.map((one) => one.version)));
}

/** Names the newest of some versions; undefined if there are none. */
export function newestVersionsText(versions: Iterable<string>, which = ""): string | undefined {
  const newest = [...versions].toSorted(compareVersions).toReversed().slice(0, limits.placesNamed);
  if (newest.length === 0) return undefined;
  const [noun, verb] = newest.length === 1 ? ["version", "is"] : ["versions", "are"];
  return `The newest ${noun}${which} ${verb} ${newest.join(", ")}.`;
}

function suggestionFor(name: string, known: readonly string[]): string {
  return known.length === 0 ? "Add a document of kind Pipeline." : choicesRemedy(name, known);
}

/**
 * Returns `1.2.3` for every form that the API accepts. Fails with `usage` for anything else; the remedy names those of the
 * `known` versions that exist.
 */
export function parseVersion(version: string, known: Iterable<string> = []): string {
  const found = /^(?:[^:]+:v|v)?(\d+\.\d+\.\d+)$/u.exec(version)?.[1];
  if (found !== undefined) return found;
  throw new Failure("usage", `"${version}" is not a version`, {
    remedy: sentences("A version is three numbers, such as 1.2.3.", newestVersionsText(known)),
  });
}

/** Returns a failure with code `refused`. */
export function refusedError(message: string, remedy?: string): Failure {
  return new Failure("refused", message, remedy === undefined ? {} : { remedy });
}
