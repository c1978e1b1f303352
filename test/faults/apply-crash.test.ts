// Tests applies and undos of small stacks that are killed at a write: the next run completes them.
// `interrupted-apply.test.ts` tests every kind.
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/undo.ts";
import { everyKind } from "../support/every-kind.ts";
import { sampled } from "../support/sampling.ts";
import { type Doc, changeSummaries } from "../support/test-stack.ts";
import {
  closeFaultFixtures,
  expectResumes,
  killAtWrite,
  openFaultFixture,
  scenario as scenarioOf,
  type Scenario,
  type FaultFixture,
} from "./fixture.ts";

let fixture: FaultFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});
afterAll(closeFaultFixtures);

function group(name: string, description: string): Doc {
  return { kind: "UserGroup", name, spec: { name, description } };
}

/** Returns a deployment named `name`, with a workbook and its notification. */
function siteDocuments(name: string, slug: string, schedule: string): readonly Doc[] {
  const workbook = { deployment: "ude", slug, dashboard: { title: "Sales" } };
  const spec = { deployment: "ude", workbook: "sales", schedule };
  return [
    { kind: "Deployment", name: "ude", spec: { name, region: "aws-us-east-1" } },
    { kind: "Workbook", name: "sales", spec: workbook },
    { kind: "Notification", name: "weekly", spec },
  ];
}

describe("what is in a deployment that got its new name before the run was killed", () => {
  const inside = ["EnvironmentVariable", "Workbook", "Notification"];
  const documents = everyKind.filter(
    ({ kind, name, spec }) =>
      (kind === "Deployment" && name === "production") ||
      kind === "EmbedTenant" ||
      (inside.includes(kind) && spec["folder"] === undefined),
  );
  const renamed = documents
    .filter(({ kind }) => !inside.includes(kind))
    .map((doc): Doc =>
      doc.kind === "Deployment" ? { ...doc, spec: { ...doc.spec, name: "renamed" } } : doc,
    );
  const scenario = scenarioOf("a rename of what holds others", {
    before: documents,
    documents: renamed,
  });

  it.each(
    sampled([
      [1, "after"],
      [2, "before"],
      [3, "after"],
    ] as const),
  )("is deleted by the next (write %i, killed %s)", { timeout: 60_000 }, (at, when) =>
    expectResumes(scenario, at, when),
  );
});

describe("what is in a folder that got its new name after its deployment did", () => {
  const site = (name: string, folder: string): readonly Doc[] => [
    { kind: "Deployment", name: "site", spec: { name, region: "aws-us-east-1" } },
    { kind: "UserGroup", name: "sales", spec: { name: "sales" } },
    { kind: "Folder", name: "reports", spec: { deployment: "site", name: folder } },
  ];
  const spec = { deployment: "site", folder: "reports", group: "sales", action: "FolderEdit" };
  const access: Doc = { kind: "FolderAccess", name: "reports-sales", spec };
  const scenario = scenarioOf("a rename of a folder and its deployment", {
    before: [...site("old", "old"), access],
    documents: site("new", "new"),
  });

  it("is deleted by the next run", { timeout: 60_000 }, async () => {
    expect((await scenario.baseline()).writes).toBe(3);
    await expectResumes(scenario, 3, "before");
  });
});

describe("what was lost with an object that a run replaced before it was killed", () => {
  it(
    "is written again under another address, as its document was renamed",
    { timeout: 60_000 },
    async () => {
      const attribute = (name: string, spec: string): Doc => ({
        kind: "UserAttribute",
        name,
        spec: { name: spec, type: "string" },
      });
      const viewer = (name: string, of: string): Doc => ({
        kind: "EmbedUser",
        name,
        spec: {
          embedTenant: "acme",
          externalId: "jane",
          email: "jane@acme.example",
          userAttributes: [{ name: of, value: "EMEA" }],
        },
      });
      const tenant = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } };
      const renamed = scenarioOf("a renamed document whose attribute is replaced", {
        before: [tenant, attribute("a", "region"), attribute("b", "area"), viewer("old", "a")],
        documents: [tenant, attribute("b", "region"), viewer("new", "b")],
      });
      const { writes } = await renamed.baseline();
      await expectResumes(renamed, writes, "before");
    },
  );
});

