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
  const stages = [...snapshot.values()];
  const known = new Set(stages.flatMap(({ versions }) => versions.map((one) => one.version)));
  if (known.has(version)) return;
  const newest = [...known].toSorted(compareVersions).toReversed();
  const listed =
    newest.length === 0
      ? "Apply the stack first."
      : `The newest versions are ${newest.slice(0, limits.placesNamed).join(", ")}.`;
  throw refusedError(
    `no stage of ${name} may run ${version}: the server does not list it`,
    sentences(didYouMean(version, newest, quoted), listed),
  );
}

function suggestionFor(name: string, known: readonly string[]): string {
  return known.length === 0 ? "Add a document of kind Pipeline." : choicesRemedy(name, known);
}

/** Returns `1.2.3` for every form that the API accepts. Fails with `usage` for anything else. */
export function parseVersion(version: string): string {
  const found = /^(?:[^:]+:v|v)?(\d+\.\d+\.\d+)$/u.exec(version)?.[1];
  if (found !== undefined) return found;
  throw new Failure("usage", `"${version}" is not a version`, { remedy: "Write 1.2.3." });
}

/** Returns a failure with code `refused`. */
export function refusedError(message: string, remedy?: string): Failure {
  return new Failure("refused", message, remedy === undefined ? {} : { remedy });
}
