// What callers name: a pipeline of the stack, a stage of the pipeline, a version; each misspelling told with a guess.
import { Failure } from "../core/errors.ts";
import { closestMatch } from "../core/naming.ts";
import type { Session } from "../reconciler/verbs/session.ts";
import type { Pipeline, Stage } from "./pipeline.ts";

/** The pipeline that is meant. Fails with `usage` where the stack has none of that name. */
export function findPipeline(
  { desired }: Pick<Session, "desired">,
  { pipeline: name }: { readonly pipeline: string },
): Pipeline {
  const { pipelines = [], stack } = desired;
  const found = pipelines.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = pipelines.map((one) => one.name);
  throw new Failure("usage", `the stack ${stack.name} has no pipeline "${name}"`, {
    remedy: suggestionFor(name, known, "its pipelines are"),
  });
}

/** The stage that is meant. Fails with `usage` where the pipeline has none of that name. */
export function findStage({ name: pipeline, stages }: Pipeline, name: string): Stage {
  const found = stages.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = stages.map((one) => one.name);
  throw unknownStageError(pipeline, name, known);
}

/** The failure of one who names a stage that is not there. */
export function unknownStageError(
  pipeline: string,
  name: string,
  known: readonly string[],
): Failure {
  return new Failure("usage", `the pipeline ${pipeline} has no stage "${name}"`, {
    remedy: suggestionFor(name, known, "its stages are"),
  });
}

function suggestionFor(name: string, known: readonly string[], lead: string): string {
  const meant = closestMatch(name, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length === 0 ? "add a document of kind Pipeline" : `${lead} ${known.join(", ")}`;
}

/** `1.2.3` of what the API would take as well. Fails with `usage` for anything else. */
export function parseVersion(version: string): string {
  const found = /^(?:[^:]+:v|v)?(\d+\.\d+\.\d+)$/u.exec(version)?.[1];
  if (found !== undefined) return found;
  throw new Failure("usage", `"${version}" is not a version`, { remedy: "write 1.2.3" });
}

/** A refusal, in words. */
export function refusedError(said: string, remedy?: string): Failure {
  return new Failure("refused", said, remedy === undefined ? {} : { remedy });
}
