// Tests of commands in remedies, and of the report on blocked and moved changes.
import { describe, expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { stackCommand } from "./shell-command.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import type { Change, Entry, Plan } from "./index.ts";
import { removals } from "../engine/removals.ts";
import { appliedText } from "../report/applied-text.ts";
import { planText } from "../report/plan-text.ts";

const look = { color: false, width: 100 };
const entry: Entry = {
  kind: "UserGroup",
  name: "old",
  key: "team",
  scope: {},
  id: "1",
  lastApplied: { name: "team" },
  fingerprints: {},
  pending: false,
  appliedAt: "2026-01-31T09:30:00.000Z",
};

function moved(movedTo: string | undefined): Plan {
  const leftover = {
    address: "UserGroup/old",
    entry,
    kind: undefined,
    observed: undefined,
    movedTo,
    isReleased: false,
    isChangedAfterRun: false,
    edits: [],
  };
  const { changes } = removals([leftover], {
    prune: true,
    emptiesStack: false,
    capability: () => {
      throw new Error("nothing is deleted");
    },
    layerOf: () => 0,
    fingerprints: fingerprintsWith("salt", new Secret("key")),
  });
  return {
    format: 2,
    basis: { stack: "s", origin: "https://a.example", desired: "d", inventory: "i" },
    changes,
    unchanged: 0,
    diagnostics: [],
    cost: { readCalls: 0, writeCalls: 0 },
  };
}

describe("stackCommand", () => {
  it.each([
    [undefined, "svc inventory unlock 7"],
    ["", "svc inventory unlock 7"],
    ["../infra", "svc inventory unlock 7 ../infra"],
    ["my stack", "svc inventory unlock 7 'my stack'"],
  ])("adds the stack's folder %j unless it is the current one", (displayPath, expected) => {
    expect(stackCommand({ displayPath }, "inventory", "unlock", "7")).toBe(expected);
  });
});

describe("the plan text", () => {
  it("names the new address of a renamed document's object", () => {
    const text = planText(moved("UserGroup/new"), look);
    expect(text).toContain("UserGroup/old  (now UserGroup/new; only the inventory changes)");
  });

  it("counts blocked changes, and lists the dependents of each", () => {
    const plan = moved("UserGroup/new");
    const changes = plan.changes.flatMap((change): readonly Change[] => [
      { ...change, address: "UserGroup/new", dependsOn: [], blockedBy: [{ code: "protected" }] },
      {
        ...change,
        dependsOn: ["UserGroup/new"],
        blockedBy: [{ code: "dependency", address: "UserGroup/new" }],
      },
    ]);
    const text = planText({ ...plan, changes }, look);
    expect(text).toContain("and 1 that depends on it: UserGroup/old");
    expect(text).toContain("2 to forget (2 of them blocked)");
  });

  it("ends a sentence with one full stop", () => {
    const plan = moved(undefined);
    const unverified = "cannot reach it: refused.";
    const applied = {
      plan,
      outcomes: [],
      stopped: undefined,
      residual: [],
      unverified,
      calls: 0,
      writeCalls: 0,
    };
    expect(appliedText(applied, look)).toContain(
      "Could not read the result back: cannot reach it: refused.\n",
    );
  });
});
