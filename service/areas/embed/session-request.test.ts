// Which members of a session request exclude each other.
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../core/errors.ts";
import { checkSessionRequest, type SessionRequest } from "./session-request.ts";

/** Returns the error message, or undefined. */
function failureMessage(request: Omit<SessionRequest, "deploymentId">): string | undefined {
  try {
    checkSessionRequest({ deploymentId: 1, ...request });
    return undefined;
  } catch (error) {
    if (isFailure(error, "invalid")) return error.message;
    throw error;
  }
}

describe("a session request", () => {
  it("lists every member that is not allowed for an internal user", () => {
    const message = failureMessage({
      internalId: "ann",
      groups: [],
      securityContext: {},
      email: "a@b.example",
      userProfile: null,
    });
    expect(message).toContain("groups, securityContext, email");
    expect(message).not.toContain("userProfile");
  });

  it("allows definitions only in creator mode and in a named tenant", () => {
    const base = { externalId: "v", groupDefinitions: [] };
    expect(failureMessage(base)).toMatch(/creatorMode/);
    expect(failureMessage({ ...base, creatorMode: true })).toMatch(/embedTenantName/);
    expect(
      failureMessage({ ...base, creatorMode: true, embedTenantName: "tenant" }),
    ).toBeUndefined();
  });

  it("rejects repeated names where repetition has no meaning", () => {
    const twice = [{ name: "a" }, { name: "b" }, { name: "a" }];
    expect(failureMessage({ externalId: "v", userAttributes: twice })).toContain(
      'userAttributes contains "a"',
    );
    const creator = { externalId: "v", creatorMode: true, embedTenantName: "tenant" };
    expect(failureMessage({ ...creator, groupDefinitions: twice })).toContain(
      'groupDefinitions contains "a"',
    );
    expect(failureMessage({ externalId: "v", groups: ["a", "a"] })).toBeUndefined();
  });
});
