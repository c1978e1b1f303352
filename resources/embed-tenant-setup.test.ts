// What the parts of a component take from each other, as it follows from their kinds.
import { describe, expect, it } from "vitest";
import { embedGroup } from "./embed-group.ts";
import { embedTenant } from "./embed-tenant.ts";
import { embedTenantSetup } from "./embed-tenant-setup.ts";
import { type DeclaredPart, defineComponent } from "../core/component.ts";

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
  it("supplies what refers to a part before, with what that reference lies within", () => {
    const supplied = Object.fromEntries(
      embedTenantSetup.parts.map((part) => [part.name, Object.fromEntries(part.derivedFields)]),
    );
    expect(supplied).toEqual({
      tenant: {},
      groups: { embedTenant: { part: "tenant", field: undefined } },
      attributes: { embedTenant: { part: "tenant", field: undefined } },
      notification: {},
      recipients: {
        notification: { part: "notification", field: undefined },
        deployment: { part: "notification", field: "deployment" },
        embedTenant: { part: "tenant", field: undefined },
      },
    });
  });

  it("keys a map by what is left of the natural key, and makes first what may be referred to", () => {
    expect(embedTenantSetup.parts.map(({ keyedBy, needs }) => [keyedBy, needs])).toEqual([
      [undefined, []],
      ["name", ["tenant"]],
      ["name", ["tenant"]],
      [undefined, []],
      ["externalId", ["tenant", "groups", "attributes", "notification"]],
    ]);
  });

  it("is refused where a map has no single key, or two parts are alike", () => {
    expect(() => define(groups)).toThrow("one field to be keyed by");
    expect(() => define(tenant, { ...groups, name: "tenant" })).toThrow("two parts like tenant");
    expect(() => define(tenant, groups, { ...groups, name: "more" })).toThrow("two parts");
  });
});
