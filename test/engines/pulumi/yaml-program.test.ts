// Tests how the tests read YAML programs: types come from the package schema, and unsupported features are refused.
import { describe, expect, it } from "vitest";
import { setUpStackFixture } from "./stack-fixture.ts";
import { StandInEngine } from "./stand-in-engine.ts";
import { stepNames } from "./step-names.ts";
import { yamlProgram } from "./yaml-program.ts";

const fixture = setUpStackFixture(async (config) => new StandInEngine(config));

function programText(resource: string, above = ""): string {
  return `name: x\nruntime: yaml\n${above}\nresources:\n  acme:\n${resource}\noutputs:\n  id: "\${acme.embedTenantId}"\n`;
}

const tenantResource = (property: string): string =>
  `    type: svc:EmbedTenant\n    properties: { name: acme-stores, ${property} }`;

describe("a program in YAML", () => {
  it("creates the declared resource with the provider's outputs", async () => {
    const up = await fixture.engine.up(
      yamlProgram(programText(tenantResource("displayName: Acme"))),
    );
    expect(stepNames(up)).toEqual(["create acme"]);
    expect(up.outputs["id"]).toBeDefined();
    expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-stores"]);
  });

  it("with a misspelled property is refused by the provider", async () => {
    const up = await fixture.engine.up(
      yamlProgram(programText(tenantResource("dispalyName: Acme"))),
    );
    expect(up.errors.join()).toContain("dispalyName");
    expect(await fixture.createdAddresses()).toEqual([]);
  });

  it.each([
    ["functions are not supported", programText(tenantResource("displayName: { fn::toJSON: x }"))],
    ["only whole references", programText(tenantResource('displayName: "at ${acme.name}"'))],
    ["other is not declared before", programText(tenantResource('displayName: "${other.name}"'))],
    [
      "not supported in YAML programs of tests: variables",
      programText(tenantResource("displayName: x"), "variables: { a: b }"),
    ],
    [
      "not supported in YAML programs of tests: protect",
      programText(`${tenantResource("displayName: x")}\n    options: { protect: true }`),
    ],
    [
      "the schema has no svc:EmbedTennant",
      programText("    type: svc:EmbedTennant\n    properties: {}"),
    ],
    [
      "the schema has no ${acme.owner}",
      programText(tenantResource("x: y")).replace("embedTenantId", "owner"),
    ],
  ])("with unsupported features or unknown names is refused: %s", (message, text) => {
    expect(() => yamlProgram(text)).toThrow(message);
  });
});
