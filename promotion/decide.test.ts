// Tests the decisions of a pipeline without a server: every reason, and their order.
import { describe, expect, it } from "vitest";
import { parse } from "../reconciler/manifest/parse.ts";
import type { DecisionInput, DecisionContext } from "./decision-input.ts";
import { decide, decideVersion } from "./decide.ts";
import { durationText, milliseconds } from "../core/text/duration.ts";
import { applyVersionEdits } from "./version-edit.ts";
import { type Pipeline, readPipeline } from "./pipeline.ts";
import { emptyRecord, type PipelineRecord, type Rollout, type Verification } from "./record.ts";
import { recordChecks } from "./record-transitions.ts";
import { candidateKinds } from "./candidate-kinds.ts";
import type { StageObject, PipelineSnapshot } from "./snapshot.ts";
import { noGrants } from "../reconciler/index.ts";

const noon = new Date("2026-03-02T12:00:00Z");
const scope = { variables: new Map(), environment: [], grants: noGrants, env: {} };

function pipelineOf(...stages: readonly object[]): Pipeline {
  const head = { apiVersion: "svc/v1", kind: "Pipeline", metadata: { name: "p" } };
  const text = JSON.stringify({ ...head, spec: { stages } });
  const [document] = parse("p.yaml", text).documents;
  if (document === undefined) throw new Error("no document");
  const { pipeline, diagnostics } = readPipeline(document, scope);
  if (pipeline === undefined) throw new Error(JSON.stringify(diagnostics));
  return pipeline;
}

const dev = { name: "dev", deployments: { names: ["a"] }, source: { channel: "latest" } };
const next = { name: "next", deployments: { names: ["b"] }, promotion: "automatic" };

function object(name: string, version: string, more: Partial<StageObject> = {}): StageObject {
  const address = `Thing/${name}`;
  const plain = { pinned: undefined, channel: undefined, url: undefined };
  return { address, key: name, exists: true, version, ...plain, ...more };
}

const versions = ["1.2.0", "1.1.0", "1.0.0"].map((version, index) => {
  return { version, channel: "latest", isNewestInChannel: index === 0 };
});

function snapshotOf(
  ...stages: readonly (readonly [string, readonly StageObject[]])[]
): PipelineSnapshot {
  return new Map(
    stages.map(([name, objects]) => [
      name,
      { candidates: candidateKinds.versions, objects, versions },
    ]),
  );
}

function passed(version: string, more: Partial<Verification> = {}): Verification {
  const at = "2026-03-02T10:00:00.000Z";
  return { version, passed: true, at, since: at, by: "ada", evidence: [], ...more };
}

interface Given {
  readonly stages: readonly object[];
  readonly snapshot: PipelineSnapshot;
  readonly record?: PipelineRecord;
  readonly context?: Partial<DecisionContext>;
}

function inputOf(given: Given): DecisionInput {
  const context: DecisionContext = {
    now: noon,
    writesRequest: false,
    isAutomaticAllowed: () => true,
    closedReason: () => undefined,
    failedStages: new Map(),
    verifiedStages: new Set(),
    ...given.context,
  };
  const pipeline = pipelineOf(...given.stages);
  return { pipeline, record: given.record ?? emptyRecord, snapshot: given.snapshot, context };
}

function decided(given: Given): readonly string[] {
  return decide(inputOf(given)).map(({ stage, step, reasons }) => {
    if (step !== undefined) return `${stage} ${step.action} ${step.version}`;
    return `${stage} ${reasons.map(({ code }) => code).join(" ") || "rests"}`;
  });
}

