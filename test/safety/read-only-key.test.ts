// Tests plans with a read-only key and the inventory at the service: plans work, and an apply writes nothing.
import { describe, expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { drift } from "../../reconciler/drift.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ inventory: "service", name: "shop" });

const group = (description: string): Doc => ({
  kind: "UserGroup",
  name: "north",
  spec: { name: "north", description },
});
const workbook: Doc = {
  kind: "Workbook",
  name: "sales",
  spec: { deployment: { external: "main" }, slug: "sales", name: "Sales" },
};
const folder: Doc = {
  kind: "Folder",
  name: "reports",
  spec: { deployment: { external: "main" }, name: "Reports" },
};
const access: Doc = {
  kind: "FolderAccess",
  name: "north-reports",
  spec: {
    deployment: { external: "main" },
    folder: "reports",
    group: "north",
    action: "FolderRead",
  },
};
const own = { name: "svc-inventory.shop", access: "read" };
const parts = { name: "svc-part.*", access: "read" };

async function connectionOf(key: object) {
  const body = { name: "plan", ...key };
  const created = await fixture.service.send("POST", "/api/v1/api-keys", { body });
  const credential = new Secret((created.body as { token: string }).token);
  return { ...fixture.stack.options.connection, credential };
}

describe("a read-only key", () => {
  it("plans and finds drift with the inventory at the service, and cannot apply", async () => {
    const others = [workbook, folder, access];
    await fixture.stack.write([group("first"), ...others]);
    await fixture.stack.apply();
    const connection = await connectionOf({ permissions: ["ReadAll"], states: [own, parts] });
    expect((await fixture.stack.plan({ connection })).changes).toEqual([]);
    const drifted = await drift({ ...fixture.stack.options, connection });
    expect(drifted).toMatchObject({ ok: true });
    await fixture.stack.write([group("second"), ...others]);
    const plan = await fixture.stack.plan({ connection });
    expect(plan.changes).toMatchObject([{ action: "update", address: "UserGroup/north" }]);
    expect(plan.diagnostics).toMatchObject([
      {
        code: "not-permitted",
        summary: expect.stringContaining(
          "cannot write UserGroup/north: the credential lacks the permission UsersManage",
        ),
      },
    ]);
    fixture.proxy.arm();
    await expect(fixture.stack.apply({ connection })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("the credential lacks the permission UsersManage"),
      remedy: expect.stringContaining("Nothing was written"),
    });
    expect(fixture.proxy.writes()).toEqual([]);
    await fixture.stack.apply({ savedPlan: plan });
    expect((await fixture.stack.plan({ connection })).changes).toEqual([]);
  });

  it("cannot apply without the right to write the inventory", async () => {
    await fixture.stack.write([group("first")]);
    const connection = await connectionOf({
      permissions: ["ReadAll", "UsersManage"],
      states: [own, parts],
    });
    await expect(fixture.stack.apply({ connection })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("StateWrite for state svc-inventory.shop"),
    });
    const groups = await fixture.service.send("GET", "/api/v1/user-groups");
    expect(groups.body).toMatchObject({ items: [] });
  });

  it("without the right to read the inventory cannot plan", async () => {
    await fixture.stack.write([group("first")]);
    const connection = await connectionOf({ permissions: ["ReadAll"] });
    await expect(fixture.stack.plan({ connection })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("StateRead for state svc-inventory.shop"),
      remedy: expect.stringContaining("docs/how-to/plan-with-a-read-only-key.md"),
    });
  });

  it("without the permission to read an object cannot plan, and says what a plan needs", async () => {
    await fixture.stack.write([group("first")]);
    await fixture.stack.apply();
    const connection = await connectionOf({ permissions: ["WorkbookRead"], states: [own, parts] });
    await expect(fixture.stack.plan({ connection })).rejects.toMatchObject({
      code: "forbidden",
      remedy: expect.stringContaining("docs/how-to/plan-with-a-read-only-key.md"),
    });
  });
});
