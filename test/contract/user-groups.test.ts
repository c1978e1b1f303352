// Account-wide groups.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/user-groups";

async function make(body: object): Promise<number> {
  const answer = await service.send("POST", path, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return (answer.body as { id: number }).id;
}

describe("account groups", () => {
  it("have unique names without the prefix of the system's groups", async () => {
    await make({ name: "sellers" });
    expect((await service.send("POST", path, { body: { name: "sellers" } })).status).toBe(409);
    expect((await service.send("POST", path, { body: { name: "system:all" } })).status).toBe(400);
    expect((await service.send("POST", path, { body: { name: "" } })).status).toBe(400);
    // Names differ by case.
    await make({ name: "Sellers" });
  });

  it("keep what an update leaves out; null or nothing clears a description", async () => {
    const id = await make({ name: "a", description: "text" });
    const patch = async (body: object) =>
      (await service.send("PATCH", `${path}/${id}`, { body })).body;
    expect(await patch({})).toEqual({ id, name: "a", description: "text", userCount: 0 });
    expect(await patch({ name: "b" })).toMatchObject({ name: "b", description: "text" });
    expect(await patch({ description: "" })).toEqual({ id, name: "b", userCount: 0 });
    await patch({ description: "again" });
    expect(await patch({ description: null })).toEqual({ id, name: "b", userCount: 0 });
    const other = await make({ name: "other" });
    const taken = await service.send("PATCH", `${path}/${other}`, { body: { name: "b" } });
    expect(taken.status).toBe(409);
    expect((await service.send("PATCH", `${path}/999`, { body: { name: "c" } })).status).toBe(404);
    expect(await patch({ name: "b" })).toMatchObject({ name: "b" });
  });

  it("are found by a part of their name, in any case and without wildcards", async () => {
    for (const name of ["Köln", "100%", "plain"]) await make({ name });
    const names = async (search: string) =>
      (
        (await service.send("GET", `${path}?search=${encodeURIComponent(search)}`)).body as {
          items: { name: string }[];
        }
      ).items.map(({ name }) => name);
    expect(await names("KÖL")).toEqual(["Köln"]);
    expect(await names("%")).toEqual(["100%"]);
    expect(await names("")).toEqual(["plain", "100%", "Köln"]);
  });

  it.each(["/api/v1/groups", path])("are deleted with their memberships on %s", async (base) => {
    const id = await make({ name: "sellers" });
    const session = { deploymentId: 1, externalId: "visitor", groups: ["sellers"] };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    expect((await service.send("GET", `${path}/${id}`)).body).toMatchObject({ userCount: 1 });
    expect((await service.send("DELETE", `${base}/${id}`)).status).toBe(204);
    expect(await service.db.selectFrom("group_members").selectAll().execute()).toEqual([]);
    expect((await service.send("DELETE", `${base}/${id}`)).status).toBe(404);
  });

  it("are not those of embed tenants", async () => {
    const tenant = "/api/v1/embed-tenants/acme-inc";
    await service.send("POST", `${tenant}/user`, { body: { externalId: "visitor" } });
    const created = await service.send("POST", `${tenant}/groups`, { body: { name: "inside" } });
    const { id } = created.body as { id: number };
    expect((await service.send("GET", path)).body).toMatchObject({ items: [] });
    for (const [method, base] of [
      ["GET", path],
      ["PATCH", path],
      ["DELETE", path],
      ["DELETE", "/api/v1/groups"],
    ] as const) {
      const body = method === "PATCH" ? { name: "stolen" } : undefined;
      expect((await service.send(method, `${base}/${id}`, { body })).status).toBe(404);
    }
    await make({ name: "inside" });
  });
});
