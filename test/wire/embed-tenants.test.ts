// Tests literal requests that administer embed tenants: lists by cursor, and deletes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
const base = "/api/v1/embed-tenants/paged";
const names = ["n-1", "n-2", "n-3", "n-4", "n-5"];
beforeAll(async () => {
  fixture = await startWireFixture();
  await fixture.createSessionId({
    externalId: "creator",
    embedTenantName: "paged",
    creatorMode: true,
    groupDefinitions: names.map((name) => ({ name })),
    userAttributeDefinitions: names.map((name) => ({ name, type: "string" })),
    groups: ["n-1"],
    userAttributes: [{ name: "n-1", value: "x" }],
  });
});
afterAll(() => fixture.stop());

/** Returns the names on every page of two items, in the order of the pages. */
async function walkPages(path: string): Promise<readonly string[][]> {
  const pages: string[][] = [];
  let after = "";
  for (let page = 0; page < 10; page++) {
    const { status, body } = await fixture.call("GET", `${path}?first=2${after}`);
    expect(status).toBe(200);
    pages.push(body.items.map(({ name }) => name));
    if (!body.pageInfo.hasNextPage) return pages;
    after = `&after=${encodeURIComponent(String(body.pageInfo.endCursor))}`;
  }
  throw new Error("the pages do not end");
}

it("a tenant that does not exist is named, with how to create it and the nearest name", async () => {
  const missing = (name: string) => fixture.call("GET", `/api/v1/embed-tenants/${name}/groups`);
  const text =
    "; declare the tenant in a manifest or in Terraform, or let its first session or user create it";
  for (const [name, hint] of [
    ["pagde", '. Did you mean "paged"?'],
    ["elsewhere", ""],
  ] as const) {
    expect(await missing(name)).toMatchObject({
      status: 404,
      body: { message: `there is no embed tenant "${name}"${text}${hint}` },
    });
  }
});

describe("lists of an embed tenant", () => {
  it("endpoint row GET embed-tenants groups: in pages, each item once", async () => {
    const pages = await walkPages(`${base}/groups`);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().toSorted()).toEqual(names);
    const whole = await fixture.items(`${base}/groups`);
    expect(whole.map(({ name }) => name)).toEqual(pages.flat());
    expect(whole.every(({ id }) => Number.isInteger(id))).toBe(true);
  });

  it("endpoint row GET embed-tenants user-attributes: in pages, each item once", async () => {
    const pages = await walkPages(`${base}/user-attributes`);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().toSorted()).toEqual(names);
    const whole = await fixture.items(`${base}/user-attributes`);
    expect(whole.map((item) => item["type"])).toEqual(names.map(() => "string"));
  });

  it.each(["groups", "user-attributes"])(
    "endpoint row GET embed-tenants %s: refuses what is no page",
    async (list) => {
      for (const query of ["first=0", "first=-1", "first=x", "after=not-a-cursor"]) {
        expect((await fixture.call("GET", `${base}/${list}?${query}`)).status).toBe(400);
      }
    },
  );

  it.each(["groups", "user-attributes", "users"])(
    "endpoint row GET embed-tenants %s: an unknown tenant is not found",
    async (list) => {
      const answer = await fixture.call("GET", `/api/v1/embed-tenants/nowhere/${list}`);
      expect(answer.status).toBe(404);
      expect(answer.body["statusCode"]).toBe(404);
    },
  );
});

describe("deleting in an embed tenant", () => {
  /** Creates a separate tenant with a group, an attribute, and a user who has both. */
  async function furnished(embedTenantName: string): Promise<string> {
    await fixture.createSessionId({
      externalId: "creator",
      embedTenantName,
      creatorMode: true,
      groupDefinitions: [{ name: "gone" }, { name: "stays" }],
      userAttributeDefinitions: [
        { name: "gone", type: "string" },
        { name: "stays", type: "string" },
      ],
      groups: ["gone"],
      userAttributes: [{ name: "gone", value: "x" }],
    });
    return `/api/v1/embed-tenants/${embedTenantName}`;
  }

  it("endpoint row DELETE embed-tenants group: deletes it, members or not", async () => {
    const list = `${await furnished("losing-groups")}/groups`;
    const id = (await fixture.items(list)).find(({ name }) => name === "gone")?.id;
    const answer = await fixture.call("DELETE", `${list}/${id}`);
    expect([200, 204]).toContain(answer.status);
    expect((await fixture.items(list)).map(({ name }) => name)).toEqual(["stays"]);
    expect((await fixture.call("DELETE", `${list}/${id}`)).status).toBe(404);
    expect(await fixture.user("losing-groups", "creator")).toBeDefined();
  });

  it("endpoint row DELETE embed-tenants user-attribute: deletes it with its values", async () => {
    const list = `${await furnished("losing-attributes")}/user-attributes`;
    const id = (await fixture.items(list)).find(({ name }) => name === "gone")?.id;
    const answer = await fixture.call("DELETE", `${list}/${id}`);
    expect([200, 204]).toContain(answer.status);
    expect((await fixture.items(list)).map(({ name }) => name)).toEqual(["stays"]);
    expect((await fixture.call("DELETE", `${list}/${id}`)).status).toBe(404);
    expect(await fixture.values("losing-attributes", "creator")).toEqual({});
  });

  it("endpoint row DELETE embed-tenants group: not through another tenant", async () => {
    await fixture.createSessionId({ externalId: "creator", embedTenantName: "strangers" });
    const id = (await fixture.items(`${base}/groups`))[0]?.id;
    const path = `/api/v1/embed-tenants/strangers/groups/${id}`;
    expect((await fixture.call("DELETE", path)).status).toBe(404);
    expect((await fixture.items(`${base}/groups`)).some((group) => group.id === id)).toBe(true);
  });

  it("endpoint row DELETE embed-tenants group: an account-wide group is not the tenant's", async () => {
    const id = await fixture.create("/api/v1/user-groups", { name: "account-wide" });
    expect((await fixture.call("DELETE", `${base}/groups/${id}`)).status).toBe(404);
    expect(await fixture.memberCount("account-wide")).toBe(0);
  });
});
