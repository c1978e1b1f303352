// Finds the pipeline, stage and version that a caller names, with suggestions for misspelled names.
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { choicesRemedy, didYouMean, quoted, sentences } from "../core/text/naming.ts";
import type { Session } from "../reconciler/sessions.ts";
import { candidateKinds, shortCommits } from "./candidate-kinds.ts";
import { pipelinesOf } from "./document-type.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import { orderInPipeline, type PipelineSnapshot } from "./snapshot.ts";

/** Returns the pipeline of this name. Fails with `usage` if the stack has none. */
export function findPipeline(
  { desired }: Pick<Session, "desired">,
  { pipeline: name }: { readonly pipeline: string },
): Pipeline {
  const { stack } = desired;
  const pipelines = pipelinesOf(desired);
  const pipeline = pipelines.find((declared) => declared.name === name);
  if (pipeline !== undefined) return { ...pipeline, displayPath: stack.displayPath };
  const names = pipelines.map((declared) => declared.name);
  throw new Failure("usage", `the stack ${stack.name} has no pipeline "${name}"`, {
    remedy: suggestionFor(name, names),
  });
}

/** Returns the stage of this name. Fails with `usage` if the pipeline has none. */
export function findStage({ name: pipeline, stages }: Pipeline, name: string): Stage {
  const stage = stages.find((declared) => declared.name === name);
  if (stage !== undefined) return stage;
  const names = stages.map((declared) => declared.name);
  throw unknownStageError(pipeline, name, names);
}

/** Returns the failure for an unknown stage name. */
export function unknownStageError(
  pipeline: string,
  name: string,
  stages: readonly string[],
): Failure {
  return new Failure("usage", `the pipeline ${pipeline} has no stage "${name}"`, {
    remedy: suggestionFor(name, stages),
  });
}

/** Fails with `refused` if no stage lists the version, so that it can never be promoted. */
export function requireListedVersion(
  { name, candidates }: Pipeline,
  snapshot: PipelineSnapshot,
  version: string,
): void {
  const listed = listedVersions(snapshot);
  if (listed.includes(version)) return;
  throw refusedError(
    `no stage of ${name} may run ${version}: the server does not list it`,
    sentences(
      didYouMean(version, listed, quoted),
      newestVersionsText(listed, { candidates }) ?? "Apply the stack first.",
    ),
  );
}

/** Returns the versions that the server lists for the stages of a pipeline, the newest first. */
export function listedVersions(snapshot: PipelineSnapshot): readonly string[] {
  const stages = [...snapshot.values()];
  const listed = new Set(stages.flatMap(({ versions }) => versions.map(({ version }) => version)));
  return [...listed].toSorted(orderInPipeline(snapshot)).toReversed();
}

/** Names the first of some versions, the newest ones; undefined if there are none. */
export function newestVersionsText(
  newestFirst: readonly string[],
  { candidates, which = "" }: Pick<Pipeline, "candidates"> & { readonly which?: string },
): string | undefined {
  const newest = newestFirst.slice(0, limits.placesNamed);
  if (newest.length === 0) return undefined;
  const { noun } = candidateKinds[candidates];
  const [end, verb] = newest.length === 1 ? ["", "is"] : ["s", "are"];
  return `The newest ${noun}${end}${which} ${verb} ${shortCommits(newest.join(", "))}.`;
}

function suggestionFor(name: string, choices: readonly string[]): string {
  return choices.length === 0 ? "Add a document of kind Pipeline." : choicesRemedy(name, choices);
}

/**
 * Returns the version or commit that a text names: of a commit, also the first digits of one of the `versions`. Fails with `usage`
 * for anything else; the remedy names the newest of the versions.
 */
export function parseVersion(
  { candidates }: Pick<Pipeline, "candidates">,
  text: string,
  versions: readonly string[] = [],
): string {
  const kind = candidateKinds[candidates];
  const version = kind.parse(text, versions);
  if (version !== undefined) return version;
  throw new Failure("usage", `"${text}" is not a ${kind.noun}`, {
    remedy: sentences(kind.formText, newestVersionsText(versions, { candidates })),
  });
}

/** Returns a failure with code `refused`. */
export function refusedError(message: string, remedy?: string): Failure {
  return new Failure("refused", message, remedy === undefined ? {} : { remedy });
}
