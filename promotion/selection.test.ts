// Tests the errors in what the stages of a pipeline select.
import { expect, it } from "vitest";
import { parse } from "../reconciler/manifest/parse.ts";
import { type DesiredObject, noGrants } from "../reconciler/index.ts";
import { pipelineDocumentType } from "./document-type.ts";
import { readPipeline } from "./pipeline.ts";
import { selectionErrors } from "./selection.ts";

const scope = { variables: new Map(), environment: [], grants: noGrants, env: {} };

/** A deployment that follows one of two channels. */
const deployment: Pick<DesiredObject, "address" | "name"> & { kind: object } = {
  address: "Deployment/a",
  name: "a",
  kind: { releases: { candidates: "versions", channels: ["latest", "release"] } },
};

/** Returns summary and remedy of each error in a stage. */
function errorsOf(stage: object): readonly (readonly (string | undefined)[])[] {
  const head = { apiVersion: "svc/v1", kind: "Pipeline", metadata: { name: "p" } };
  const text = JSON.stringify({ ...head, spec: { stages: [{ name: "dev", ...stage }] } });
  const [document] = parse("p.yaml", text).documents;
  const pipeline = document && readPipeline(document, scope).pipeline;
  if (pipeline === undefined) throw new Error("no pipeline");
  return selectionErrors([pipeline], [deployment as DesiredObject]).map(({ summary, remedy }) => [
    summary,
    remedy,
  ]);
}

it("reports what the valid stages select, even if other stages of the document have errors", () => {
  const [document] = parse(
    "p.yaml",
    `apiVersion: svc/v1
kind: Pipeline
metadata: { name: p }
spec:
  stages:
    - { name: dev, deployments: {}, source: { channel: latest } }
    - { name: next, deployments: { names: [b] }, soak: 4, source: { stage: dve } }
    - { name: last, deployments: { names: [c] }, source: { channel: latst }, batchSize: "2" }
`,
  ).documents;
  if (document === undefined) throw new Error("no document");
  const { document: valid, partial, diagnostics } = pipelineDocumentType.read(document, scope);
  expect(valid).toBeUndefined();
  const selected = pipelineDocumentType.check(partial ? [partial] : [], [
    deployment as DesiredObject,
  ]);
  const paths = [...diagnostics, ...selected].flatMap(({ path }) => path ?? []);
  expect(paths.toSorted()).toEqual([
    "/spec/stages/0/deployments",
    "/spec/stages/1/deployments/names/0",
    "/spec/stages/1/soak",
    "/spec/stages/1/source/stage",
    "/spec/stages/2/batchSize",
    "/spec/stages/2/deployments/names/0",
    "/spec/stages/2/source/channel",
  ]);
});

it("suggests the deployment and the channel that a stage probably means", () => {
  const source = { channel: "latest" };
  expect(errorsOf({ deployments: { names: ["a"] }, source })).toEqual([]);
  expect(errorsOf({ deployments: { names: ["a"] }, source: { channel: "latst" } })).toEqual([
    [
      'there is no update channel "latst"',
      'Did you mean "latest"? The channels are latest, release.',
    ],
  ]);
  expect(errorsOf({ deployments: { names: ["b"] }, source })).toEqual([
    [
      'the stack has no deployment "b" for the stage "dev"',
      'Did you mean "a"? Name one by metadata.name.',
    ],
  ]);
});
