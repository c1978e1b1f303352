// Tests with real Terraform that provider functions return what their documentation shows.
import { afterAll, beforeAll, expect, it } from "vitest";
import { functions } from "../../provider/terraform/functions.ts";
import {
  makeWorkspace,
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "./terraform-workspace.ts";

describeWithEngines("provider functions", (engine) => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await makeWorkspace(engine, {});
  });
  afterAll(async () => workspace?.dispose());

  it("return the result of their examples, without a server", async () => {
    const all = Object.entries(functions);
    const output = Object.fromEntries(
      all.map(([name, { example }]) => [
        name,
        { value: `\${${example.call} == ${example.result}}` },
      ]),
    );
    await workspace.write(providerConfiguration({ output }));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    const shown = JSON.parse((await workspace.run("output", "-json")).output) as object;
    const given = Object.entries(shown).map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(given)).toEqual(
      Object.fromEntries(all.map(([name]) => [name, true])),
    );
  });
});
