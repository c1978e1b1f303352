// Tests literal requests of generate-session: the embed tenant, creator mode, profile, context and settings.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
beforeAll(async () => {
  fixture = await startWireFixture();
});
afterAll(() => fixture.stop());

const tenants = async () =>
  (await fixture.items("/api/v1/embed-tenants")).map(({ name }) => name).toSorted();

describe("the embed tenant of a session", () => {
  it("generate-session request row embedTenantName: left out, the current tenant", async () => {
    const homes = async () => {
      const all = await tenants();
      const users = await Promise.all(all.map((name) => fixture.user(name, "homebody")));
      return all.filter((_, index) => users[index] !== undefined);
    };
    await fixture.createSessionId({ externalId: "homebody" });
    const first = await homes();
    expect(first).toHaveLength(1);
    await fixture.createSessionId({ externalId: "homebody", embedTenantName: null });
    await fixture.createSessionId({ externalId: "homebody", embedTenantName: first[0] });
    expect(await homes()).toEqual(first);
  });

  it("generate-session request row embedTenantName: it is created with its first session", async () => {
    await fixture.createSessionId({ externalId: "viewer-1", embedTenantName: "newcomers" });
    expect(await tenants()).toContain("newcomers");
    const [first, second] = [
      await fixture.user("newcomers", "viewer-1"),
      (await fixture.items("/api/v1/embed-tenants")).find(({ name }) => name === "newcomers"),
    ];
    expect(first).toBeDefined();
    expect(second?.["userCount"]).toBe(1);
  });

  it.each([
    ["Upper"],
    ["1digit"],
    ["-hyphen"],
    ["hyphen-"],
    ["under_score"],
    ["dot.dot"],
    ["ümlaut"],
  ])(
    "generate-session request row embedTenantName: %s does not have the form",
    async (embedTenantName) => {
      expect(
        (await fixture.generateSession({ externalId: "viewer-1", embedTenantName })).status,
      ).toBe(400);
    },
  );

  it("limits embedTenantName length: 5 to 36 characters", async () => {
    const status = async (length: number) => {
      const embedTenantName = `t${"e".repeat(length - 2)}9`;
      return (await fixture.generateSession({ externalId: "viewer-1", embedTenantName })).status;
    };
    expect(await status(4)).toBe(400);
    expect(await status(5)).toBe(200);
    expect(await status(36)).toBe(200);
    expect(await status(37)).toBe(400);
  });

  it("generate-session request row embedTenantName: the same externalId elsewhere is another user", async () => {
    await fixture.createSessionId({ externalId: "twin", embedTenantName: "twins-a" });
    await fixture.createSessionId({ externalId: "twin", embedTenantName: "twins-b" });
    const [a, b] = [await fixture.user("twins-a", "twin"), await fixture.user("twins-b", "twin")];
    expect(a?.id).not.toBe(b?.id);
  });

  it("generate-session request row creatorMode: names resolve in the embed tenant", async () => {
    await fixture.create("/api/v1/user-groups", { name: "account-only" });
    const base = { externalId: "creator", embedTenantName: "creators", groups: ["account-only"] };
    expect((await fixture.generateSession({ ...base, creatorMode: false })).status).toBe(200);
    const refused = await fixture.generateSession({ ...base, creatorMode: true });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toBe("Groups with names account-only not found");
    expect((await fixture.generateSession({ ...base, creatorMode: "yes" })).status).toBe(400);
  });
});

