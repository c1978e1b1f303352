// Tests --on-conflict: fields that changed both in the manifests and on the server.
import { beforeEach, expect, it } from "vitest";
import { apply } from "../../reconciler/apply.ts";
import type { ApplyOptions } from "../../reconciler/apply.ts";
import { driftText } from "../../reconciler/report/drift-text.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import { liveState } from "../support/live-state.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

function group(description: string) {
  return { kind: "UserGroup", name: "north", spec: { name: "north", description } };
}

async function liveDescription(name = "north"): Promise<unknown> {
  const live = await liveState(fixture.service);
  return JSON.parse(JSON.stringify(live[`UserGroup/${name}`])) as unknown;
}

beforeEach(async () => {
  await fixture.stack.write([group("one")]);
  await fixture.stack.apply();
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "north")?.id;
  await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, {
    body: { description: "by hand" },
  });
  await fixture.stack.write([group("two")]);
});

async function applyWith(
  onConflict: ApplyOptions["onConflict"],
  savedPlan?: ApplyOptions["savedPlan"],
) {
  const approve = () => Promise.resolve(true);
  const done = await apply({ ...fixture.stack.options, approve, onConflict, savedPlan });
  if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
  return done.applied;
}

it("fails before the first write, names the objects and both ways on", async () => {
  await expect(applyWith("fail")).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("UserGroup/north"),
    remedy:
      "See `svc drift`; pass --on-conflict overwrite to write the declared values, or " +
      "--on-conflict keep to leave the live values in this run.",
  });
  expect(await liveDescription()).toMatchObject({ description: "by hand" });
});

it("is to fail by default, as no person has seen the conflict", async () => {
  await expect(applyWith(undefined)).rejects.toMatchObject({ code: "conflict" });
  expect(await liveDescription()).toMatchObject({ description: "by hand" });
});

it("is to overwrite by default for a saved plan, which shows the conflict", async () => {
  const savedPlan = await fixture.stack.plan();
  await applyWith(undefined, savedPlan);
  expect(await liveDescription()).toMatchObject({ description: "two" });
});

it("cannot be to keep for a saved plan, which overwrites what it shows", async () => {
  const savedPlan = await fixture.stack.plan();
  await expect(applyWith("keep", savedPlan)).rejects.toMatchObject({ code: "usage" });
  expect(await liveDescription()).toMatchObject({ description: "by hand" });
});

it("overwrites the live value", async () => {
  await applyWith("overwrite");
  expect(await liveDescription()).toMatchObject({ description: "two" });
});

it("keeps the live value, and shows the conflict again in the next plan", async () => {
  const kept = await applyWith("keep");
  expect(kept?.outcomes.filter(({ action }) => action === "update")).toEqual([]);
  const notes = kept?.plan.diagnostics.filter(({ code }) => code === "ignored-difference");
  expect(notes?.map(({ path }) => path)).toEqual(["/spec/description"]);
  expect(await liveDescription()).toMatchObject({ description: "by hand" });
  expect((await fixture.stack.plan()).changes).toMatchObject([{ direction: "conflict" }]);
});

it("keeps the live value, and its conflict, of an object of which it writes another field", async () => {
  const renamed = {
    kind: "UserGroup",
    name: "north",
    spec: { name: "north-2", description: "two" },
  };
  await fixture.stack.write([renamed]);
  await applyWith("keep");
  expect(await liveDescription("north-2")).toMatchObject({ description: "by hand" });
  expect((await fixture.stack.plan()).changes).toMatchObject([
    { fields: [{ path: "/description", direction: "conflict", base: "one" }] },
  ]);
});

it("keeps the live value of a secret, such as a variable", async () => {
  const variable = (value: string) => ({
    kind: "EnvironmentVariable",
    name: "currency",
    spec: { deployment: { external: "main" }, name: "CURRENCY", value },
  });
  await fixture.stack.write([group("two"), variable("EUR")]);
  await applyWith("overwrite");
  await fixture.service.send("PUT", "/api/v1/deployments/1/env-vars", {
    body: { env_variables: [{ name: "CURRENCY", value: "NOK" }] },
  });
  await fixture.stack.write([group("three"), variable("USD")]);
  const kept = await applyWith("keep");
  expect(kept?.outcomes.map(({ address, result }) => [address, result])).toContainEqual([
    "UserGroup/north",
    "done",
  ]);
  const { changes } = await fixture.stack.plan();
  expect(changes).toMatchObject([
    { address: "EnvironmentVariable/currency", direction: "conflict" },
  ]);
});

it("deletes no object that was edited on the server without asking, and shows the edit", async () => {
  const south = { kind: "UserGroup", name: "south", spec: { name: "south" } };
  await fixture.stack.write([south]);
  await expect(applyWith("fail")).rejects.toMatchObject({
    code: "conflict",
    details: { addresses: ["UserGroup/north"] },
  });
  const plan = await fixture.stack.plan();
  const style = { color: false, width: 100 };
  expect(planText(plan, style)).toContain(
    "- UserGroup/north  (changed on the server too)\n" +
      '    /description: "by hand" → (not set)  (changed here and on the server; last applied: "one")\n',
  );
  expect(driftText({ plan, unmanaged: undefined, manifestDiagnostics: [] }, style)).toContain(
    '    /description: "one" → "by hand"  (changed here and on the server; manifest: (not set))\n',
  );
  const kept = await applyWith("keep");
  expect(kept?.outcomes.map(({ address }) => address)).toEqual(["UserGroup/south"]);
  expect(await liveDescription()).toMatchObject({ description: "by hand" });
  await applyWith("overwrite");
  expect(await liveState(fixture.service)).not.toHaveProperty("UserGroup/north");
});