describe("a decision", () => {
  const running = (first: string, second: string): PipelineSnapshot =>
    snapshotOf(["dev", [object("a", first)]], ["next", [object("b", second)]]);
  const known = (verified: readonly Verification[], more: object = {}): PipelineRecord => ({
    stages: {
      dev: { verified: [...verified], approvals: [] },
      next: { verified: [passed("1.0.0")], approvals: [], ...more },
    },
    history: [],
  });

  it.each<[string, Parameters<typeof decided>[0], readonly string[]]>([
    [
      "verifies what runs and was never verified",
      { stages: [dev, next], snapshot: running("1.0.0", "1.0.0") },
      ["dev verify 1.0.0", "next verify 1.0.0"],
    ],
    [
      "waits for approval, and passes on what is promised",
      {
        stages: [dev, next],
        snapshot: running("1.1.0", "1.0.0"),
        record: known([passed("1.1.0")]),
      },
      ["dev needs-approval", "next start 1.1.0"],
    ],
    [
      "waits until the last moment of a soak",
      {
        stages: [{ ...dev, soak: "3h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0", { since: "2026-03-02T09:00:00.001Z" })]),
      },
      ["dev rests", "next soaking"],
    ],
    [
      "does not wait longer than that",
      {
        stages: [{ ...dev, soak: "3h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0", { since: "2026-03-02T09:00:00.000Z" })]),
      },
      ["dev rests", "next start 1.2.0"],
    ],
    [
      "passes over a version that left before it had soaked",
      {
        stages: [{ ...dev, soak: "3h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([
          passed("1.2.0"),
          passed("1.1.0", {
            since: "2026-03-01T10:00:00.000Z",
            leftAt: "2026-03-01T12:59:59.999Z",
          }),
        ]),
      },
      ["dev rests", "next soaking unverified"],
    ],
    [
      "takes an older one that did soak, and never what is older than what runs",
      {
        stages: [{ ...dev, soak: "3h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([
          passed("1.2.0"),
          passed("1.1.0", { since: "2026-03-01T10:00:00.000Z", leftAt: noon.toISOString() }),
        ]),
      },
      ["dev rests", "next start 1.1.0"],
    ],
    [
      "checks what soaks again, as often as the stage says",
      {
        stages: [{ ...dev, soak: "3h", every: "2h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0")]),
      },
      ["dev verify 1.2.0", "next soaking"],
    ],
    [
      "checks what soaks no earlier",
      {
        stages: [{ ...dev, soak: "3h", every: "121m" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0")]),
      },
      ["dev rests", "next soaking"],
    ],
    [
      "checks what soaked once more at the end, before the next stage takes it",
      {
        stages: [{ ...dev, soak: "2h", every: "5h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0")]),
      },
      ["dev verify 1.2.0", "next soaking"],
    ],
    [
      "checks nothing after the end of the soak",
      {
        stages: [{ ...dev, soak: "1h", every: "1h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0", { since: "2026-03-02T09:00:00.000Z" })]),
      },
      ["dev rests", "next start 1.2.0"],
    ],
    [
      "keeps what failed last, although it was tolerated",
      {
        stages: [{ ...dev, soak: "1h", every: "3h", failureLimit: 1 }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([
          passed("1.2.0", {
            since: "2026-03-02T09:00:00.000Z",
            failures: 1,
            evidence: [{ check: "c", passed: false, message: "no", at: "" }],
          }),
        ]),
      },
      ["dev rests", "next soaking"],
    ],
    [
      "keeps what it runs after that failed in the stage before",
      {
        stages: [dev, next],
        snapshot: running("1.2.0", "1.2.0"),
        record: {
          stages: {
            dev: { verified: [passed("1.2.0", { passed: false }), passed("1.1.0")], approvals: [] },
            next: { verified: [passed("1.2.0")], approvals: [] },
          },
          history: [],
        },
      },
      ["dev verify 1.2.0", "next withdrawn"],
    ],
    [
      "does not go back by itself, and needs no approval for what is older",
      {
        stages: [dev, { ...next, promotion: "approval" }],
        snapshot: running("1.1.0", "1.2.0"),
        record: known([passed("1.1.0")], { verified: [passed("1.2.0")] }),
      },
      ["dev needs-approval", "next downgrade"],
    ],
    [
      "verifies again what is too old, and promises nothing meanwhile",
      {
        stages: [{ ...dev, validFor: "2h" }, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0")]),
      },
      ["dev verify 1.2.0", "next stale"],
    ],
    [
      "respects the operator's grants and closed windows",
      {
        stages: [dev, next],
        snapshot: running("1.2.0", "1.0.0"),
        record: known([passed("1.2.0")]),
        context: {
          isAutomaticAllowed: () => false,
          closedReason: () => ({ code: "closed-window", message: "it is night" }),
        },
      },
      ["dev rests", "next not-granted closed-window"],
    ],
    [
      "leaves a stage alone that is held, mixed, or not there",
      {
        stages: [dev, next],
        snapshot: snapshotOf(
          ["dev", [object("a", "1.0.0"), object("c", "1.2.0")]],
          ["next", [object("b", "1.0.0", { exists: false, version: undefined })]],
        ),
      },
      ["dev mixed-versions needs-approval", "next missing"],
    ],
  ])("%s", (_, given, expected) => {
    expect(decided(given)).toEqual(expected);
  });
});

