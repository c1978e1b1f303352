// Tests the names of groups of embed tenants in policies.
import { describe, expect, it } from "vitest";
import { policyGroupName, tenantGroupName } from "./tenant-groups.ts";

describe("names of embed tenants' groups", () => {
  it("name the tenant", () => {
    expect(tenantGroupName("acme-inc", "vip")).toBe("system:tenant:acme-inc:vip");
  });

  it("have a long form in policies", () => {
    expect(policyGroupName("system:tenant:acme-inc:group:vip")).toBe("system:tenant:acme-inc:vip");
    expect(policyGroupName("system:tenant:acme-inc:group:group:a")).toBe(
      tenantGroupName("acme-inc", "group:a"),
    );
    for (const name of ["vip", "group:vip", "system:tenant:acme-inc:vip", "*"])
      expect(policyGroupName(name)).toBe(name);
  });
});
