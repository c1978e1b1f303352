// Undo of an older run whose fields changed again since: by a later run, on the server, or both.
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { handOver } from "../../reconciler/verbs/hand-over.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { undo, type UndoOptions } from "../../reconciler/verbs/undo.ts";
import { liveState } from "../support/live-state.ts";
import { makeStack } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ name: "shop", inventory: "service" });

const group = (description: string, name = "north") => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
});

async function applyGroup(description: string): Promise<string> {
  await fixture.stack.write([group(description), group(description, "south")]);
  await fixture.stack.apply();
  const reported = await history(fixture.stack.options);
  return (reported.ok && reported.runs[0]?.id) || "";
}

async function descriptions(): Promise<readonly unknown[]> {
  const live = await liveState(fixture.service);
  const groups = JSON.parse(JSON.stringify(live)) as Record<string, { description?: string }>;
  return ["north", "south"].map((name) => groups[`UserGroup/${name}`]?.description);
}

async function editOnServer(description: string): Promise<void> {
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "north")?.id;
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
  remedy: expect.stringMatching(/earlier values.*--on-conflict keep/u),
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
  const reported = await history(fixture.stack.options);
  const run = (reported.ok && reported.runs[0]?.id) || "";
  const { url } = fixture.proxy;
  const other = await makeStack({
    url,
    key: fixture.service.adminKey,
    name: "other",
    inventory: "service",
  });
  onTestFinished(() => other.dispose());
  const moved = await handOver({
    ...fixture.stack.options,
    address: "UserGroup/east",
    to: other.folder,
  });
  expect(moved.ok).toBe(true);
  const { plan } = await undone(run);
  expect(plan.diagnostics).toMatchObject([
    { code: "cannot-undo", address: "UserGroup/east" },
    { code: "nothing-to-undo", summary: expect.stringContaining("UserGroup/east") },
  ]);
});