describe("the decision for one version", () => {
  const stages = [dev, { ...next, promotion: "approval" }];
  const record: PipelineRecord = {
    stages: {
      dev: { verified: [passed("1.2.0"), passed("1.1.0")], approvals: [] },
      next: { verified: [passed("1.0.0")], approvals: [] },
    },
    history: [],
  };
  const snapshot = snapshotOf(["dev", [object("a", "1.2.0")]], ["next", [object("b", "1.1.0")]]);

  it.each([
    ["1.2.0", ["needs-approval"]],
    ["1.1.0", []],
    ["1.0.0", ["unverified", "needs-approval", "downgrade"]],
    ["9.9.9", ["version-not-listed", "unverified", "needs-approval", "not-candidate"]],
  ])("names everything that keeps %s from a stage, and nothing about others", (version, codes) => {
    const input = inputOf({ stages, snapshot, record });
    const verified = { ...record.stages["next"], verified: [passed("1.1.0")], approvals: [] };
    const known = { ...input, record: { ...record, stages: { ...record.stages, next: verified } } };
    const [, stage] = known.pipeline.stages;
    if (stage === undefined) throw new Error("no stage");
    const decision = decideVersion(stage, version, known);
    expect([decision.candidate, decision.reasons.map(({ code }) => code)]).toEqual([
      version,
      codes,
    ]);
  });
});

describe("a soak time that tolerates one failure", () => {
  const pipeline = pipelineOf({ ...dev, soak: "3h", every: "1h", failureLimit: 1 });
  const check = (record: PipelineRecord, time: string, isPassed: boolean): PipelineRecord => {
    const at = `2026-03-02T${time}:00.000Z`;
    const evidence = [{ check: "c", passed: isPassed, message: "", at }];
    const done = { stage: "dev", version: "1.2.0", addresses: ["Thing/a"], evidence };
    return recordChecks(record, done, { pipeline, actor: { by: "ada", at } });
  };
  const verified = (record: PipelineRecord) => record.stages["dev"]?.verified[0];

  it("keeps its start after the first, counts it although others pass, and fails at the next", () => {
    const begun = check(emptyRecord, "09:00", true);
    const first = check(begun, "10:00", false);
    expect(verified(first)).toMatchObject({ passed: true, failures: 1 });
    const second = check(first, "11:00", true);
    expect(verified(second)).toMatchObject({
      passed: true,
      failures: 1,
      since: "2026-03-02T09:00:00.000Z",
    });
    expect(verified(check(second, "11:30", false))).toMatchObject({ passed: false });
    // After its end, every failure counts.
    const ended = check(second, "12:00", true);
    expect(verified(check(ended, "13:00", false))).toMatchObject({ passed: false });
  });

  it("tolerates no failure of the first verification", () => {
    expect(verified(check(emptyRecord, "09:00", false))).toMatchObject({ passed: false });
  });
});

