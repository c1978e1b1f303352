// What the members of a session request forbid each other.
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../core/errors.ts";
import { checkRequest, type SessionRequest } from "./request.ts";

/** The message of a refusal, or undefined. */
function refusal(request: Omit<SessionRequest, "deploymentId">): string | undefined {
  try {
    checkRequest({ deploymentId: 1, ...request });
    return undefined;
  } catch (error) {
    if (isFailure(error, "invalid")) return error.message;
    throw error;
  }
}

describe("a session request", () => {
  it("is for exactly one user", () => {
    expect(refusal({ externalId: "v" })).toBeUndefined();
    expect(refusal({ internalId: "Ann" })).toBeUndefined();
    expect(refusal({ externalId: "v", internalId: null })).toBeUndefined();
    expect(refusal({})).toMatch(/exactly one/);
    expect(refusal({ externalId: "v", internalId: "Ann" })).toMatch(/exactly one/);
  });

  it("names every member that an internal user forbids", () => {
    const message = refusal({
      internalId: "ann",
      groups: [],
      securityContext: {},
      email: "a@b.example",
      userProfile: null,
    });
    expect(message).toContain("groups, securityContext, email");
    expect(message).not.toContain("userProfile");
  });

  it("defines only in creator mode and in a named tenant", () => {
    const base = { externalId: "v", groupDefinitions: [] };
    expect(refusal(base)).toMatch(/creatorMode/);
    expect(refusal({ ...base, creatorMode: true })).toMatch(/embedTenantName/);
    expect(refusal({ ...base, creatorMode: true, embedTenantName: "tenant" })).toBeUndefined();
  });

  it("names nothing twice where that has no meaning", () => {
    const twice = [{ name: "a" }, { name: "b" }, { name: "a" }];
    expect(refusal({ externalId: "v", userAttributes: twice })).toContain(
      'userAttributes names "a"',
    );
    const creator = { externalId: "v", creatorMode: true, embedTenantName: "tenant" };
    expect(refusal({ ...creator, groupDefinitions: twice })).toContain(
      'groupDefinitions names "a"',
    );
    expect(refusal({ externalId: "v", groups: ["a", "a"] })).toBeUndefined();
  });
});
