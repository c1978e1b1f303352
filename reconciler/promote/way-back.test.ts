// Which version a stage goes back to, where what it verified last is not on the list any more.
import { describe, expect, it } from "vitest";
import { freshRecord, type StageRecord } from "./record.ts";
import { onTheWayBack, targetBack, unlistedBack } from "./way-back.ts";
import type { StageSight } from "./world.ts";

const known: StageRecord = {
  verified: ["1.3.0", "1.2.0", "1.1.0"].map((version, age) => {
    const at = `2026-03-02T1${5 - age}:00:00.000Z`;
    return { version, passed: true, at, since: at, by: "ada", evidence: [] };
  }),
  passed: { "Thing/a": ["1.3.0", "1.2.0"] },
  approvals: [],
};

function sightOf(...listed: readonly string[]): StageSight {
  const plain = { isThere: true, pinned: undefined, channel: undefined, url: undefined };
  const objects = ["a", "b"].map((key) => {
    return { address: `Thing/${key}`, key, version: "1.3.0", ...plain };
  });
  const versions = listed.map((version) => {
    return { version, channel: "latest", isNewestInChannel: false };
  });
  return { objects, versions };
}

describe("the way back", () => {
  it.each([
    [["1.3.0", "1.2.0", "1.1.0"], "1.2.0", undefined],
    [["1.3.0", "1.1.0"], "1.1.0", undefined],
    [["1.3.0"], undefined, "1.2.0 is not on the list of versions that dev may run"],
  ])("with %s on the list leads to %s", (listed, version, said) => {
    const here = { known, sight: sightOf(...listed) };
    expect(targetBack(here, "1.3.0")?.version).toBe(version);
    const gone = version === undefined ? unlistedBack("dev", here, "1.3.0") : undefined;
    expect(gone?.said).toBe(said);
  });

  it("is another one where its end left the list meanwhile", () => {
    const rollout = {
      id: "1",
      version: "1.2.0",
      from: {},
      cause: "rollback" as const,
      way: "direct" as const,
      by: "ada",
      at: "2026-03-02T16:00:00.000Z",
      checked: [],
      evidence: [],
    };
    const record = { ...freshRecord, stages: { dev: { ...known, rollout } } };
    const all = sightOf("1.3.0", "1.2.0", "1.1.0");
    expect(onTheWayBack("dev", record, all)).toMatchObject({ version: "1.2.0", isThere: false });
    expect(onTheWayBack("dev", record, sightOf("1.3.0", "1.1.0"))).toBeUndefined();
    const failed = { ...rollout, failedAt: rollout.at };
    const stuck = { ...freshRecord, stages: { dev: { ...known, rollout: failed } } };
    expect(onTheWayBack("dev", stuck, all)).toBeUndefined();
  });
});
