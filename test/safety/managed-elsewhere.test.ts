// Tests plans for users and groups that an identity provider manages through SCIM, on the real service.
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { scimClient } from "../support/scim-client.ts";
import { changeSummaries, type Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();
const scim = scimClient(() => fixture.service);
const email = "ann@corp.example";
const ann: JsonObject = { email, username: email, firstName: "Ann Lee" };

function user(spec: JsonObject): Doc {
  return { kind: "User", name: "ann", spec };
}

function group(spec: JsonObject = {}): Doc {
  return { kind: "UserGroup", name: "sales", spec: { name: "Sales", ...spec } };
}

function membership(member: string): Doc {
  const spec = { group: { external: "Sales" }, user: { external: member } };
  return { kind: "GroupMembership", name: "one", spec };
}

beforeEach(async () => {
  await fixture.service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  const { id } = await scim.createUser({ userName: email, displayName: "Ann Lee" });
  const members = [{ value: id }];
  const created = await scim.send("POST", "/Groups", { displayName: "Sales", members });
  expect(created.status).toBe(201);
});

/** Expects these errors as `path: summary`, and that an apply writes nothing. */
async function expectRefused(expected: readonly string[], more = {}): Promise<void> {
  const { diagnostics } = await fixture.stack.plan(more);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map(({ path = "", summary }) => `${path}: ${summary}`)).toEqual(expected);
  fixture.proxy.arm();
  await expect(fixture.stack.apply({ ...more, allowDeletes: 9 })).rejects.toMatchObject({
    code: "refused",
  });
  expect(fixture.proxy.writes()).toEqual([]);
}

async function changes(): Promise<readonly string[]> {
  const plan = await fixture.stack.plan();
  expect(plan.diagnostics).toEqual([]);
  return changeSummaries(plan.changes);
}

const manager = "the identity provider (SCIM) manages";

describe("what an identity provider manages", () => {
  it("is shown by the API while SCIM is enabled", async () => {
    const shown = async (path: string) => {
      const { body } = await fixture.service.send("GET", path);
      const { items } = body as { items: readonly { id: number; managedBy?: string }[] };
      const [{ id, managedBy } = { id: 0 }] = items;
      const one = await fixture.service.send("GET", `${path.split("?")[0]}/${id}`);
      return [managedBy, (one.body as { managedBy?: string }).managedBy];
    };
    const paths = [`/api/v1/users?search=${email}`, "/api/v1/user-groups?search=Sales"];
    for (const path of paths) expect(await shown(path)).toEqual(["scim", "scim"]);
    expect(await shown("/api/v1/users?search=operator")).toEqual([undefined, undefined]);
    await fixture.service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: false } });
    for (const path of paths) expect(await shown(path)).toEqual([undefined, undefined]);
  });

  it("is refused by a plan, field by field with its place, and a document that equals it is adopted", async () => {
    await fixture.stack.write([user({ ...ann, title: "CEO", isDeactivated: true }), group()]);
    const adopt = () => true;
    await expectRefused(
      ["title", "isDeactivated"].map(
        (field) => `/spec/${field}: ${manager} ${field} of User ${email}`,
      ),
      { adopt },
    );
    const [first] = (await fixture.stack.plan({ adopt })).diagnostics;
    expect(first).toMatchObject({
      code: "managed-elsewhere",
      address: "User/ann",
      place: { file: "documents.yaml", line: expect.any(Number) },
    });
    await fixture.stack.write([user(ann), group({ description: "Ours" })]);
    await fixture.stack.apply({ adopt });
    expect(await changes()).toEqual([]);
    await fixture.stack.write([user({ ...ann, isAdmin: true }), group({ description: "New" })]);
    expect(await changes()).toEqual([
      "update User/ann /isAdmin",
      "update UserGroup/sales /description",
    ]);
    await fixture.stack.apply();
    await fixture.stack.write([
      user({ ...ann, username: "ann", isAdmin: true }),
      group({ name: "Sellers" }),
    ]);
    await expectRefused([
      `: ${manager} User ${email}, which only it can delete`,
      `/spec/name: ${manager} name of UserGroup Sales`,
    ]);
    await fixture.stack.write([user({ ...ann, isAdmin: true })]);
    await expectRefused([`: ${manager} UserGroup Sales, which only it can delete`]);
  });

  it("is refused by a plan with the name of the SCIM integration, until that is disabled", async () => {
    const integrations = "/api/v1/scim-integrations";
    const created = await fixture.service.send("POST", integrations, { body: { name: "entra" } });
    const { id, token } = created.body as { id: number; token: string };
    const as = (method: string, path: string, body: object) =>
      fixture.service.send(method, `/api/scim/v2${path}`, { key: token, body });
    const found = await scim.find(`userName eq "${email}"`);
    const [{ id: userId } = { id: "" }] = found.Resources;
    const link = { body: { scimIntegration: "entra" } };
    await fixture.service.send("PUT", `/api/v1/users/${userId}`, link);
    const userBody = { userName: email, displayName: "Ann Lee" };
    expect((await as("PUT", `/Users/${userId}`, userBody)).status).toBe(200);
    const members = [{ value: userId }];
    expect((await as("POST", "/Groups", { displayName: "Field", members })).status).toBe(201);
    const field: Doc = { kind: "UserGroup", name: "field", spec: { name: "Fields" } };
    const adopt = () => true;
    const owner = 'the SCIM integration "entra" manages';
    await fixture.stack.write([user({ ...ann, title: "CEO" })]);
    await expectRefused([`/spec/title: ${owner} title of User ${email}`], { adopt });
    await fixture.stack.write([user({ ...ann, groups: [] })]);
    await expectRefused(
      [
        `/spec/groups: ${owner} the members of group "Field"; change them there`,
        `/spec/groups: ${manager} the members of group "Sales"; change them there`,
      ],
      { adopt },
    );
    await fixture.service.send("PATCH", `${integrations}/${id}`, { body: { isEnabled: false } });
    await fixture.stack.write([user({ ...ann, title: "CEO" }), field]);
    await fixture.stack.apply({ adopt });
    expect(await changes()).toEqual([]);
  });

  it("has members that a plan refuses to add, to remove and to list differently", async () => {
    const errors = (field: string) => [
      `/spec/${field}: ${manager} the members of group "Sales"; change them there`,
    ];
    const other = { email: "bob@corp.example", username: "bob" };
    await fixture.service.send("POST", "/api/v1/users", { body: other });
    await fixture.stack.write([membership(other.email)]);
    await expectRefused(errors("group"));
    await fixture.stack.write([membership(email)]);
    await fixture.stack.apply({ adopt: () => true });
    await fixture.stack.write([user(ann)]);
    await expectRefused([`: ${manager} GroupMembership Sales/${email}, which only it can delete`], {
      adopt: () => true,
    });
    await fixture.stack.loseInventory();
    const own: Doc = { kind: "UserGroup", name: "own", spec: { name: "own" } };
    const groups = (...names: readonly string[]) => [
      own,
      user({ ...ann, groups: names.map((external) => ({ external })) }),
    ];
    await fixture.stack.write(groups());
    await expectRefused(errors("groups"), { adopt: () => true });
    await fixture.stack.write(groups("Sales", "own"));
    await fixture.stack.apply({ adopt: () => true });
    expect(await changes()).toEqual([]);
    const bo = { email: "bo@corp.example", username: "bo", groups: [{ external: "Sales" }] };
    await fixture.stack.write([...groups("Sales"), { kind: "User", name: "bo", spec: bo }]);
    await expectRefused(errors("groups"));
  });
});
