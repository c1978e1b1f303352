// The messages that say why a stage is blocked: equal causes once, channels by name, and the command for each version.
import { expect, it } from "vitest";
import { candidateKinds } from "./candidate-kinds.ts";
import { failedReason, unlistedReason } from "./blocked-reasons.ts";
import { failedReasonFor } from "./failed-version.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import type { Rollout, StageRecord } from "./record.ts";

const candidates = candidateKinds.versions;
const at = "2026-03-02T12:00:00.000Z";

function object(name: string, channel?: string) {
  const plain = { pinned: undefined, channel, url: undefined };
  return { address: `Thing/${name}`, key: name, exists: true, version: "1.0.0", ...plain };
}

it("says an equal cause once, with the first of the objects", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const evidence = names.map((name) => {
    const message = name === "b" ? "invalid" : "failed";
    return { check: `build of Thing/${name}`, passed: false, message, at };
  });
  const { message } = failedReason({ stage: "dev", version: "1.2.0", evidence, retry: "svc" });
  expect(message).toBe(
    "1.2.0 did not pass in dev: build of Thing/a, Thing/c, Thing/d, Thing/e, Thing/f and 1 more failed; build of Thing/b invalid",
  );
});

it("names the channel that an object follows, and the channel that has the version", () => {
  const versions = [{ version: "1.2.0", channel: "latest", isNewestInChannel: true }];
  const objects = [object("a", "release"), object("b", "release"), object("c", "latest")];
  expect(unlistedReason("production", "1.2.0", { candidates, versions, objects }).message).toBe(
    "production may not run 1.2.0: Thing/a and 1 more take their versions from the channel release, and the server lists 1.2.0 for latest",
  );
  expect(unlistedReason("production", "1.3.0", { candidates, versions, objects }).message).toBe(
    "production may not run 1.3.0: the server does not list it for any channel",
  );
});

it("names the command for the version: a rollback is verified by every run, its candidate only by name", () => {
  const rollout: Rollout = {
    id: "1",
    version: "1.0.0",
    from: {},
    cause: "rollback",
    mode: "direct",
    by: "ada",
    at,
    checked: [],
    evidence: [],
    failedAt: at,
  };
  const record: StageRecord = { rollout, verified: [], approvals: [] };
  const stage = { name: "dev" } as Stage;
  const input = { pipeline: { name: "p" } as Pipeline, record: { stages: {}, history: [] } };
  const snapshot = { candidates, versions: [], objects: [object("a")] };
  const remedyOf = (version: string) =>
    failedReasonFor({ stage, record, snapshot, input }, version).remedy;
  expect(remedyOf("1.0.0")).toMatch(/: svc promote run p --direct$/u);
  expect(remedyOf("1.2.0")).toMatch(/: svc promote run p --to dev --version 1\.2\.0 --direct$/u);
});
