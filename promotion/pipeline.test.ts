// Errors of a pipeline: all of a document in one report, also where the schema refuses a part.
import { expect, it } from "vitest";
import type { Diagnostic } from "../core/diagnostics.ts";
import { parse } from "../reconciler/manifest/parse.ts";
import { noGrants } from "../reconciler/operator/grants.ts";
import { pipelineDocumentType } from "./document-type.ts";
import { readPipeline } from "./pipeline.ts";

const linesOf = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ path, summary, remedy }) =>
    [`${path} ${summary}`, remedy ?? []].flat().join(" | "),
  );

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
    expect(diagnostics.map(({ path, summary }) => [path, summary])).toEqual([
      [
        "/spec/stages/0/batchSize",
        expect.stringContaining(
          "must be a whole number from 1 to 10000 or a percentage from 1% to 100%",
        ),
      ],
    ]);
    expect(diagnostics[0]?.code).toBe(batchSize === "[1]" ? "wrong-type" : "out-of-bounds");
  },
);

it("say the type of a wrong value, and which fields an empty object needs", () => {
  const text = `apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - name: dev
      deployments: { names: [a] }
      source: { channel: latest }
      checks:
        - http: { url: "{url}", status: "200" }
        - http: { url: "{url}", status: "\${status}" }
        - http: { url: "{url}", status: "OK" }
        - query: { load: { measures: [a.b] }, expect: {} }
`;
  const [document] = parse("p.yaml", text).documents;
  if (document === undefined) throw new Error("no document");
  const variables = new Map([["status", "200"]]);
  const { diagnostics } = readPipeline(document, { ...scope, variables });
  expect(diagnostics.map(({ code, summary, remedy }) => [code, summary, remedy])).toEqual([
    ["wrong-type", expect.stringContaining('not a string: "200"'), undefined],
    [
      "wrong-type",
      expect.stringContaining('not a string: the value of "${status}" (a string)'),
      undefined,
    ],
    ["wrong-type", expect.stringContaining('not a string: "OK"'), undefined],
    ["out-of-bounds", expect.stringContaining("at least 1 field"), "Its fields are rows, values."],
  ]);
});

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
  expect(linesOf(diagnostics).toSorted()).toEqual([
    '/spec/stages/0 the first stage, "test", has no source of versions | Add source: { channel: latest }.',
    '/spec/stages/0/deployments the stage "test" has neither names nor labels | Write exactly one of the two.',
    '/spec/stages/1/deployments/names "spec.stages[1].deployments.names" must have at least 1 item: []',
    '/spec/stages/2/name the stage name "test" is used twice | Give each stage a unique name.',
    '/spec/stages/2/source/stage no stage "nowhere" precedes "test" | Name an earlier stage.',
    '/spec/stages/3/name "spec.stages[3].name" is required | Add name, a string. Name of the stage in the pipeline.',
    '/spec/stages/4 "spec.stages[4]" must be an object, not null: null',
  ]);
});

it("refuse the URL of a check that cannot be requested, and a malformed query", () => {
  const text = `apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - name: dev
      deployments: { names: [a] }
      source: { channel: latest }
      checks:
        - http: { url: "https://{deployment}.example.com/{url}" }
        - http: { url: "{url}/readyz" }
        - http: { url: "example.com/readyz" }
        - http: { url: "ftp://{deployment}" }
        - query: { load: { measures: [a.b] }, expect: { rows: { min: 1 } } }
        - query: { load: { measures: a.b }, expect: { rows: { min: 1 } } }
`;
  const [document] = parse("p.yaml", text).documents;
  if (document === undefined) throw new Error("no document");
  const { diagnostics } = readPipeline(document, scope);
  const url =
    "the URL of a check is not an http or https URL, or contains a user name | Write a full URL, such as https://example.com or {url}.";
  expect(linesOf(diagnostics)).toEqual([
    `/spec/stages/0/checks/2/http/url ${url}`,
    `/spec/stages/0/checks/3/http/url ${url}`,
    "/spec/stages/0/checks/5/query/load/measures query.measures must be a list of strings, not a string | `svc query --help` shows the form of a query.",
  ]);
});

it("warn of commands that are not granted where a stack is checked without a run", () => {
  const text = `apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - name: dev
      deployments: { names: [a] }
      source: { channel: latest }
      checks: [{ command: smoke }, { api: build }, { command: toString }, { command: load }]
`;
  const [document] = parse("p.yaml", text).documents;
  if (document === undefined) throw new Error("no document");
  const grants = { ...noGrants, checks: { commands: { load: "/bin/true" } } };
  const found = (purpose: "check" | "run") =>
    pipelineDocumentType.read(document, { ...scope, grants, purpose });
  expect(found("check").document).toBeDefined();
  expect(found("check").diagnostics).toMatchObject([
    {
      code: "not-granted",
      severity: "info",
      place: { line: 9, column: 27 },
      path: "/spec/stages/0/checks/0/command",
      summary: "a check runs the command smoke, which is not granted",
      remedy:
        "If you trust its authors, pass --grant checks.commands=smoke=FILE, or add it to `checks.commands` in the grants file.",
    },
    { path: "/spec/stages/0/checks/2/command" },
  ]);
  expect(found("run").diagnostics).toEqual([]);
});
