// Tests values at the limits of their types with the real engine: each is applied without drift, or refused with a reason.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { liveState } from "../support/live-state.ts";
import { setUpTerraformFixture, type TerraformFixture } from "./terraform-fixture.ts";
import { describeWithEngines, providerConfiguration } from "./terraform-workspace.ts";

describeWithEngines("values at the edge", (engine) => {
  let fixture: TerraformFixture;
  setUpTerraformFixture(engine, (opened) => {
    fixture = opened;
  });

  const write = (resource: Record<string, JsonObject>) =>
    fixture.workspace.write(providerConfiguration({ resource }));
  async function expectNoDrift(): Promise<void> {
    const { workspace } = fixture;
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    const { code, output } = await workspace.run("plan", "-detailed-exitcode");
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  }

  it("are no value where a text is empty", async () => {
    await write({
      svc_user_attribute: { one: { name: "level", type: "number", default_value: "" } },
    });
    await expectNoDrift();
    expect((await liveState(fixture.service))["UserAttribute/level"]).not.toHaveProperty(
      "defaultValue",
    );
  });

  it("are refused with a reason where they cannot be kept", async () => {
    const deployments = {
      channel: { release: { channel: "" } },
      prototype: { template_variables: { ["__proto__"]: "1", other: "2" } },
      huge: { template_variables: { huge: "1e999" } },
      account: { template_variables: { account: "9007199254740993" } },
      digits: { template_variables: { rate: "0.12345678901234567" } },
    };
    const bodies = Object.entries(deployments).map(([name, body]): [string, JsonObject] => [
      name,
      { name, region: "aws-us-east-1", ...body },
    ]);
    const paths = { manifest_path: "", output_path: "" };
    const config = "${jsonencode({ filters = [{ values = [9007199254740993] }] })}";
    const widget = { id: "a", type: "CHART", position: { x: 0, y: 0, w: 1, h: 1 }, config };
    const dashboard = { title: "Sales", widgets: [widget] };
    const project = { deployment: "edge", repo_url: "https://git.example.com/edge.git", ...paths };
    await write({
      svc_deployment: Object.fromEntries(bodies),
      svc_transform_integration: { one: project },
      svc_user_attribute_value: {
        one: {
          user: "ada@svc.localhost",
          attribute: "region",
          value: '${jsonencode("\\"EMEA\\"")}',
        },
      },
      svc_workbook: { one: { deployment: "edge", slug: "sales", name: "Sales", dashboard } },
    });
    const { code, output } = await fixture.workspace.run("validate");
    expect(code).toBe(1);
    for (const reason of [
      'release.channel must be one of "latest", "release"',
      "The key __proto__ is not allowed",
      "the number 1e999 is too large to be exact",
      "template_variables.account must be JSON that loses nothing",
      "the number 9007199254740993 is too large to be exact",
      "the number 0.12345678901234567 has too many digits to be exact",
      "widgets[0].config must be JSON that loses nothing",
      "value is encoded twice",
      "manifest_path must not be empty",
      "output_path must not be empty",
    ])
      expect(output.replaceAll(/\s+/g, " ")).toContain(reason);
  });
});
