// Tests which pairs of declared objects are in conflict, in either order, and that a later declaration replaces a former one.
import { describe, expect, it } from "vitest";
import { kinds } from "../../resources/index.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import type { JsonObject } from "../../core/json.ts";
import { DeclaredFields, sharedFieldsOf } from "./declared-fields.ts";

function declare(declared: DeclaredFields, name: string, spec: JsonObject): readonly string[] {
  const kind = kindsByName(kinds).get(name);
  if (kind === undefined) throw new Error(name);
  const sharedFields = sharedFieldsOf(kinds, kind);
  return declared.add({ kind, spec, sharedFields }).map(({ field }) => field);
}

const user = { email: "ada@svc.localhost", username: "ada" };
const membership = { group: "team", user: "ada@svc.localhost" };

describe("declared fields", () => {
  it("are in conflict as a list and its entry, in either order", () => {
    const first = new DeclaredFields();
    expect(declare(first, "User", { ...user, groups: ["team"] })).toEqual([]);
    expect(declare(first, "GroupMembership", membership)).toEqual(["user"]);
    const second = new DeclaredFields();
    expect(declare(second, "GroupMembership", membership)).toEqual([]);
    expect(declare(second, "GroupMembership", { ...membership, group: "other" })).toEqual([]);
    expect(declare(second, "User", { ...user, groups: [] })).toEqual(["groups"]);
    expect(declare(second, "User", user)).toEqual([]);
  });

  it("are in conflict with another value, and not with the same", () => {
    const declared = new DeclaredFields();
    const connection = { deployment: "main", remoteUrl: "https://git.example.com/models.git" };
    const deployment = { name: "main", region: "aws-us-east-1", deployBranchName: "main" };
    expect(declare(declared, "Deployment", deployment)).toEqual([]);
    expect(declare(declared, "GitConnection", { ...connection, branch: "main" })).toEqual([]);
    expect(declare(declared, "GitConnection", { ...connection, branch: "work" })).toEqual([
      "branch",
    ]);
  });
});