describe("a rollout", () => {
  const stage = { ...dev, promotion: "automatic", batchSize: 2 };
  const objects = (...running: readonly string[]): PipelineSnapshot =>
    snapshotOf(["dev", running.map((version, index) => object(`o${index}`, version))]);
  const under = (more: object): PipelineRecord => ({
    stages: {
      dev: {
        verified: [passed("1.0.0")],
        approvals: [],
        rollout: {
          id: "1",
          version: "1.2.0",
          from: {},
          cause: "candidate",
          mode: "direct",
          by: "ada",
          at: noon.toISOString(),
          checked: [],
          evidence: [],
          ...more,
        },
      },
    },
    history: [],
  });

  it("moves a batch, verifies it, moves the next, and finishes", () => {
    const of = (snapshot: PipelineSnapshot, ...checked: readonly string[]) =>
      decided({
        stages: [stage],
        snapshot,
        record: under({ checked: checked.map((one) => `Thing/${one}`) }),
      });
    expect(of(objects("1.0.0", "1.0.0", "1.0.0"))).toEqual(["dev move 1.2.0"]);
    expect(of(objects("1.2.0", "1.2.0", "1.0.0"))).toEqual(["dev verify 1.2.0"]);
    expect(of(objects("1.2.0", "1.2.0", "1.0.0"), "o0", "o1")).toEqual(["dev move 1.2.0"]);
    expect(of(objects("1.2.0", "1.2.0", "1.2.0"), "o0", "o1", "o2")).toEqual(["dev finish 1.2.0"]);
  });

  it("rolls back after a failure if onFailure says so, and only to a verified version", () => {
    const snapshot = objects("1.2.0", "1.0.0");
    const failed = under({ failedAt: noon.toISOString() });
    const back = { ...stage, onFailure: "rollback" };
    expect(decided({ stages: [stage], snapshot, record: failed })).toEqual(["dev failed"]);
    expect(decided({ stages: [back], snapshot, record: failed })).toEqual(["dev start 1.0.0"]);
    const closedReason: DecisionContext["closedReason"] = (_, cause) =>
      cause === "rollback" ? { code: "closed-window", message: "the operator says so" } : undefined;
    const context = { closedReason };
    expect(decided({ stages: [back], snapshot, record: failed, context })).toEqual([
      "dev failed closed-window",
    ]);
    const begun = under({ version: "1.0.0", cause: "rollback" });
    const waiting = { stages: [back], snapshot: objects("1.2.0"), record: begun };
    expect(decided(waiting)).toEqual(["dev move 1.0.0"]);
    expect(decided({ ...waiting, context })).toEqual(["dev closed-window"]);
    const never = {
      stages: { dev: { ...failed.stages["dev"], verified: [], approvals: [] } },
      history: [],
    };
    expect(decided({ stages: [back], snapshot, record: never })).toEqual(["dev failed"]);
  });
});

describe("a rollback whose target fails", () => {
  const rollout: Rollout = {
    id: "1",
    version: "1.0.0",
    from: {},
    cause: "rollback",
    mode: "direct",
    by: "ada",
    at: noon.toISOString(),
    checked: [],
    evidence: [],
    failedAt: noon.toISOString(),
  };
  const record: PipelineRecord = {
    stages: { dev: { verified: [passed("1.0.0", { passed: false })], approvals: [], rollout } },
    history: [],
  };
  const given = { stages: [dev], snapshot: snapshotOf(["dev", [object("a", "1.0.0")]]), record };

  it("is verified again by every run, and completes once it passes", () => {
    expect(decided(given)).toEqual(["dev verify 1.0.0"]);
    const context = { verifiedStages: new Set(["dev"]) };
    expect(decided({ ...given, context })[0]).toContain("failed");
    const checks = { stage: "dev", version: "1.0.0", addresses: ["Thing/a"], evidence: [] };
    const actor = { by: "ada", at: noon.toISOString() };
    const pipeline = pipelineOf(dev);
    const verified = recordChecks(record, checks, { pipeline, actor });
    expect(verified.stages["dev"]?.rollout?.failedAt).toBeUndefined();
    expect(decided({ ...given, record: verified, context })).toEqual(["dev finish 1.0.0"]);
  });
});

