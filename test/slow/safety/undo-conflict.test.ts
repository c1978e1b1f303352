// Tests undo of an older run whose fields changed again since: by a later run, on the server, or both.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { handOver } from "../../../reconciler/verbs/hand-over.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { undo, type UndoOptions } from "../../../reconciler/undo.ts";
import type { ProgressEvent } from "../../../reconciler/model/index.ts";
import { planText } from "../../../reconciler/report/plan-text.ts";
import { liveState } from "../../support/live-state.ts";
import { makeStack } from "../../support/test-stack.ts";
import { setUpFixture } from "../../safety/fixture.ts";

const fixture = setUpFixture({ name: "shop", inventory: "service" });

const group = (description: string, name = "north") => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
});

async function applyGroup(description: string): Promise<string> {
  await fixture.stack.write([group(description), group(description, "south")]);
  await fixture.stack.apply();
  return lastRun();
}

async function lastRun(): Promise<string> {
  const reported = await history(fixture.stack.options);
  return (reported.ok && reported.runs[0]?.id) || "";
}

async function descriptions(...names: readonly string[]): Promise<readonly unknown[]> {
  const live = await liveState(fixture.service);
  const groups = JSON.parse(JSON.stringify(live)) as Record<string, { description?: string }>;
  return (names.length === 0 ? ["north", "south"] : names).map(
    (name) => groups[`UserGroup/${name}`]?.description,
  );
}

async function editOnServer(description: string, name = "north"): Promise<void> {
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find((item) => item.name === name)?.id;
  await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { description } });
}

async function undone(run: string, more: Partial<UndoOptions> = {}) {
  const options = { ...fixture.stack.options, run, approve: async () => true, ...more };
  const done = await undo(options);
  if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
  return done;
}

let older = "";

beforeEach(async () => {
  await applyGroup("one");
  older = await applyGroup("two");
});

const conflict = {
  code: "conflict",
  message: expect.stringMatching(/^changed again after run .*UserGroup\/north/u),
  remedy: expect.stringMatching(/overwrite to undo these changes.*--on-conflict keep/u),
};

it("fails before the first write if a later run changed a field again", async () => {
  await applyGroup("three");
  await expect(undone(older)).rejects.toMatchObject(conflict);
  expect(await descriptions()).toEqual(["three", "three"]);
  const { plan } = await undone(older, { onConflict: "overwrite" });
  expect(plan.changes[0]?.fields).toMatchObject([
    { path: "/description", direction: "conflict", base: "two", before: "three", after: "one" },
  ]);
  expect(await descriptions()).toEqual(["one", "one"]);
});

it("fails if the value was changed on the server, also after a later run restored it", async () => {
  await editOnServer("by hand");
  await expect(undone(older)).rejects.toMatchObject(conflict);
  await fixture.stack.apply();
  await applyGroup("one");
  await editOnServer("by hand again");
  await expect(undone(older)).rejects.toMatchObject(conflict);
});

describe("a created object that a later run changed", () => {
  let run = "";

  beforeEach(async () => {
    const groups = (description: string) => [
      group("two"),
      group("two", "south"),
      group(description, "east"),
    ];
    await fixture.stack.write(groups("new"));
    await fixture.stack.apply();
    run = await lastRun();
    await fixture.stack.write(groups("newer"));
    await fixture.stack.apply();
  });

  it("is deleted by the undo only if conflicts are to be overwritten", async () => {
    await expect(undone(run)).rejects.toMatchObject({ code: "conflict" });
    const { plan } = await undone(run, { onConflict: "overwrite" });
    expect(plan.changes).toMatchObject([{ action: "delete", direction: "conflict" }]);
    expect(await descriptions("east")).toEqual([undefined]);
  });

  it("is a conflict if it was changed on the server", async () => {
    await undone(await lastRun());
    await editOnServer("by hand", "east");
    await expect(undone(run)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is deleted after the later run is undone", async () => {
    await undone(await lastRun());
    await undone(run);
    expect(await descriptions("east")).toEqual([undefined]);
  });

  it("is kept by --on-conflict keep", async () => {
    const { plan } = await undone(run, { onConflict: "keep" });
    expect(plan.diagnostics).toMatchObject([
      { code: "ignored-difference", address: "UserGroup/east" },
    ]);
    expect(await descriptions("east")).toEqual(["newer"]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });
});

it("keeps the parent of a kept object too", async () => {
  const inside = (description: string) => [
    { kind: "EmbedTenant", name: "acme", spec: { name: "acme-corp" } },
    {
      kind: "EmbedGroup",
      name: "readers",
      spec: { embedTenant: "acme", name: "readers", description },
    },
  ];
  await fixture.stack.write([group("two"), group("two", "south"), ...inside("new")]);
  await fixture.stack.apply();
  const run = await lastRun();
  await fixture.stack.write([group("two"), group("two", "south"), ...inside("newer")]);
  await fixture.stack.apply();
  let text = "";
  const progress = (event: ProgressEvent): void => {
    if (event.event !== "plan") return;
    text = planText(event.plan, { color: false, width: 100, isUndo: true });
  };
  await expect(undone(run, { progress })).rejects.toMatchObject({ code: "conflict" });
  expect(text).toMatch(
    /deleted with EmbedTenant\/acme; changed again after the run\)[^]*1 conflict,/u,
  );
  const { plan } = await undone(run, { onConflict: "keep" });
  expect(plan.changes).toEqual([]);
  expect(plan.diagnostics.map(({ code, address }) => [code, address])).toEqual([
    ["ignored-difference", "EmbedGroup/readers"],
    ["ignored-difference", "EmbedTenant/acme"],
  ]);
});

it("keeps the later value, restores the others, and leaves what is recorded of it", async () => {
  await fixture.stack.write([group("three"), group("two", "south")]);
  await fixture.stack.apply();
  await undone(older, { onConflict: "keep" });
  expect(await descriptions()).toEqual(["three", "one"]);
  const { changes } = await fixture.stack.plan();
  expect(changes.map(({ address }) => address)).toEqual(["UserGroup/south"]);
});

it("has no conflict after the later run is undone, or changed other objects", async () => {
  const later = await applyGroup("three");
  await undone(later);
  await undone(older);
  expect(await descriptions()).toEqual(["one", "one"]);
});

it("reports a created object that was handed over to another stack since", async () => {
  await fixture.stack.write([group("two"), group("two", "south"), group("new", "east")]);
  await fixture.stack.apply();
  const run = await lastRun();
  const { url } = fixture.proxy;
  const other = await makeStack({
    url,
    key: fixture.service.adminKey,
    name: "other",
    inventory: "service",
  });
  onTestFinished(() => other.dispose());
  const result = await handOver({
    ...fixture.stack.options,
    address: "UserGroup/east",
    to: other.folder,
  });
  expect(result.ok).toBe(true);
  const { plan } = await undone(run);
  expect(plan.diagnostics).toMatchObject([
    { code: "cannot-undo", address: "UserGroup/east" },
    { code: "nothing-to-undo" },
  ]);
});
