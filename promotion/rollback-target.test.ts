// Tests which version a stage goes back to if the version that it verified last is no longer listed.
import { describe, expect, it } from "vitest";
import { candidateKinds } from "./candidate-kinds.ts";
import { emptyRecord, type StageRecord } from "./record.ts";
import { activeRollback, rollbackTarget, unlistedRollbackReason } from "./rollback-target.ts";
import type { StageSnapshot } from "./snapshot.ts";

const known: StageRecord = {
  verified: ["1.3.0", "1.2.0", "1.1.0"].map((version, age) => {
    const at = `2026-03-02T1${5 - age}:00:00.000Z`;
    return { version, passed: true, at, since: at, by: "ada", evidence: [] };
  }),
  passed: { "Thing/a": ["1.3.0", "1.2.0"] },
  approvals: [],
};

function snapshotOf(...listed: readonly string[]): StageSnapshot {
  const plain = { exists: true, pinned: undefined, channel: undefined, url: undefined };
  const objects = ["a", "b"].map((key) => {
    return { address: `Thing/${key}`, key, version: "1.3.0", ...plain };
  });
  const versions = listed.map((version) => {
    return { version, channel: "latest", isNewestInChannel: false };
  });
  return { candidates: candidateKinds.versions, objects, versions };
}

describe("the rollback target", () => {
  it.each([
    [["1.3.0", "1.2.0", "1.1.0"], "1.2.0", undefined],
    [["1.3.0", "1.1.0"], "1.1.0", undefined],
    [["1.3.0"], undefined, "dev may not run 1.2.0: the server does not list it for any channel"],
  ])("with %s listed is %s", (listed, version, message) => {
    const here = { record: known, snapshot: snapshotOf(...listed) };
    expect(rollbackTarget(here, "1.3.0")?.version).toBe(version);
    const reason = version === undefined ? unlistedRollbackReason("dev", here, "1.3.0") : undefined;
    expect(reason?.message).toBe(message);
  });

  it("changes if the server no longer lists the target", () => {
    const rollout = {
      id: "1",
      version: "1.2.0",
      from: {},
      cause: "rollback" as const,
      mode: "direct" as const,
      by: "ada",
      at: "2026-03-02T16:00:00.000Z",
      checked: [],
      evidence: [],
    };
    const record = { ...emptyRecord, stages: { dev: { ...known, rollout } } };
    const all = snapshotOf("1.3.0", "1.2.0", "1.1.0");
    expect(activeRollback("dev", record, all)).toMatchObject({
      version: "1.2.0",
      isComplete: false,
    });
    expect(activeRollback("dev", record, snapshotOf("1.3.0", "1.1.0"))).toBeUndefined();
    const failed = { ...rollout, failedAt: rollout.at };
    const stuck = { ...emptyRecord, stages: { dev: { ...known, rollout: failed } } };
    expect(activeRollback("dev", stuck, all)).toBeUndefined();
  });
});
