// Tests memberships that a delete or a replacement cascades to while a document of the stack declares the list that has them
// as entries.
import { expect, it } from "vitest";
import { countCascaded } from "../../reconciler/engine/cascade.ts";
import { setUpFixture } from "./fixture.ts";
import type { Doc } from "../support/test-stack.ts";

const fixture = setUpFixture();

const bob = (...groups: readonly string[]): Doc => {
  const spec = { email: "bob@corp.example", username: "bob" };
  return { kind: "User", name: "bob", spec: { ...spec, groups } };
};
const group = (name: string): Doc => ({ kind: "UserGroup", name, spec: { name } });

it("are not counted for a group that a user leaves by its document", async () => {
  const { stack, service } = fixture;
  await stack.write([group("before"), bob("before")]);
  await stack.apply();
  await stack.write([group("after"), bob("after")]);
  const plan = await stack.plan();
  expect(plan.changes.map(({ action, address }) => `${action} ${address}`).toSorted()).toEqual([
    "create UserGroup/after",
    "delete UserGroup/before",
    "update User/bob",
  ]);
  expect(plan.diagnostics.filter(({ code }) => code === "cascade-delete")).toEqual([]);
  // The membership of another user in that group is lost.
  const { body } = await service.send("POST", "/api/v1/users", {
    body: { username: "eve", email: "eve@corp.example" },
  });
  const { id } = body as { id: string };
  await service.send("PUT", `/api/v1/users/${id}/groups`, { body: { groups: ["before"] } });
  const { diagnostics } = await stack.plan();
  expect(diagnostics.filter(({ code }) => code === "cascade-delete")).toMatchObject([
    { summary: expect.stringContaining("1 GroupMembership") },
  ]);
});

const tenant = (name: string): readonly Doc[] => [
  { kind: "EmbedTenant", name: "acme", spec: { name } },
  { kind: "EmbedGroup", name: "managers", spec: { embedTenant: "acme", name: "managers" } },
  {
    kind: "EmbedUser",
    name: "jane",
    spec: { embedTenant: "acme", externalId: "jane", tenantGroups: ["managers"] },
  },
];

it("are not counted for a tenant that is replaced with its users", async () => {
  const { stack } = fixture;
  await stack.write(tenant("acme-before"));
  await stack.apply();
  await stack.write(tenant("acme-after"));
  const plan = await stack.plan();
  expect(plan.changes.map(({ action }) => action)).toEqual(["replace", "replace", "replace"]);
  expect(plan.diagnostics.filter(({ code }) => code === "cascade-delete")).toEqual([]);
});

it("are not counted for a tenant whose documents are removed, or for a group and its members", async () => {
  const { stack } = fixture;
  await stack.write([...tenant("acme-corp"), group("sellers"), bob("sellers")]);
  await stack.apply();
  await stack.write([]);
  const plan = await stack.plan({ allowEmpty: true });
  expect(plan.changes.map(({ action }) => action)).toEqual(Array(5).fill("delete"));
  expect(countCascaded(plan.changes)).toBe(0);
  expect(plan.diagnostics).toEqual([]);
});
