// What the Terraform provider keeps and tells from one request to the next, over the real service.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Members, typeOf } from "../../provider/terraform/convert.ts";
import { createProvider, type Provider } from "../../provider/terraform/provider.ts";
import { providerAttributes, schemas } from "../../provider/terraform/schemas.ts";
import { toWire } from "../../provider/terraform/wire/cty.ts";
import { startService, type TestService } from "../support/service.ts";
import { applied, configured } from "./terraform-requests.ts";

let service: TestService;
let provider: Provider;
beforeEach(async () => {
  service = await startService();
  provider = await configured({ url: service.url, api_key: service.adminKey });
});
afterEach(async () => {
  await provider.close();
  await service.close();
});

it("gives up connecting once it is asked to stop", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const { port } = silent.address() as AddressInfo;
  const other = createProvider();
  try {
    silent.once("request", () => void other.handlers.StopProvider({}));
    const settings = { url: `http://127.0.0.1:${port}`, api_key: "sk-any" };
    const config = toWire(typeOf(providerAttributes), settings);
    expect(await other.handlers.ConfigureProvider({ config })).toMatchObject({
      diagnostics: [{ severity: 1, summary: "The server cannot be used" }],
    });
  } finally {
    await other.close();
    silent.closeAllConnections();
    silent.close();
  }
});

it("deletes a tainted object, which comes without what was kept beside its state", async () => {
  const typeName = "svc_user_group";
  const made = await applied(provider, typeName, { values: { name: "analysts" } });
  const nothing = toWire(typeOf(schemas.resources[typeName]?.attributes ?? []), null);
  const gone = { priorState: made.state, plannedState: nothing, config: nothing };
  const answer = await provider.handlers.ApplyResourceChange({ typeName, ...gone });
  expect(answer).not.toHaveProperty("diagnostics");
  const { body } = await service.send("GET", "/api/v1/user-groups");
  expect(JSON.stringify(body)).not.toContain("analysts");
});

it("tells the ids of a dashboard that a workbook gains", async () => {
  const typeName = "svc_workbook";
  const values: Members = { deployment: "main", slug: "sales", name: "Sales" };
  const made = await applied(provider, typeName, { values });
  expect([made.told, made.values["dashboard_id"]]).toEqual([[], null]);
  const more = { values: { ...values, dashboard: { title: "Sales" } }, held: made };
  const gained = await applied(provider, typeName, more);
  expect(gained.told).toEqual([]);
  expect(gained.values).toMatchObject({
    dashboard_id: expect.any(Number),
    public_id: expect.any(String),
  });
});
