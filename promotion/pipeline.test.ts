// Errors of a pipeline: all of a document in one report, also where the schema refuses a part.
import { expect, it } from "vitest";
import { parse } from "../reconciler/manifest/parse.ts";
import { noGrants } from "../reconciler/operator/grants.ts";
import { readPipeline } from "./pipeline.ts";

const scope = { variables: new Map(), environment: [], grants: noGrants, env: {} };

it("are reported together", () => {
  const text = `apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - { name: test, deployments: {} }
    - { name: middle, deployments: { names: [] } }
    - { name: test, deployments: { names: [x] }, source: { stage: nowhere } }
    - { deployments: { names: [x] } }
    -
`;
  const [document] = parse("p.yaml", text).documents;
  if (document === undefined) throw new Error("no document");
  const { pipeline, diagnostics } = readPipeline(document, scope);
  expect(pipeline).toBeUndefined();
  expect(diagnostics.map(({ path, summary }) => `${path} ${summary}`).toSorted()).toEqual([
    expect.stringContaining('/spec/stages/0 the first stage, "test", has no source of versions'),
    expect.stringContaining("/spec/stages/0/deployments the stage"),
    expect.stringContaining("/spec/stages/1/deployments/names"),
    expect.stringContaining("/spec/stages/2/name the stage name"),
    expect.stringContaining("/spec/stages/2/source/stage no stage"),
    expect.stringContaining("/spec/stages/3/name"),
    expect.stringContaining("/spec/stages/4"),
  ]);
});
