// Finds the objects that stages select, and errors in the selection.
import type { Diagnostic } from "../core/diagnostics.ts";
import { canonical } from "../core/json.ts";
import { member } from "../core/schema/schema.ts";
import { didYouMean, quoted, sentences } from "../core/text/naming.ts";
import { candidateKinds } from "./candidate-kinds.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import type { DesiredObject } from "../reconciler/index.ts";

/** Returns the objects that a stage selects, in order. Only kinds that run what it promotes count. */
export function selectedObjects(
  stage: Stage,
  objects: readonly DesiredObject[],
): readonly DesiredObject[] {
  const releasing = objects.filter(({ kind }) => kind.releases?.candidates === stage.candidates);
  const { labels } = stage;
  if (labels === undefined) {
    const names = new Set(stage.names);
    return releasing.filter(({ name }) => names.has(name));
  }
  return releasing.filter((declared) =>
    Object.entries(labels).every(([name, value]) => declared.labels?.[name] === value),
  );
}

/** Returns errors of selection. An object belongs to one stage of one pipeline. */
export function selectionErrors(
  pipelines: readonly Pipeline[],
  objects: readonly DesiredObject[],
): Diagnostic[] {
  const owner: StageByAddress = new Map();
  return pipelines.flatMap((pipeline) => pipelineErrors(pipeline, objects, owner));
}

/** The pipeline and stage of each object, by address. */
type StageByAddress = Map<string, { readonly pipeline: string; readonly stage: string }>;

function pipelineErrors(
  pipeline: Pipeline,
  objects: readonly DesiredObject[],
  owner: StageByAddress,
): Diagnostic[] {
  const names = new Set(
    objects.flatMap(({ kind, name }) =>
      kind.releases?.candidates === pipeline.candidates ? [name] : [],
    ),
  );
  const { holder } = candidateKinds[pipeline.candidates];
  return pipeline.stages.flatMap((stage) => {
    const { path: at } = stage;
    const report = (path: string, summary: string, remedy: string): Diagnostic => ({
      code: "invalid-stage",
      severity: "error",
      address: `Pipeline/${pipeline.name}`,
      place: pipeline.document.locate(`${at}${path}`),
      path: `${at}${path}`,
      summary,
      remedy,
    });
    const taken = selectedObjects(stage, objects);
    const unknown = stage.names.flatMap((name, place) => {
      if (names.has(name)) return [];
      const summary = `the stack has no ${holder} "${name}" for the stage "${stage.name}"`;
      const remedy = sentences(didYouMean(name, names, quoted), "Name one by metadata.name.");
      return [report(`/deployments/names/${place}`, summary, remedy)];
    });
    const none =
      unknown.length === 0 && taken.length === 0
        ? [
            report(
              "/deployments",
              `the stage "${stage.name}" selects no ${holder}`,
              "Fix its labels.",
            ),
          ]
        : [];
    const twice = taken.flatMap(({ address }) => {
      const other = owner.get(address) ?? { pipeline: pipeline.name, stage: stage.name };
      owner.set(address, other);
      const isOwn = other.pipeline === pipeline.name;
      if (isOwn && other.stage === stage.name) return [];
      const where = isOwn ? "" : ` of the pipeline "${other.pipeline}"`;
      const summary = `${address} is in the stage "${stage.name}" and in "${other.stage}"${where}`;
      return [report("/deployments", summary, "Select it in one stage of one pipeline.")];
    });
    return [
      ...unknown,
      ...none,
      ...twice,
      ...listErrors(stage, taken, report),
      ...channelErrors(stage, taken.length > 0 ? taken : objects, report),
    ];
  });
}

/** Returns an error if the objects of a stage have different lists, because one decides for the stage. */
function listErrors(
  { name }: Stage,
  taken: readonly DesiredObject[],
  report: (path: string, summary: string, remedy: string) => Diagnostic,
): Diagnostic[] {
  const [first, ...others] = taken;
  const { listedBy = [] } = first?.kind.releases ?? {};
  const listOf = ({ spec }: DesiredObject): string =>
    canonical(listedBy.map((field) => member(spec, field) ?? null));
  const other = first && others.find((one) => listOf(one) !== listOf(first));
  if (other === undefined) return [];
  const summary = `${first?.address} and ${other.address} of the stage "${name}" differ in ${listedBy.join(" or ")}`;
  return [report("/deployments", summary, "Give each its own pipeline.")];
}

function channelErrors(
  { source }: Stage,
  taken: readonly DesiredObject[],
  report: (path: string, summary: string, remedy: string) => Diagnostic,
): Diagnostic[] {
  if (!("channel" in source) || source.channel === undefined) return [];
  const channels = new Set(taken.flatMap(({ kind }) => kind.releases?.channels ?? []));
  if (channels.size === 0 || channels.has(source.channel)) return [];
  const list = `The channels are ${[...channels].join(", ")}.`;
  const remedy = sentences(didYouMean(source.channel, channels, quoted), list);
  return [report("/source/channel", `there is no update channel "${source.channel}"`, remedy)];
}
