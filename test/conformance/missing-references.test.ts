// Plans of the Terraform provider warn of references that the server cannot resolve. Those of Pulumi are tested with its engine.
import { afterEach, beforeEach, expect, it } from "vitest";
import { Unknown } from "../../provider/bridge/unknown-values.ts";
import type { AttributeValues } from "../../provider/terraform/attribute-values.ts";
import type { Provider } from "../../provider/terraform/wire/plugin.ts";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { applyResource, configureProvider, planResource } from "./terraform-protocol.ts";

let service: TestService;
let proxy: Proxy;
let provider: Provider;
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  provider = await configureProvider({ url: proxy.url, api_key: service.adminKey });
});
afterEach(async () => {
  await provider.close();
  await proxy.close();
  await service.close();
});

const folder = (deployment: AttributeValues[string]): AttributeValues => ({
  deployment,
  name: "sales",
});
const planned = async (typeName: string, values: AttributeValues) =>
  (await planResource(provider, typeName, { values })).diagnostics ?? [];

it("of an object that neither exists nor is planned before is a warning at its attribute", async () => {
  expect(await planned("svc_folder", folder("nowhere"))).toEqual([
    {
      severity: 2,
      summary: "A referenced object does not exist",
      detail:
        'Deployment "nowhere" does not exist, and no resource before this one creates it. If this configuration declares it, use its reference attribute or depends_on.',
      attribute: { steps: [{ attributeName: "deployment" }] },
    },
  ]);
  expect(await planned("svc_folder", folder("main"))).toEqual([]);
  expect(await planned("svc_folder", folder(new Unknown()))).toEqual([]);
  const workbook = { deployment: new Unknown(), slug: "sales", name: "Sales" };
  expect(await planned("svc_workbook", workbook)).toEqual([]);
  await planned("svc_deployment", { name: "nowhere", region: "aws-us-east-1" });
  expect(await planned("svc_folder", folder("nowhere"))).toEqual([]);
});

it("is checked once: neither again for what did not change, nor while an apply plans again", async () => {
  const { state, private: bytes } = await applyResource(provider, "svc_folder", {
    values: folder("main"),
  });
  proxy.arm();
  const held = { state, private: bytes };
  const again = await planResource(provider, "svc_folder", { values: folder("main"), held });
  expect([again.diagnostics, proxy.requests]).toEqual([[], []]);
  expect(await planned("svc_folder", folder("elsewhere"))).toEqual([]);
});
