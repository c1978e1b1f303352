// Tests literal requests of the areas that the specification names without examples, as documented publicly and in our
// additions.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
let deployment: string;
beforeAll(async () => {
  fixture = await startWireFixture();
  deployment = `/api/v1/deployments/${fixture.deploymentId}`;
});
afterAll(() => fixture.stop());

const status = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await fixture.call(method, path, { body })).status;
const json = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fixture.call(method, path, { body });
  expect(answer.status).toBe(200);
  return answer.json;
};

/** Deletes the object, and expects that it no longer exists. */
async function deleteAndCheck(path: string): Promise<void> {
  expect(await status("DELETE", path)).toBeLessThan(300);
  expect(await status("GET", path)).toBe(404);
}

describe("the prefixes", () => {
  it("service item 1: the management API holds deployments, what belongs to one, and what belongs to the account", async () => {
    for (const suffix of [
      "",
      "/settings",
      "/versions",
      "/env-vars",
      "/workbooks",
      "/notifications",
    ]) {
      expect([suffix, await status("GET", `${deployment}${suffix}`)]).toEqual([suffix, 200]);
    }
    for (const area of ["users", "user-attributes", "user-groups", "embed-tenants", "api-keys"]) {
      expect([area, await status("GET", `/api/v1/${area}`)]).toEqual([area, 200]);
    }
  });

  it("service item 2: the build API is on the same host with the same token, and differs by its prefix only", async () => {
    const authorization = `Bearer ${fixture.apiKey}`;
    const [region] = await fixture.items("/api/v1/regions");
    const body = { name: "built", region: region?.name };
    const path = "/build/api/v1/deployments";
    const built = await fixture.call("POST", path, { authorization, body });
    expect(built.status).toBe(200);
    const read = await fixture.call("GET", `/api/v1/deployments/${built.body.id}`, {
      authorization,
    });
    expect(read.json).toMatchObject({ id: built.body.id, name: "built" });
    expect(await status("POST", "/api/v1/deployments", { ...body, name: "other" })).toBe(405);
  });
});

describe("areas of the account", () => {
  it("client area Other, regions: are listed by name", async () => {
    const regions = await fixture.items("/api/v1/regions");
    expect(regions[0]).toMatchObject({ id: expect.any(Number), name: expect.any(String) });
  });

  it("client area Other, groups: are listed, created, read, changed and deleted", async () => {
    const id = await fixture.create("/api/v1/user-groups", { name: "sellers", description: "d" });
    const path = `/api/v1/user-groups/${id}`;
    expect(await json("GET", path)).toEqual({
      id,
      name: "sellers",
      description: "d",
      userCount: 0,
    });
    expect(await json("PATCH", path, { name: "buyers" })).toMatchObject({ name: "buyers" });
    expect(await fixture.items("/api/v1/user-groups")).toMatchObject([{ id, name: "buyers" }]);
    await deleteAndCheck(path);
  });

  it("client area Other, attributes: are listed, created, changed and deleted", async () => {
    const list = "/api/v1/user-attributes";
    const id = await fixture.create(list, { name: "city", type: "string", displayName: "City" });
    const city = { id, name: "city", type: "string" };
    expect(await fixture.items(list)).toMatchObject([{ ...city, displayName: "City" }]);
    expect(await json("PUT", `${list}/${id}`, { displayName: "Town" })).toMatchObject({
      ...city,
      displayName: "Town",
    });
    expect(await status("DELETE", `${list}/${id}`)).toBeLessThan(300);
    expect(await fixture.items(list)).toEqual([]);
  });
});

describe("areas of a deployment", () => {
  it("client area Other, workbooks: are listed, created, read, changed, published and deleted", async () => {
    const list = `${deployment}/workbooks`;
    const id = await fixture.create(list, { name: "Sales" });
    expect(await json("GET", `${list}/${id}`)).toMatchObject({ id, name: "Sales" });
    expect(await json("PUT", `${list}/${id}`, { name: "Trade" })).toMatchObject({ name: "Trade" });
    const body = { workbookId: id, config: { title: "Trade" } };
    expect(await json("POST", `${list}/${id}/publish`, body)).toMatchObject({
      publicId: expect.any(String),
      versionNumber: 1,
    });
    expect(await fixture.items(list)).toMatchObject([{ id, name: "Trade" }]);
    await deleteAndCheck(`${list}/${id}`);
  });

  it("client area Other, notifications: are listed, created, read, changed and deleted", async () => {
    const workbook = await fixture.create(`${deployment}/workbooks`, { name: "Mailed" });
    const publish = `${deployment}/workbooks/${workbook}/publish`;
    const { id: dashboardId } = (await json("POST", publish, {
      workbookId: workbook,
      config: {},
    })) as { id: number };
    const list = `${deployment}/notifications`;
    const id = await fixture.create(list, { dashboardId, scheduleType: "DAILY", hour: 9 });
    expect(await json("GET", `${list}/${id}`)).toMatchObject({ id, cronExpression: "0 9 * * *" });
    const weekly = { scheduleType: "WEEKLY", dayOfWeek: 1, hour: 9 };
    const changed = await fixture.call("PUT", `${list}/${id}`, { body: weekly });
    expect(changed.json).toMatchObject({ id, cronExpression: "0 9 * * 1" });
    expect(await fixture.items(list)).toMatchObject([{ id }]);
    await deleteAndCheck(`${list}/${id}`);
  });
});