describe("the profile of an external user", () => {
  const base = { externalId: "p-1", embedTenantName: "profiles" };
  const shown = async () => (await fixture.user("profiles", "p-1"))?.["firstName"];

  it("generate-session request row userProfile: its members are checked", async () => {
    for (const userProfile of ["Ann", { nickname: "A" }, { displayName: 7 }, []]) {
      expect((await fixture.generateSession({ ...base, userProfile })).status).toBe(400);
    }
    expect((await fixture.generateSession({ ...base, userProfile: {} })).status).toBe(200);
  });

  it("UserProfile row displayName: is shown with the user", async () => {
    await fixture.createSessionId({ ...base, userProfile: { displayName: "Ann Viewer" } });
    expect(await shown()).toBe("Ann Viewer");
  });

  it("UserProfile overwrites: sending it again overwrites what was saved", async () => {
    await fixture.createSessionId({ ...base, userProfile: { displayName: "First" } });
    await fixture.createSessionId({ ...base, userProfile: { displayName: "Second" } });
    expect(await shown()).toBe("Second");
  });

  it("UserProfile omitting the profile: keeps what was saved", async () => {
    await fixture.createSessionId({ ...base, userProfile: { displayName: "Kept" } });
    await fixture.createSessionId(base);
    expect(await shown()).toBe("Kept");
    await fixture.createSessionId({ ...base, userProfile: null });
    expect(await shown()).toBe("Kept");
  });

  it("UserProfile omitting a property: keeps what was saved of it", async () => {
    await fixture.createSessionId({ ...base, userProfile: { displayName: "Kept too" } });
    await fixture.createSessionId({
      ...base,
      userProfile: { picture: "https://example.com/p.png" },
    });
    await fixture.createSessionId({ ...base, userProfile: { displayName: null } });
    await fixture.createSessionId({ ...base, userProfile: {} });
    expect(await shown()).toBe("Kept too");
  });

  it("UserProfile keyed by externalId: another externalId has no profile", async () => {
    await fixture.createSessionId({ ...base, userProfile: { displayName: "Mine" } });
    await fixture.createSessionId({ ...base, externalId: "p-2" });
    expect((await fixture.user("profiles", "p-2"))?.["firstName"]).toBeUndefined();
    expect(await shown()).toBe("Mine");
  });

  it.each([
    "ftp://example.com/p.png",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "/p.png",
    "example.com/p.png",
    "https://",
    "http:// space.example.com",
    "",
  ])("UserProfile row picture: %s is no absolute http or https address", async (picture) => {
    expect((await fixture.generateSession({ ...base, userProfile: { picture } })).status).toBe(400);
  });

  it.each([
    "http://example.com/p.png",
    "https://example.com:8443/a/b.svg?v=1#x",
    "HTTPS://e.example",
  ])("UserProfile row picture: %s is one", async (picture) => {
    expect((await fixture.generateSession({ ...base, userProfile: { picture } })).status).toBe(200);
  });

  it("limits picture size: guidance only, because nothing is fetched", async () => {
    // A name that can never be resolved: an attempt to fetch it would fail.
    const picture = "https://picture.invalid/large.png";
    expect((await fixture.generateSession({ ...base, userProfile: { picture } })).status).toBe(200);
  });
});

describe("what a session carries", () => {
  it("generate-session request row securityContext: any object, and nothing else", async () => {
    const status = async (securityContext: unknown) =>
      (await fixture.generateSession({ externalId: "viewer-1", securityContext })).status;
    expect(await status({})).toBe(200);
    expect(await status({ company: 7, nested: { list: [1, "two", null, true] } })).toBe(200);
    expect(await status("text")).toBe(400);
    expect(await status(["list"])).toBe(400);
  });

  it("generate-session request row settings: an object of known overrides", async () => {
    const status = async (settings: unknown) =>
      (await fixture.generateSession({ externalId: "viewer-1", settings })).status;
    expect(await status({})).toBe(200);
    expect(await status({ unknownSetting: true })).toBe(400);
    expect(await status("none")).toBe(400);
  });

  it("SessionSettings row showDashboardChat: omitted, false or true", async () => {
    const status = async (showDashboardChat: unknown) =>
      (await fixture.generateSession({ externalId: "viewer-1", settings: { showDashboardChat } }))
        .status;
    expect(await status(undefined)).toBe(200);
    expect(await status(false)).toBe(200);
    expect(await status(true)).toBe(200);
    expect(await status("true")).toBe(400);
  });
});
