// The wire of generate-session: memberships.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
  for (const name of ["analysts", "editors", "owners", "patrons"]) {
    await world.create("/api/v1/user-groups", { name });
  }
});
afterAll(() => world.stop());

/** The account-wide groups that the one member is in; nobody else joins these three. */
async function joined(): Promise<readonly string[]> {
  const groups = await world.items("/api/v1/user-groups");
  return groups
    .filter((group) => group.name !== "patrons" && group["userCount"] === 1)
    .map(({ name }) => name)
    .toSorted();
}

describe("groups of the account", () => {
  const mint = (groups?: unknown) => world.minted({ externalId: "member", groups });

  it("generate-session request row groups: a list of names, not of ids", async () => {
    for (const groups of [[1], "analysts", [{ name: "analysts" }]]) {
      expect((await world.mint({ externalId: "member", groups })).status).toBe(400);
    }
    const id = (await world.items("/api/v1/user-groups"))[0]?.id;
    expect((await world.mint({ externalId: "member", groups: [String(id)] })).status).toBe(400);
  });

  it("generate-session rule 5, named groups: replace the memberships", async () => {
    await mint(["analysts", "editors"]);
    expect(await joined()).toEqual(["analysts", "editors"]);
    await mint(["editors", "owners", "owners"]);
    expect(await joined()).toEqual(["editors", "owners"]);
  });

  it("generate-session rule 5, omitted groups: keep the memberships", async () => {
    await mint(["analysts"]);
    await mint();
    expect(await joined()).toEqual(["analysts"]);
    await mint(null);
    expect(await joined()).toEqual(["analysts"]);
  });

  it("generate-session rule 5, empty groups: clear all memberships", async () => {
    await mint(["analysts", "owners"]);
    await mint([]);
    expect(await joined()).toEqual([]);
  });

  it("generate-session rule 6: an unknown name fails and changes nothing", async () => {
    await mint(["analysts"]);
    const answer = await world.mint({
      externalId: "member",
      groups: ["editors", "ghosts"],
      userProfile: { displayName: "Never" },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe("Groups with names ghosts not found");
    expect(await joined()).toEqual(["analysts"]);
  });

  it("errors message Groups with names <missing> not found: names every missing one", async () => {
    const answer = await world.mint({
      externalId: "member",
      groups: ["ghosts", "analysts", "spooks", "ghosts"],
    });
    expect(answer.body.error).toBe("Groups with names ghosts, spooks not found");
    expect(answer.body.message).toBe(answer.body.error);
    expect(answer.body["statusCode"]).toBe(400);
  });

  it("generate-session rule 6: without creator mode the tenant's groups are not looked at", async () => {
    const base = { externalId: "member", embedTenantName: "scoped" };
    await world.minted({ ...base, creatorMode: true, groupDefinitions: [{ name: "inside" }] });
    const answer = await world.mint({ ...base, groups: ["inside"] });
    expect(answer.body.error).toBe("Groups with names inside not found");
  });
});

describe("groups of an embed tenant, in creator mode", () => {
  const base = { externalId: "creator", embedTenantName: "studio", creatorMode: true };
  const groupDefinitions = [{ name: "makers" }, { name: "viewers" }, { name: "patrons" }];

  it("generate-session rule 6: names resolve in the tenant, also where the account has the same", async () => {
    const before = await world.size("patrons");
    await world.minted({ ...base, groupDefinitions, groups: ["makers", "patrons"] });
    expect(await world.members("studio", "makers")).toEqual(["creator"]);
    expect(await world.members("studio", "patrons")).toEqual(["creator"]);
    expect(await world.size("patrons")).toBe(before);
  });

  it("generate-session rule 5, empty groups: clear the memberships in the tenant only", async () => {
    await world.minted({ ...base, creatorMode: false, groups: ["patrons"] });
    await world.minted({ ...base, groupDefinitions, groups: ["makers"] });
    expect(await world.size("patrons")).toBe(1);
    await world.minted({ ...base, groups: [] });
    expect(await world.members("studio", "makers")).toEqual([]);
    expect(await world.size("patrons")).toBe(1);
  });

  it("generate-session rule 5, omitted groups: keep the memberships in the tenant", async () => {
    await world.minted({ ...base, groupDefinitions, groups: ["viewers"] });
    await world.minted(base);
    expect(await world.members("studio", "viewers")).toEqual(["creator"]);
  });

  it("generate-session rule 5, named groups: replace the memberships in the tenant", async () => {
    await world.minted({ ...base, groupDefinitions, groups: ["viewers"] });
    await world.minted({ ...base, groups: ["makers"] });
    expect(await world.members("studio", "viewers")).toEqual([]);
    expect(await world.members("studio", "makers")).toEqual(["creator"]);
  });

  it("generate-session rule 6: another tenant's groups are unknown", async () => {
    await world.minted({ ...base, groupDefinitions });
    const answer = await world.mint({ ...base, embedTenantName: "elsewhere", groups: ["makers"] });
    expect(answer.body.error).toBe("Groups with names makers not found");
    const names = (await world.items("/api/v1/embed-tenants")).map(({ name }) => name);
    expect(names).not.toContain("elsewhere");
  });
});

describe("repeating and crowding", () => {
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
      await world.items("/api/v1/embed-tenants"),
      await world.items("/api/v1/embed-tenants/repeats/groups"),
      await world.items("/api/v1/embed-tenants/repeats/user-attributes"),
      await world.items("/api/v1/embed-tenants/repeats/users"),
      await world.members("repeats", "regulars"),
      await world.values("repeats", "again"),
    ];
    await world.minted(request);
    const first = await state();
    await world.minted(request);
    expect(await state()).toEqual(first);
  });

  it("generate-session rule 9: fifty identical requests at once all succeed and nothing doubles", async () => {
    const request = {
      externalId: "crowd",
      embedTenantName: "crowded",
      creatorMode: true,
      groupDefinitions: [{ name: "crowd-group" }],
      userAttributeDefinitions: [{ name: "seat", type: "number" }],
      groups: ["crowd-group"],
      userAttributes: [{ name: "seat", value: 7 }],
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.mint(request)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(50);
    const count = async (what: string) =>
      (await world.items(`/api/v1/embed-tenants/crowded/${what}`)).length;
    expect([await count("users"), await count("groups"), await count("user-attributes")]).toEqual([
      1, 1, 1,
    ]);
    expect(await world.members("crowded", "crowd-group")).toEqual(["crowd"]);
    expect(await world.values("crowded", "crowd")).toEqual({ seat: 7 });
  });
});
