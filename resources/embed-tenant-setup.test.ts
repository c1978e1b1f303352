// Values that parts of a component take from each other, derived from their kinds.
import { describe, expect, it } from "vitest";
import { embedGroup } from "./embed-group.ts";
import { embedTenant } from "./embed-tenant.ts";
import { embedTenantSetup } from "./embed-tenant-setup.ts";
import { type DeclaredPart, defineComponent } from "../core/kind/component.ts";

function define(...parts: readonly DeclaredPart[]) {
  return defineComponent({ name: "Sample", doc: "A sample.", parts, examples: [] });
}

const tenant = {
  name: "tenant",
  doc: "The tenant.",
  kind: embedTenant,
  cardinality: "one",
} as const;
const groups = { name: "groups", doc: "Groups.", kind: embedGroup, cardinality: "each" } as const;

describe("a component", () => {
  it("sets references to earlier parts, with the fields that must be equal", () => {
    const supplied = Object.fromEntries(
      embedTenantSetup.parts.map((part) => [part.name, Object.fromEntries(part.derivedFields)]),
    );
    expect(supplied).toEqual({
      tenant: {},
      groups: { embedTenant: { part: "tenant", field: undefined } },
      attributes: { embedTenant: { part: "tenant", field: undefined } },
      users: { embedTenant: { part: "tenant", field: undefined } },
      access: { embedTenant: { part: "tenant", field: undefined } },
      notification: { embedTenant: { part: "tenant", field: undefined } },
      recipients: {
        notification: { part: "notification", field: undefined },
        deployment: { part: "notification", field: "deployment" },
        embedTenant: { part: "tenant", field: undefined },
      },
    });
  });

  it("uses the remaining key field as the map key, and creates referenced parts first", () => {
    expect(embedTenantSetup.parts.map(({ keyedBy, needs }) => [keyedBy, needs])).toEqual([
      [undefined, []],
      ["name", ["tenant"]],
      ["name", ["tenant"]],
      ["externalId", ["tenant", "groups"]],
      ["workbook", ["tenant"]],
      [undefined, ["tenant"]],
      ["externalId", ["tenant", "groups", "attributes", "notification"]],
    ]);
  });

  it("is rejected without a single map key, or with duplicate parts", () => {
    expect(() => define(groups)).toThrow("needs exactly one key field");
    expect(() => define(tenant, { ...groups, name: "tenant" })).toThrow("duplicate part tenant");
    expect(() => define(tenant, groups, { ...groups, name: "more" })).toThrow("duplicate part");
  });
});
