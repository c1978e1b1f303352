// Errors of a pipeline: all of a document in one report, also where the schema refuses a part.
import { expect, it } from "vitest";
import { parse } from "../reconciler/manifest/parse.ts";
import { noGrants } from "../reconciler/operator/grants.ts";
import { readPipeline } from "./pipeline.ts";

const scope = { variables: new Map(), environment: [], grants: noGrants, env: {} };

it.each([`"150%"`, `"0%"`, `"1.5%"`, `""`, `"2"`, "0", "-1", "1.5", "10001", "[1]"])(
  "the batch size %s is refused with the ranges",
  (batchSize) => {
    const text = `apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - { name: dev, deployments: { names: [a] }, source: { channel: latest }, batchSize: ${batchSize} }
`;
    const [document] = parse("p.yaml", text).documents;
    if (document === undefined) throw new Error("no document");
    const { diagnostics } = readPipeline(document, scope);
    expect(diagnostics.map(({ path, summary, remedy }) => [path, summary, remedy])).toEqual([
      [
        "/spec/stages/0/batchSize",
        expect.stringContaining(
          "must be a whole number from 1 to 10000 or a percentage from 1% to 100%",
        ),
        undefined,
      ],
    ]);
  },
);

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
