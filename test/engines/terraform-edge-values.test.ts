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

  it("do not drift where a number has more digits than JavaScript keeps", async () => {
    const spec = { template_variables: { big: "12345678901234567890" } };
    await write({ svc_deployment: { one: { name: "edge", region: "aws-us-east-1", ...spec } } });
    await expectNoDrift();
  });

  it("are refused with a reason where they cannot be kept", async () => {
    const deployments = {
      channel: { release: { channel: "" } },
      prototype: { template_variables: { ["__proto__"]: "1", other: "2" } },
      huge: { template_variables: { huge: "1e999" } },
    };
    const bodies = Object.entries(deployments).map(([name, body]): [string, JsonObject] => [
      name,
      { name, region: "aws-us-east-1", ...body },
    ]);
    const paths = { manifest_path: "", output_path: "" };
    const project = { deployment: "edge", repo_url: "https://git.example.com/edge.git", ...paths };
    await write({
      svc_deployment: Object.fromEntries(bodies),
      svc_transform_integration: { one: project },
    });
    const { code, output } = await fixture.workspace.run("validate");
    expect(code).toBe(1);
    for (const reason of [
      'release.channel must be one of "latest", "release"',
      "The key __proto__ is not allowed",
      "template_variables.huge must be a number, not one beyond the supported range",
      "manifest_path must not be empty",
      "output_path must not be empty",
    ])
      expect(output).toContain(reason);
  });
});
