// Tests the errors in what the stages of a pipeline select.
import { expect, it } from "vitest";
import { parse } from "../reconciler/manifest/parse.ts";
import { type DesiredObject, noGrants } from "../reconciler/index.ts";
import { readPipeline } from "./pipeline.ts";
import { selectionErrors } from "./selection.ts";

const scope = { variables: new Map(), environment: [], grants: noGrants, env: {} };

/** A deployment that follows one of two channels. */
const deployment: Pick<DesiredObject, "address" | "name"> & { kind: object } = {
  address: "Deployment/a",
  name: "a",
  kind: { releases: { channels: ["latest", "release"] } },
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
