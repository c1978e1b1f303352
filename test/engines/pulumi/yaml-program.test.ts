// How the tests read programs in YAML: by the package's schema, and nothing that they do not understand.
import { describe, expect, it } from "vitest";
import { setStage } from "./scene.ts";
import { StandIn } from "./stand-in.ts";
import { steps } from "./steps.ts";
import { yamlProgram } from "./yaml-program.ts";

const stage = setStage(async (config) => new StandIn(config));

function file(resource: string, above = ""): string {
  return `name: x\nruntime: yaml\n${above}\nresources:\n  acme:\n${resource}\noutputs:\n  id: "\${acme.embedTenantId}"\n`;
}

const acme = (property: string): string =>
  `    type: svc:EmbedTenant\n    properties: { name: acme-stores, ${property} }`;

describe("a program in YAML", () => {
  it("is made as it says, with what the provider answers", async () => {
    const up = await stage.engine.up(yamlProgram(file(acme("displayName: Acme"))));
    expect(steps(up)).toEqual(["create acme"]);
    expect(up.outputs["id"]).toBeDefined();
    expect(await stage.made()).toEqual(["EmbedTenant/acme-stores"]);
  });

  it("that misspells a property is refused by the provider, for no SDK drops it on the way", async () => {
    const up = await stage.engine.up(yamlProgram(file(acme("dispalyName: Acme"))));
    expect(up.errors.join()).toContain("dispalyName");
    expect(await stage.made()).toEqual([]);
  });

  it.each([
    ["functions are not read", file(acme("displayName: { fn::toJSON: x }"))],
    ["only whole references", file(acme('displayName: "at ${acme.name}"'))],
    ["there is no other", file(acme('displayName: "${other.name}"'))],
    ["not read in YAML here: variables", file(acme("displayName: x"), "variables: { a: b }")],
    [
      "not read in YAML here: protect",
      file(`${acme("displayName: x")}\n    options: { protect: true }`),
    ],
    ["the schema has no svc:EmbedTennant", file("    type: svc:EmbedTennant\n    properties: {}")],
    ["the schema has no ${acme.owner}", file(acme("x: y")).replace("embedTenantId", "owner")],
  ])("that goes further, or names what is not there, is refused: %s", (said, text) => {
    expect(() => yamlProgram(text)).toThrow(said);
  });
});
