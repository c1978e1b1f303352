// Tests bulk operations of SCIM 2.0 (RFC 7644), independent ones and those that depend on each other.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { scimClient } from "../support/scim-client.ts";
import { startService, type TestService } from "../support/test-service.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

let service: TestService;
let count = 0;

beforeAll(async () => {
  service = await startService();
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
});
afterAll(async () => service.close());
beforeEach(() => (count += 1));

const { send, createUser, find } = scimClient(() => service);

it("a bulk operation fails alone for a name with other letters than those of ASCII that is in use", async () => {
  const userName = `Ärztin${count}`;
  await createUser({ userName });
  const post = (data: object, bulkId: string) => ({ method: "POST", path: "/Users", bulkId, data });
  const Operations = [post({ userName }, "a"), post({ userName: `ok${count}` }, "b")];
  expect((await send("POST", "/Bulk", { Operations })).body["Operations"]).toMatchObject([
    { status: "409" },
    { status: "201" },
  ]);
});

it("bulk operations succeed or fail alone, and refer to each other", async () => {
  const Operations = [
    {
      method: "POST",
      path: "/Groups",
      bulkId: "g",
      data: { displayName: `bulk${count}`, members: [{ value: "bulkId:u" }] },
    },
    { method: "POST", path: "/Users", bulkId: "u", data: { userName: `bulk${count}` } },
    { method: "POST", path: "/Users", bulkId: "v", data: { userName: `BULK${count}` } },
    {
      method: "PATCH",
      path: "/users/bulkId:u",
      data: { Operations: [{ op: "add", path: "title", value: "T" }] },
    },
    { method: "DELETE", path: "/Users/999999" },
    { method: "DELETE", path: "/Users/99999999999" },
  ];
  const { status, body } = await send("POST", "/Bulk", { Operations });
  expect(status).toBe(200);
  expect(body["Operations"]).toMatchObject([
    { method: "POST", bulkId: "g", status: "201", location: expect.stringContaining("/Groups/") },
    { bulkId: "u", status: "201" },
    { bulkId: "v", status: "409", response: { scimType: "uniqueness" } },
    { method: "PATCH", status: "200" },
    { method: "DELETE", status: "404" },
    { method: "DELETE", status: "404" },
  ]);
  expect(await find(`userName eq "bulk${count}"`)).toMatchObject({
    Resources: [{ title: "T", groups: [{ display: `bulk${count}` }] }],
  });
  const stopped = await send("POST", "/Bulk", { Operations: Operations.slice(2), failOnErrors: 1 });
  expect(stopped.body["Operations"]).toHaveLength(1);
});

it("bulk operations that refer to each other create all or none, and those that need them follow", async () => {
  const post = (bulkId: string, manager: string) => {
    const data = { userName: `${bulkId}${count}`, [enterprise]: { manager: { value: manager } } };
    return { method: "POST", path: "/Users", bulkId, data };
  };
  const Operations = [
    post("one", "bulkId:two"),
    post("two", "bulkId:one"),
    post("self", "bulkId:self"),
    post("late", "bulkId:none"),
    // Not part of a cycle, but dependent on one.
    post("report", "bulkId:one"),
    post("four", "bulkId:report"),
    // A cycle of three that needs another cycle, and that a name in use prevents.
    ...[post("a", "bulkId:b"), post("b", "bulkId:c"), post("c", "bulkId:a")].map((one) => ({
      ...one,
      data: {
        ...one.data,
        userName: one.bulkId === "b" ? `one${count}` : one.data.userName,
        nickName: one.bulkId === "c" ? "bulkId:two" : "none",
      },
    })),
    post("d", "bulkId:a"),
  ];
  const { body } = await send("POST", "/Bulk", { Operations });
  const invalid = { status: "400", response: { scimType: "invalidValue" } };
  const each = { detail: expect.stringContaining("each other") };
  expect(body["Operations"]).toMatchObject([
    ...["one", "two", "self"].map((bulkId) => ({ bulkId, status: "201" })),
    { bulkId: "late", ...invalid },
    ...["report", "four"].map((bulkId) => ({ bulkId, status: "201" })),
    ...["a", "b", "c"].map((bulkId) => ({ bulkId, status: "409", response: each })),
    { bulkId: "d", ...invalid },
  ]);
  expect(JSON.stringify(body)).not.toContain("uniqueness");
  const user = async (name: string) =>
    (await find(`userName eq "${name}${count}"`)).Resources.map((one) => [
      one.id,
      (one[enterprise] as { manager: { value: string } } | undefined)?.manager.value,
    ]);
  const [[one, ofOne] = []] = await user("one");
  const [[two, ofTwo] = []] = await user("two");
  const [[self, ofSelf] = []] = await user("self");
  expect([ofOne, ofTwo, ofSelf]).toEqual([two, one, self]);
  expect(await user("report")).toEqual([[expect.any(String), one]]);
  expect([...(await user("a")), ...(await user("c"))]).toEqual([]);
});