describe("a running version that fails", () => {
  const stages = [{ ...dev, onFailure: "rollback" }];
  const snapshot = snapshotOf(["dev", [object("a", "1.1.0")]]);
  const verified = [passed("1.1.0", { passed: false }), passed("1.0.0")];
  const record: PipelineRecord = { stages: { dev: { verified, approvals: [] } }, history: [] };

  it("is verified again by every run, and rolled back if it still fails", () => {
    expect(decided({ stages, snapshot, record })).toEqual(["dev verify 1.1.0"]);
    const context = { verifiedStages: new Set(["dev"]) };
    expect(decided({ stages, snapshot, record, context })).toEqual(["dev start 1.0.0"]);
    expect(decided({ stages: [dev], snapshot, record, context })).toEqual([
      "dev failed needs-approval",
    ]);
  });
});

describe("a rollout whose version is withdrawn", () => {
  const half = snapshotOf(
    ["dev", [object("a", "1.1.0")]],
    ["next", [object("b", "1.1.0"), object("c", "1.0.0")]],
  );
  const rollout = {
    id: "1",
    version: "1.1.0",
    from: {},
    cause: "candidate" as const,
    mode: "direct" as const,
    by: "ada",
    at: noon.toISOString(),
    checked: ["Thing/b"],
    evidence: [],
  };
  const recordOf = (...upstream: readonly Verification[]): PipelineRecord => ({
    stages: {
      dev: { verified: [...upstream], approvals: [] },
      next: { verified: [passed("1.0.0")], approvals: [], rollout },
    },
    history: [],
  });
  const context = { verifiedStages: new Set(["dev"]) };
  const failed = passed("1.1.0", { passed: false });
  const of = (stage: object, record: PipelineRecord, snapshot = half): string | undefined =>
    decided({ stages: [dev, stage], snapshot, record, context })[1];

  it("stops, rolls back, or yields to another version", () => {
    expect(of(next, recordOf(failed))).toBe("next withdrawn");
    expect(of({ ...next, onFailure: "rollback" }, recordOf(failed))).toBe("next start 1.0.0");
    expect(of(next, recordOf(failed, passed("1.2.0")))).toBe("next start 1.2.0");
    expect(of(next, recordOf(passed("1.1.0")))).toBe("next move 1.1.0");
  });

  it("behaves the same if the server no longer lists the version", () => {
    const missing = new Map(
      [...half].map(([name, stage]) => [
        name,
        { ...stage, versions: versions.filter(({ version }) => version !== "1.1.0") },
      ]),
    );
    expect(of({ ...next, onFailure: "rollback" }, recordOf(passed("1.1.0")), missing)).toBe(
      "next start 1.0.0",
    );
  });
});

describe("helpers", () => {
  it.each([
    ["90m", 5_400_000, "1 h 30 m"],
    ["36h", 129_600_000, "1 d 12 h"],
    ["5s", 5000, "5 s"],
    ["1d12h", 129_600_000, "1 d 12 h"],
  ])("%s is %i ms, formatted as %s", (text, ms, formatted) => {
    expect([milliseconds(text), durationText(ms)]).toEqual([ms, formatted]);
  });

  it("edit only the version, in the right document", () => {
    const text = "# a\na: 1.0.0 # x\n---\n# b\nv: { w: 'img:v1.0.0' } # y\n";
    const place = { file: "f", line: 5, column: 1 };
    const edit = { address: "Thing/b", place, path: ["v", "w"], from: "1.0.0", to: "1.2.0" };
    expect(applyVersionEdits(text, [edit])).toBe(text.replace("img:v1.0.0", "img:v1.2.0"));
    expect(() => applyVersionEdits(text, [{ ...edit, from: "1.1.0" }])).toThrow(
      "the document contains another value",
    );
    const anchored = text.replace("'img", "&w 'img");
    expect(() => applyVersionEdits(anchored, [edit])).toThrow("it has an anchor");
    expect(() => applyVersionEdits(text, [{ ...edit, path: ["v", "x"] }])).toThrow(
      "the document does not contain it",
    );
  });
});
