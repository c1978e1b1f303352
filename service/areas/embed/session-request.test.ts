// Tests which members of a session request exclude each other.
import { describe, expect, it } from "vitest";
import { GenerateSessionRequest } from "../../../api/embed.ts";
import { isFailure } from "../../../core/errors.ts";
import { check } from "../../http/validate.ts";
import { checkSessionRequest, type SessionRequest } from "./session-request.ts";

/** Returns the error message, or undefined. */
function failureMessage(members: Omit<SessionRequest, "deploymentId">): string | undefined {
  const request = { deploymentId: 1, ...members };
  try {
    check([{ name: "body", schema: GenerateSessionRequest, value: request }], 0);
    checkSessionRequest(request);
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
    const ofOther = (name: string) =>
      `body must not have both internalId and ${name}; an internal user has its own permissions`;
    expect(message).toBe(["groups", "securityContext", "email"].map(ofOther).join("; "));
  });

  it("allows definitions only in creator mode and in a named tenant", () => {
    const base = { externalId: "v", groupDefinitions: [] };
    expect(failureMessage({ ...base, creatorMode: false })).toBe(
      "body must have creatorMode: true, which groupDefinitions requires; " +
        "body must have embedTenantName, which groupDefinitions requires",
    );
    expect(failureMessage({ ...base, creatorMode: true })).toBe(
      "body must have embedTenantName, which groupDefinitions requires",
    );
    expect(
      failureMessage({ ...base, creatorMode: true, embedTenantName: "tenant" }),
    ).toBeUndefined();
    const both = { tenantGroups: [], groups: [], embedTenantName: "tenant", externalId: "v" };
    expect(failureMessage({ ...both, creatorMode: true })).toBe(
      "body must not have both groups and tenantGroups in creator mode, where they are the same; send only one of them",
    );
    expect(failureMessage(both)).toBeUndefined();
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
