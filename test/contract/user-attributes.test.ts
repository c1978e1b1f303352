// Account-wide attributes: definitions, and values that keep to their types.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/user-attributes";
const values = "/api/v1/user-attribute-values";

async function define(body: object): Promise<number> {
  const answer = await service.send("POST", path, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return (answer.body as { id: number }).id;
}

const set = (userAttributeId: number, value: unknown, userId = "1") =>
  service.send("POST", values, {
    body: { userId, userAttributeId: String(userAttributeId), value },
  });

describe("user attributes", () => {
  it("are listed newest first, and by exact name or type", async () => {
    await define({ name: "a", type: "string" });
    await define({ name: "b", type: "boolean" });
    const names = async (query: string) =>
      (
        (await service.send("GET", `${path}${query}`)).body as { items: { name: string }[] }
      ).items.map(({ name }) => name);
    expect(await names("")).toEqual(["b", "a"]);
    expect(await names("?name=a")).toEqual(["a"]);
    expect(await names("?name=A")).toEqual([]);
    expect(await names("?type=boolean")).toEqual(["b"]);
    expect((await service.send("GET", `${path}?type=object`)).status).toBe(400);
  });

  it("have unique names, and neither name nor type can change", async () => {
    const id = await define({ name: "a", type: "string" });
    const again = await service.send("POST", path, { body: { name: "a", type: "number" } });
    expect(again.status).toBe(409);
    for (const body of [{ name: "b" }, { type: "number" }]) {
      expect((await service.send("PUT", `${path}/${id}`, { body })).status).toBe(400);
    }
  });

  it("keep texts that an update leaves out, and lose those that are null", async () => {
    const texts = { displayName: "A", description: "about", defaultValue: "x" };
    const id = await define({ name: "a", type: "string", ...texts });
    const put = async (body: object) => (await service.send("PUT", `${path}/${id}`, { body })).body;
    expect(await put({})).toMatchObject(texts);
    expect(await put({ displayName: "B" })).toMatchObject({ ...texts, displayName: "B" });
    expect(await put({ description: null })).toEqual({
      id,
      name: "a",
      type: "string",
      displayName: "B",
      defaultValue: "x",
    });
    expect((await service.send("PUT", `${path}/999`, { body: {} })).status).toBe(404);
  });

  it.each([
    ["string", "x", [1, true, ["x"]]],
    ["number", 1.5, ["1", true, [1]]],
    ["boolean", false, ["false", 0, [true]]],
    ["string_array", ["x", "y"], ["x", [1], ["x", 1]]],
    ["number_array", [1, 2.5], [1, ["1"], [1, "x"]]],
  ])("of type %s take values of it alone", async (type, right, wrong) => {
    const id = await define({ name: "a", type });
    for (const value of wrong) expect((await set(id, value)).status).toBe(400);
    expect((await service.send("GET", `${values}/1`)).body).toEqual([]);
    const answer = await set(id, right);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ value: right })]);
    expect((await service.send("GET", `${values}/1`)).body).toEqual([answer.body]);
  });

  it("may hold an empty list, and no value once it is cleared", async () => {
    const id = await define({ name: "a", type: "string_array" });
    expect((await set(id, [])).body).toMatchObject({ value: [] });
    expect((await set(id, null)).status).toBe(200);
    expect((await service.send("GET", `${values}/1`)).body).toEqual([]);
    await set(id, ["x"]);
    expect((await set(id, undefined)).status).toBe(200);
    expect((await service.send("GET", `${values}/1`)).body).toEqual([]);
  });

  it("take their values with them when they are deleted", async () => {
    const id = await define({ name: "a", type: "string" });
    await set(id, "x");
    expect((await service.send("DELETE", `${path}/${id}`)).status).toBe(204);
    expect(await service.db.selectFrom("user_attribute_values").selectAll().execute()).toEqual([]);
    expect((await service.send("DELETE", `${path}/${id}`)).status).toBe(404);
    expect((await set(id, "x")).status).toBe(404);
  });

  it("have values only for users who exist", async () => {
    const id = await define({ name: "a", type: "string" });
    expect((await set(id, "x", "99")).status).toBe(404);
    expect((await service.send("GET", `${values}/99`)).status).toBe(404);
    expect((await set(id, "x", "01")).status).toBe(400);
  });
});