describe("documents that exchanged their names in a run that was killed", () => {
  const site = { name: "site", region: "aws-us-east-1" };
  const variable = (document: string, name: string, value: string): Doc => ({
    kind: "EnvironmentVariable",
    name: document,
    spec: { deployment: "site", name, value },
  });
  const named = (document: string, name: string, description: string): Doc => ({
    kind: "UserGroup",
    name: document,
    spec: { name, description },
  });
  const deployment = { kind: "Deployment", name: "site", spec: site };
  const exchanged = scenarioOf("exchanged names with changes", {
    before: [
      deployment,
      variable("x", "ALPHA", "1"),
      variable("y", "BETA", "1"),
      named("x", "north", "1"),
      named("y", "south", "1"),
      named("z", "gone", "1"),
    ],
    documents: [
      deployment,
      variable("y", "ALPHA", "1"),
      variable("x", "BETA", "2"),
      variable("z", "GAMMA", "1"),
      named("y", "north", "2"),
      named("z", "south", "1"),
      named("x", "new", "1"),
    ],
  });

  it.each([
    [1, "before"],
    [1, "after"],
    [3, "before"],
  ] as const)("keep their objects (write %i, killed %s)", { timeout: 60_000 }, (at, when) =>
    expectResumes(exchanged, at, when),
  );

  it("are found by the undo of an earlier run", { timeout: 60_000 }, async () => {
    fixture = await openFaultFixture(exchanged);
    const reported = await history(fixture.stack.options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    await killAtWrite(fixture, 1, { when: "before" });
    fixture.proxy.arm();
    const options = { ...fixture.stack.options, onConflict: "overwrite" } as const;
    const done = await undo({ ...options, run, approve: async () => false });
    expect(done.ok && changeSummaries(done.plan.changes).toSorted()).toEqual([
      "delete Deployment/site",
      "delete EnvironmentVariable/x",
      "delete EnvironmentVariable/y",
      "delete UserGroup/x",
      "delete UserGroup/y",
      "delete UserGroup/z",
    ]);
    expect(done.ok && done.plan.diagnostics.filter(({ code }) => code === "cannot-undo")).toEqual(
      [],
    );
  });
});

describe.each<[string, Scenario, readonly (readonly [number, "before" | "after"])[]]>([
  [
    "a change of groups",
    scenarioOf("a change of groups", {
      before: [group("changed", "as it was"), group("gone", "as it was")],
      documents: [group("changed", "otherwise"), group("made", "new")],
    }),
    [
      [1, "before"],
      [2, "before"],
      [3, "after"],
    ],
  ],
  [
    "a rename with changes of what a delete cascades to",
    scenarioOf("a rename with changes of what a delete cascades to", {
      before: siteDocuments("ude", "sales", "0 9 * * 1"),
      documents: siteDocuments("ude2", "orders", "30 7 * * 5"),
    }),
    [
      [1, "after"],
      [2, "before"],
      [3, "after"],
    ],
  ],
])("the undo of %s that was killed", (_title, scenario, places) => {
  const lastRun = async (on: FaultFixture): Promise<string> => {
    const reported = await history(on.stack.options);
    return (reported.ok && reported.runs[0]?.id) || "";
  };

  it.each(sampled(places))(
    "is completed by the next undo, with the same result as without a kill (write %i, killed %s)",
    { timeout: 60_000 },
    async (at, when) => {
      fixture = await openFaultFixture(scenario);
      const before = await fixture.state();
      await fixture.stack.apply();
      const run = await lastRun(fixture);
      await killAtWrite(fixture, at, { when, run });
      fixture.proxy.arm();
      const killed = await history(fixture.stack.options);
      expect(killed.ok && killed.runs[0]).toMatchObject({ verb: "undo", undoes: run });
      expect(killed.ok && killed.runs[0]?.endedAt).toBeUndefined();
      const done = await undo({ ...fixture.stack.options, run, approve: async () => true });
      expect(done).toMatchObject({ ok: true, plan: { diagnostics: [] } });
      expect(await fixture.state()).toEqual(before);
      // The stack owns every object, and the inventory matches the live state.
      await fixture.stack.write(scenario.before ?? []);
      expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([]);
    },
  );
});

describe("what a run finished before it was killed", () => {
  const member: Doc = {
    kind: "GroupMembership",
    name: "analyst",
    spec: { user: { external: "analyst@svc.localhost" }, group: "made" },
  };
  const scenario = scenarioOf("an update and a create, and what waits for them", {
    before: [group("changed", "old")],
    documents: [group("changed", "new"), group("made", "new"), member],
  });

  it("is recorded: the next run plans and sends only the rest", { timeout: 120_000 }, async () => {
    fixture = await openFaultFixture(scenario);
    const { stack, proxy } = fixture;
    await killAtWrite(fixture, 3, { when: "before" });
    proxy.arm();
    const { entries } = await fixture.inventory().read();
    expect(entries["UserGroup/changed"]?.lastApplied).toMatchObject({ description: "new" });
    expect(entries["UserGroup/made"]).toMatchObject({ pending: false });
    const { changes } = await stack.plan();
    // The id of a new object is recorded when the run reads back what it wrote.
    expect(changes.map(({ action, address }) => [action, address])).toEqual([
      ["none", "UserGroup/made"],
      ["create", "GroupMembership/analyst"],
    ]);
    await stack.apply();
    expect(proxy.writes()).toHaveLength(1);
    expect((await stack.plan()).changes).toEqual([]);
  });
});

describe("updates that a run made before it was killed", () => {
  const site: Doc = {
    kind: "Deployment",
    name: "site",
    spec: { name: "site", region: "aws-us-east-1" },
  };
  const names = Array.from({ length: 6 }, (_, n) => `g${n}`);
  const documents = (text: string): readonly Doc[] => [
    site,
    ...names.map((name) => group(name, text)),
    {
      kind: "EnvironmentVariable",
      name: "place",
      spec: { deployment: "site", name: "PLACE", value: text },
    },
  ];
  const scenario = scenarioOf("updates of groups", {
    before: documents("a"),
    documents: documents("b"),
  });

  it.each([
    [5, "before", 4],
    [7, "after", 7],
  ] as const)(
    "are no conflict with later manifests, and no live edit (write %i, killed %s)",
    { timeout: 120_000 },
    async (at, when, written) => {
      fixture = await openFaultFixture(scenario);
      const { stack, proxy } = fixture;
      await killAtWrite(fixture, at, { when });
      proxy.arm();
      const { entries } = await fixture.inventory().read();
      expect(names.map((name) => entries[`UserGroup/${name}`]?.lastApplied["description"])).toEqual(
        names.map(() => "a"),
      );
      for (const [text, count] of [
        ["a", written],
        ["c", 7],
      ] as const) {
        await stack.write(documents(text));
        const directions = (await stack.plan()).changes.map(({ direction }) => direction);
        expect(directions).toEqual(Array.from({ length: count }, () => "pending"));
      }
      await stack.apply({ onConflict: "fail" });
      expect((await stack.plan()).changes).toEqual([]);
    },
  );
});

describe("the lock of a run that was killed", () => {
  it("ends by itself when its lease is over", { timeout: 60_000 }, async () => {
    fixture = await openFaultFixture(scenarioOf("one group", { documents: [group("one", "new")] }));
    await killAtWrite(fixture, 1, { when: "before" });
    const later = () => Date.now() + 2 * limits.leaseMs;
    const held = await fixture.inventory(later).lock("next");
    await held.release();
    fixture.proxy.arm();
    // The lock of a process that has ended is acquired.
    const { outcomes } = await fixture.stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  });
});
