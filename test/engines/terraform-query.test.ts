// `terraform query` with Terraform 1.14 or newer. Without it, test/conformance/terraform-lists.test.ts tests the protocol.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { setUpTerraformFixture } from "./terraform-fixture.ts";
import { describeWithEngines, isAtLeast, type Workspace } from "./terraform-workspace.ts";

describeWithEngines("list resources", (engine) => {
  let workspace: Workspace;
  let create: () => Promise<unknown>;
  setUpTerraformFixture(engine, (fixture) => {
    workspace = fixture.workspace;
    create = () =>
      fixture.service.send("POST", "/api/v1/user-groups", { body: { name: "analysts" } });
  });

  it("find what to import", async (context) => {
    context.skip(
      engine.name !== "terraform" || !isAtLeast(engine.binary, 14),
      "terraform query needs Terraform 1.14",
    );
    await create();
    const query = 'list "svc_user_group" "all" {\n  provider = svc\n}\n';
    await writeFile(join(workspace.folder, "objects.tfquery.hcl"), query);
    const { code, output } = await workspace.run("query");
    expect(code === 0 ? output : `failed: ${output}`).toContain("analysts");
  });
});
