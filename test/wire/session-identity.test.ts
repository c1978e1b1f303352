// Tests literal requests of generate-session: the user of a session.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
beforeAll(async () => {
  fixture = await startWireFixture();
  await fixture.create("/api/v1/users", { email: "ann@example.com", username: "ann" });
});
afterAll(() => fixture.stop());

describe("whom a session is for", () => {
  it("service item 4: a session identifier is created and exchanged for a token", async () => {
    const sessionId = await fixture.createSessionId({ externalId: "viewer-1" });
    const exchanged = await fixture.call("POST", "/api/v1/embed/session/token", {
      authorization: null,
      body: { sessionId },
    });
    expect(exchanged.status).toBe(200);
    expect(exchanged.body.token.split(".")).toHaveLength(3);
  });

  it("generate-session response row sessionId: 32 hexadecimal characters, another each time", async () => {
    const answer = await fixture.generateSession({ externalId: "viewer-1" });
    expect(Object.keys(answer.body)).toEqual(["sessionId"]);
    expect(answer.body.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(await fixture.createSessionId({ externalId: "viewer-1" })).not.toBe(
      answer.body.sessionId,
    );
  });

  it("generate-session request row deploymentId: required, a number, and has to exist", async () => {
    const refused = async (deploymentId: unknown) =>
      (await fixture.generateSession({ externalId: "viewer-1", deploymentId })).status;
    expect(await refused(undefined)).toBe(400);
    expect(await refused("1")).toBe(400);
    expect(await refused(null)).toBe(400);
    expect(await refused(999_999)).toBe(404);
    expect(await refused(1.5)).toBe(404);
    expect(await refused(-1)).toBe(404);
  });

  it.each([["Viewer"], ["viewer "], [" viewer"], ["\tviewer"], ["ÄRGER"], [""]])(
    "generate-session request row externalId: %j is not lowercase and trimmed",
    async (externalId) => {
      expect((await fixture.generateSession({ externalId, embedTenantName: "never" })).status).toBe(
        400,
      );
    },
  );

  it("generate-session request row externalId: any other text is one", async () => {
    for (const externalId of ["a", "user@example.com", "7", "ärger", "with space"]) {
      expect((await fixture.generateSession({ externalId })).status).toBe(200);
    }
  });

  it("generate-session request row internalId: has to name an existing user", async () => {
    expect((await fixture.generateSession({ internalId: "ann" })).status).toBe(200);
    expect((await fixture.generateSession({ internalId: "unknown-user" })).status).toBe(400);
  });

  it("generate-session rule 1: neither or both of externalId and internalId are refused", async () => {
    for (const both of [
      {},
      { externalId: "viewer-1", internalId: "ann" },
      { externalId: null, internalId: null },
    ]) {
      const answer = await fixture.generateSession(both);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatch(/externalId/);
      expect(answer.body.error).toMatch(/internalId/);
    }
    expect(
      (await fixture.generateSession({ externalId: "viewer-1", internalId: null })).status,
    ).toBe(200);
    expect((await fixture.generateSession({ externalId: null, internalId: "ann" })).status).toBe(
      200,
    );
  });

  it("generate-session request row email: attached to the external user and kept when left out", async () => {
    const mail = async () => (await fixture.user("mail-tenant", "m-1"))?.["email"];
    const base = { externalId: "m-1", embedTenantName: "mail-tenant" };
    await fixture.createSessionId({ ...base, email: "m1@example.com" });
    expect(await mail()).toBe("m1@example.com");
    await fixture.createSessionId(base);
    expect(await mail()).toBe("m1@example.com");
    await fixture.createSessionId({ ...base, email: "other@example.com" });
    expect(await mail()).toBe("other@example.com");
    expect((await fixture.generateSession({ ...base, email: "no address" })).status).toBe(400);
  });

  it("generate-session request row email: never with internalId", async () => {
    const answer = await fixture.generateSession({ internalId: "ann", email: "ann@example.com" });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain("email");
  });
});

describe("an internal user's session", () => {
  it.each([
    ["groups", ["analysts"]],
    ["groups", []],
    ["userAttributes", [{ name: "region", value: "eu" }]],
    ["groupDefinitions", [{ name: "analysts" }]],
    ["userAttributeDefinitions", [{ name: "region", type: "string" }]],
    ["securityContext", { company: 1 }],
    ["userProfile", { displayName: "Ann" }],
  ])("generate-session request with internalId: %s is disallowed", async (member, value) => {
    const answer = await fixture.generateSession({ internalId: "ann", [member]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(member);
  });

  it("generate-session request with internalId: all six are named together, and null is absent", async () => {
    const answer = await fixture.generateSession({
      internalId: "ann",
      groups: [],
      userAttributes: [],
      groupDefinitions: [],
      userAttributeDefinitions: [],
      securityContext: {},
      userProfile: {},
    });
    expect(answer.status).toBe(400);
    for (const member of [
      "groups",
      "userAttributes",
      "groupDefinitions",
      "userAttributeDefinitions",
      "securityContext",
      "userProfile",
    ]) {
      expect(answer.body.error).toContain(member);
    }
    const absent = { internalId: "ann", groups: null, securityContext: null, userProfile: null };
    expect((await fixture.generateSession(absent)).status).toBe(200);
  });

  it("generate-session request with internalId: the token is that user's", async () => {
    const sessionId = await fixture.createSessionId({ internalId: "ann" });
    const { body } = await fixture.call("POST", "/api/v1/embed/session/token", {
      body: { sessionId },
      authorization: null,
    });
    const me = await fixture.call("GET", "/api/v1/users/me", {
      authorization: `Bearer ${body.token}`,
    });
    expect(me.body["username"]).toBe("ann");
    expect(me.body["isAdmin"]).toBe(false);
  });
});
