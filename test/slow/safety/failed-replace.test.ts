// Tests replaces whose create fails: svc deletes nothing if it can know that before, else it reports the delete.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
import type { Doc } from "../../support/test-stack.ts";
import { setUpFixture } from "../../safety/fixture.ts";

const fixture = setUpFixture();

const guest = "guest@corp.example";
const admin = "admin@svc.localhost";

const addGuest = async (): Promise<number> => {
  const body = { username: "guest", email: guest };
  const { body: user } = await fixture.service.send("POST", "/api/v1/users", { body });
  return (user as { id: number }).id;
};

/** Approves a plan, and deletes a user before it is executed. */
const deletingUser = (id: number) => async (): Promise<boolean> => {
  await fixture.service.send("DELETE", `/api/v1/users/${id}`);
  return true;
};

const deletes = (): readonly string[] =>
  fixture.proxy.writes().flatMap(({ method, path }) => (method === "DELETE" ? [path] : []));

describe("a replacement by what cannot be created", () => {
  const within = { deployment: { external: "main" } };
  const board: Doc = {
    kind: "Workbook",
    name: "sales",
    spec: { ...within, slug: "sales", dashboard: { title: "Sales" } },
  };
  const weekly: Doc = {
    kind: "Notification",
    name: "weekly",
    spec: { ...within, workbook: "sales", schedule: "0 9 * * 1" },
  };
  const recipient = (user: string): Doc => ({
    kind: "NotificationRecipient",
    name: "reader",
    spec: { ...within, notification: "weekly", user },
  });

  it("is an error of the plan if the user of a notification does not exist, and deletes nothing", async () => {
    await fixture.stack.write([board, weekly, recipient(admin)]);
    await fixture.stack.apply();
    await fixture.stack.write([board, weekly, recipient("ghost@x.example")]);
    const { changes, diagnostics } = await fixture.stack.plan();
    expect(changes).toMatchObject([{ action: "replace" }]);
    expect(diagnostics).toMatchObject([
      {
        code: "value-refused",
        severity: "error",
        path: "/spec/user",
        summary: 'the account has no user "ghost@x.example"',
      },
    ]);
    fixture.proxy.arm();
    await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(fixture.proxy.writes()).toEqual([]);
    // A user of the same plan is created first.
    const ghost = { email: "ghost@x.example", username: "ghost" };
    const user: Doc = { kind: "User", name: "ghost", spec: ghost };
    await fixture.stack.write([user, board, weekly, recipient("ghost@x.example")]);
    expect((await fixture.stack.plan()).diagnostics).toEqual([]);
    expect((await fixture.stack.apply()).outcomes.map(({ result }) => result)).toEqual([
      "done",
      "done",
    ]);
  });

  it("is skipped if the user of the same plan cannot be created, and deletes nothing", async () => {
    await addGuest();
    await fixture.stack.write([board, weekly, recipient(admin)]);
    await fixture.stack.apply();
    // The username is already in use.
    const ghost = { email: "ghost@x.example", username: "guest" };
    const user: Doc = { kind: "User", name: "ghost", spec: ghost };
    await fixture.stack.write([recipient("ghost@x.example"), user, board, weekly]);
    fixture.proxy.arm();
    const { outcomes } = await fixture.stack.apply();
    expect(outcomes).toMatchObject([
      { address: "User/ghost", result: "failed" },
      { address: "NotificationRecipient/reader", result: "skipped" },
    ]);
    expect(deletes()).toEqual([]);
    const { changes } = await fixture.stack.plan();
    expect(changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
      "create User/ghost",
      "replace NotificationRecipient/reader",
    ]);
  });
});

describe("a replacement whose new object needs what was deleted after the plan", () => {
  const role: Doc = { kind: "Role", name: "editors", spec: { name: "editors", policies: [] } };
  const assignment = (user: string): Doc => ({
    kind: "RoleAssignment",
    name: "one",
    spec: { role: "editors", user: { external: user } },
  });

  it("deletes nothing where svc looks it up", async () => {
    const id = await addGuest();
    await fixture.stack.write([role, assignment(admin)]);
    await fixture.stack.apply();
    await fixture.stack.write([role, assignment(guest)]);
    fixture.proxy.arm();
    const { outcomes, writeCalls } = await fixture.stack.apply({ approve: deletingUser(id) });
    expect(outcomes).toMatchObject([
      { action: "replace", result: "failed", failure: { code: "not_found" } },
    ]);
    expect(outcomes[0]?.partial).toBeUndefined();
    expect(writeCalls).toBe(0);
    expect(deletes()).toEqual([]);
    await fixture.stack.write([role, assignment(admin)]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });

  it("says that the former object was deleted where only the server knows", async () => {
    const id = await addGuest();
    const group: Doc = { kind: "UserGroup", name: "north", spec: { name: "north" } };
    const member = (user: string): Doc => ({
      kind: "GroupMembership",
      name: "one",
      spec: { group: "north", user: { external: user } },
    });
    await fixture.stack.write([group, member(admin)]);
    await fixture.stack.apply();
    await fixture.stack.write([group, member(guest)]);
    const { outcomes } = await fixture.stack.apply({ approve: deletingUser(id) });
    const [outcome] = outcomes;
    expect(outcome).toMatchObject({ action: "replace", result: "failed", partial: true });
    expect(outcome?.failure?.message).toMatch(
      /^the former object was deleted, and the new one could not be created: .*guest@corp\.example/u,
    );
    expect(outcome?.failure?.remedy).toContain("The next apply creates it.");
    await fixture.stack.write([group, member(admin)]);
    expect(await actionsOf()).toEqual(["create"]);
  });

  const actionsOf = async (): Promise<readonly JsonValue[]> =>
    (await fixture.stack.plan()).changes.map(({ action }) => action);
});
