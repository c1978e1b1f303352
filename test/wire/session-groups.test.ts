// Tests literal requests of generate-session: memberships.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
beforeAll(async () => {
  fixture = await startWireFixture();
  for (const name of ["analysts", "editors", "owners", "patrons"]) {
    await fixture.create("/api/v1/user-groups", { name });
  }
});
afterAll(() => fixture.stop());

/** Returns the account-wide groups of the only member; no one else joins these three. */
async function memberGroups(): Promise<readonly string[]> {
  const groups = await fixture.items("/api/v1/user-groups");
  return groups
    .filter((group) => group.name !== "patrons" && group["userCount"] === 1)
    .map(({ name }) => name)
    .toSorted();
}

describe("groups of the account", () => {
  const create = (groups?: unknown) => fixture.createSessionId({ externalId: "member", groups });

  it("generate-session request row groups: a list of names, not of ids", async () => {
    for (const groups of [[1], "analysts", [{ name: "analysts" }]]) {
      expect((await fixture.generateSession({ externalId: "member", groups })).status).toBe(400);
    }
    const id = (await fixture.items("/api/v1/user-groups"))[0]?.id;
    expect(
      (await fixture.generateSession({ externalId: "member", groups: [String(id)] })).status,
    ).toBe(400);
  });

  it("generate-session rule 5, named groups: replace the memberships", async () => {
    await create(["analysts", "editors"]);
    expect(await memberGroups()).toEqual(["analysts", "editors"]);
    await create(["editors", "owners", "owners"]);
    expect(await memberGroups()).toEqual(["editors", "owners"]);
  });

  it("generate-session rule 5, omitted groups: keep the memberships", async () => {
    await create(["analysts"]);
    await create();
    expect(await memberGroups()).toEqual(["analysts"]);
    await create(null);
    expect(await memberGroups()).toEqual(["analysts"]);
  });

  it("generate-session rule 5, empty groups: clear all memberships", async () => {
    await create(["analysts", "owners"]);
    await create([]);
    expect(await memberGroups()).toEqual([]);
  });

  it("generate-session rule 6: an unknown name fails and changes nothing", async () => {
    await create(["analysts"]);
    const answer = await fixture.generateSession({
      externalId: "member",
      groups: ["editors", "ghosts"],
      userProfile: { displayName: "Never" },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe("Groups with names ghosts not found");
    expect(await memberGroups()).toEqual(["analysts"]);
  });

  it("errors message Groups with names <missing> not found: names every missing one", async () => {
    const answer = await fixture.generateSession({
      externalId: "member",
      groups: ["ghosts", "analysts", "spooks", "ghosts"],
    });
    expect(answer.body.error).toBe("Groups with names ghosts, spooks not found");
    expect(answer.body.message).toBe(answer.body.error);
    expect(answer.body["statusCode"]).toBe(400);
  });

  it("generate-session rule 6: without creator mode the tenant's groups are not looked at", async () => {
    const base = { externalId: "member", embedTenantName: "scoped" };
    await fixture.createSessionId({
      ...base,
      creatorMode: true,
      groupDefinitions: [{ name: "inside" }],
    });
    const answer = await fixture.generateSession({ ...base, groups: ["inside"] });
    expect(answer.body.error).toBe("Groups with names inside not found");
  });
});

describe("groups of an embed tenant, in creator mode", () => {
  const base = { externalId: "creator", embedTenantName: "studio", creatorMode: true };
  const groupDefinitions = [{ name: "makers" }, { name: "viewers" }, { name: "patrons" }];

  it("generate-session rule 6: names resolve in the tenant, also where the account has the same", async () => {
    const before = await fixture.memberCount("patrons");
    await fixture.createSessionId({ ...base, groupDefinitions, groups: ["makers", "patrons"] });
    expect(await fixture.members("studio", "makers")).toEqual(["creator"]);
    expect(await fixture.members("studio", "patrons")).toEqual(["creator"]);
    expect(await fixture.memberCount("patrons")).toBe(before);
  });

  it("generate-session rule 5, empty groups: clear the memberships in the tenant only", async () => {
    await fixture.createSessionId({ ...base, creatorMode: false, groups: ["patrons"] });
    await fixture.createSessionId({ ...base, groupDefinitions, groups: ["makers"] });
    expect(await fixture.memberCount("patrons")).toBe(1);
    await fixture.createSessionId({ ...base, groups: [] });
    expect(await fixture.members("studio", "makers")).toEqual([]);
    expect(await fixture.memberCount("patrons")).toBe(1);
  });

  it("generate-session rule 5, omitted groups: keep the memberships in the tenant", async () => {
    await fixture.createSessionId({ ...base, groupDefinitions, groups: ["viewers"] });
    await fixture.createSessionId(base);
    expect(await fixture.members("studio", "viewers")).toEqual(["creator"]);
  });

  it("generate-session rule 5, named groups: replace the memberships in the tenant", async () => {
    await fixture.createSessionId({ ...base, groupDefinitions, groups: ["viewers"] });
    await fixture.createSessionId({ ...base, groups: ["makers"] });
    expect(await fixture.members("studio", "viewers")).toEqual([]);
    expect(await fixture.members("studio", "makers")).toEqual(["creator"]);
  });

  it("generate-session rule 6: another tenant's groups are unknown", async () => {
    await fixture.createSessionId({ ...base, groupDefinitions });
    const answer = await fixture.generateSession({
      ...base,
      embedTenantName: "elsewhere",
      groups: ["makers"],
    });
    expect(answer.body.error).toBe("Groups with names makers not found");
    const names = (await fixture.items("/api/v1/embed-tenants")).map(({ name }) => name);
    expect(names).not.toContain("elsewhere");
  });
});

describe("repeated and concurrent requests", () => {
  it("generate-session rule 9: an identical request yields the same end state", async () => {
    const request = {
      externalId: "again",
      embedTenantName: "repeats",
      creatorMode: true,
      email: "again@example.com",
      userProfile: { displayName: "Again" },
      groupDefinitions: [{ name: "regulars", description: "come again" }],
      userAttributeDefinitions: [{ name: "region", type: "string" }],
      groups: ["regulars"],
      userAttributes: [{ name: "region", value: "eu" }],
    };
    const state = async () => [
      await fixture.items("/api/v1/embed-tenants"),
      await fixture.items("/api/v1/embed-tenants/repeats/groups"),
      await fixture.items("/api/v1/embed-tenants/repeats/user-attributes"),
      await fixture.items("/api/v1/embed-tenants/repeats/users"),
      await fixture.members("repeats", "regulars"),
      await fixture.values("repeats", "again"),
    ];
    await fixture.createSessionId(request);
    const first = await state();
    await fixture.createSessionId(request);
    expect(await state()).toEqual(first);
  });

  it("generate-session rule 9: fifty identical concurrent requests all succeed and nothing doubles", async () => {
    const request = {
      externalId: "crowd",
      embedTenantName: "crowded",
      creatorMode: true,
      groupDefinitions: [{ name: "crowd-group" }],
      userAttributeDefinitions: [{ name: "seat", type: "number" }],
      groups: ["crowd-group"],
      userAttributes: [{ name: "seat", value: 7 }],
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => fixture.generateSession(request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(50);
    const count = async (what: string) =>
      (await fixture.items(`/api/v1/embed-tenants/crowded/${what}`)).length;
    expect([await count("users"), await count("groups"), await count("user-attributes")]).toEqual([
      1, 1, 1,
    ]);
    expect(await fixture.members("crowded", "crowd-group")).toEqual(["crowd"]);
  });
});
