// Tests literal requests for sessions on an account with operator settings.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

describe("an account without creator mode, with room for two external users", () => {
  let fixture: WireFixture;
  beforeAll(async () => {
    const options = ["--account", "acme-corp", "--no-creator-mode", "--external-users", "2"];
    fixture = await startWireFixture(options);
    for (const externalId of ["one", "two"]) await fixture.createSessionId({ externalId });
  });
  afterAll(() => fixture.stop());

  const tenants = async () =>
    (await fixture.items("/api/v1/embed-tenants")).map(({ name }) => name);

  it("generate-session request row embedTenantName: the current tenant is the account", async () => {
    expect(await fixture.user("acme-corp", "one")).toBeDefined();
    await fixture.createSessionId({ externalId: "one", embedTenantName: "acme-corp" });
    expect(await tenants()).toEqual(["acme-corp"]);
  });

  it("generate-session request row creatorMode: requires the useCreatorMode flag", async () => {
    const refused = await fixture.generateSession({ externalId: "one", creatorMode: true });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toContain("useCreatorMode");
    expect((await fixture.generateSession({ externalId: "one", creatorMode: false })).status).toBe(
      200,
    );
  });

  it("generate-session rule 7, needs: definitions require the useCreatorMode flag", async () => {
    for (const definitions of [
      { groupDefinitions: [{ name: "g" }] },
      { userAttributeDefinitions: [{ name: "a", type: "string" }] },
    ]) {
      const base = { externalId: "one", creatorMode: true, embedTenantName: "never-made" };
      expect((await fixture.generateSession({ ...base, ...definitions })).status).toBe(403);
    }
    expect(await tenants()).toEqual(["acme-corp"]);
  });

  it("limits external users per account: one more is 429, in any embed tenant", async () => {
    for (const place of [{}, { embedTenantName: "never-made" }]) {
      const refused = await fixture.generateSession({ externalId: "three", ...place });
      expect(refused.status).toBe(429);
      expect(refused.body["code"]).toBe("limit_reached");
    }
    expect(await tenants()).toEqual(["acme-corp"]);
    expect(await fixture.user("acme-corp", "three")).toBeUndefined();
    expect((await fixture.generateSession({ externalId: "two" })).status).toBe(200);
  });
});

describe("an account without embedding", () => {
  let fixture: WireFixture;
  beforeAll(async () => {
    fixture = await startWireFixture(["--no-embedding"]);
  });
  afterAll(() => fixture.stop());

  it("errors 403: no session is created where embedding is switched off", async () => {
    const refused = await fixture.generateSession({ externalId: "viewer" });
    expect(refused.status).toBe(403);
    expect(await fixture.items("/api/v1/embed-tenants")).toEqual([]);
  });
});
