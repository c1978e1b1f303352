// Tests the module of a component with real Terraform: it is formatted and valid, and a second plan is empty. The document
// of the component declares the same objects.
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { components } from "../../resources/index.ts";
import { modulesFolder, moduleCall } from "../../scripts/terraform-modules.ts";
import { unreadableFields } from "./front-ends.ts";
import { startService } from "../support/test-service.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";
import { configurationFor, describeWithEngines, makeWorkspace } from "./terraform-workspace.ts";

const root = join(import.meta.dirname, "..", "..");

/** The objects that the examples of components refer to. */
const outside: readonly Doc[] = [
  {
    kind: "Deployment",
    name: "production",
    spec: { name: "production", region: "aws-us-east-1" },
  },
  {
    kind: "Workbook",
    name: "sales-overview",
    spec: {
      deployment: "production",
      slug: "sales-overview",
      name: "Sales",
      dashboard: { title: "Sales" },
    },
  },
];

describeWithEngines("the module of a component", (engine) => {
  it("creates the objects that its document declares", async () => {
    const [component] = components;
    const [example] = component?.examples ?? [];
    if (component === undefined || example === undefined) throw new Error("no component");
    const service = await startService();
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    const workspace = await makeWorkspace(engine, env);
    const stack = await makeStack({ url: service.url, key: service.adminKey });
    const run = async (...args: readonly string[]): Promise<void> => {
      const { code, output } = await workspace.run(...args);
      if (code !== 0) throw new Error(output);
    };
    try {
      cpSync(join(root, modulesFolder), join(workspace.folder, "modules"), { recursive: true });
      await run("fmt", "-check", "-recursive", "modules");
      await workspace.write(configurationFor(outside));
      const call = moduleCall(component, "./modules/embed_tenant_setup");
      const block = call.replace(/\}\n$/u, "  depends_on = [svc_workbook.sales-overview]\n}\n");
      const output = 'output "acme" {\n  value = module.acme\n}\n';
      writeFileSync(join(workspace.folder, "acme.tf"), `${block}${output}`);
      await run("init");
      await run("validate");
      await run("apply", "-auto-approve");
      await run("plan", "-detailed-exitcode");
      const shown = JSON.parse((await workspace.run("output", "-json")).output) as object;
      expect(shown).toMatchObject({
        acme: { value: { tenant: "acme-stores", groups: { directors: "directors" } } },
      });

      const { name, inputs } = example;
      await stack.write([...outside, { kind: component.name, name, spec: inputs }]);
      expect(await stack.adopt()).toHaveLength(10);
      const { changes } = await stack.plan();
      const written = changes.flatMap(({ address, fields }) =>
        fields.map(({ field }) => `${address.slice(0, address.indexOf("/"))}.${field}`),
      );
      expect(changes.filter(({ action }) => action !== "none" && action !== "update")).toEqual([]);
      expect(written.filter((field) => !unreadableFields.has(field))).toEqual([]);

      writeFileSync(
        join(workspace.folder, "acme.tf"),
        'module "acme" {\n  source     = "./modules/embed_tenant_setup"\n  tenant     = { name = "acme-stores" }\n  recipients = { jane = {} }\n}\n',
      );
      const refused = await workspace.run("plan");
      expect(refused.output.replaceAll(/\s+/gu, " ")).toContain("recipients requires notification");
    } finally {
      await stack.dispose();
      await workspace.dispose();
      await service.close();
    }
  });
});
