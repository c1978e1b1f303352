// Tests the Terraform provider across several requests, with the real service.
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isKnownObject, type Value } from "../../provider/bridge/unknown-values.ts";
import { type AttributeValues, typeOf } from "../../provider/terraform/attribute-values.ts";
import { createProvider } from "../../provider/terraform/provider.ts";
import type { Provider } from "../../provider/terraform/wire/plugin.ts";
import { providerAttributes, schemas } from "../../provider/terraform/wire-schema.ts";
import { type Dynamic, fromWire, toWire } from "../../provider/terraform/wire/cty.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type ProviderResponse,
  applyResource,
  resourceConfig,
  configureProvider,
  planResource,
} from "./terraform-protocol.ts";
import { listen } from "../support/listen.ts";

interface FunctionResponse {
  readonly result?: Dynamic;
  readonly error?: { readonly text: string; readonly functionArgument: number };
}

let service: TestService;
let provider: Provider;
beforeEach(async () => {
  service = await startService();
  provider = await configureProvider({ url: service.url, api_key: service.adminKey });
});
afterEach(async () => {
  await provider.close();
  await service.close();
});

it("cancels connecting on a stop request", async () => {
  const silent = createServer(() => undefined);
  const url = await listen(silent);
  const other = createProvider();
  try {
    silent.once("request", () => void other.handlers.StopProvider({}));
    const settings = { url, api_key: "sk-any" };
    const config = toWire(typeOf(providerAttributes), settings);
    expect(await other.handlers.ConfigureProvider({ config })).toMatchObject({
      diagnostics: [{ severity: 1, summary: "Cannot connect to the server" }],
    });
  } finally {
    await other.close();
    silent.closeAllConnections();
    silent.close();
  }
});

it.each([
  ["1.11.0", undefined],
  ["1.10.5", "ephemeral resources, if this is OpenTofu (1.11)"],
  ["1.9.0", "ephemeral resources (Terraform 1.10, OpenTofu 1.11)"],
  ["1.6.0", "provider-defined functions (Terraform 1.8, OpenTofu 1.7)"],
])("warns about features that engine version %s lacks", async (terraformVersion, lacking) => {
  const settings = { url: service.url, api_key: service.adminKey };
  const config = toWire(typeOf(providerAttributes), settings);
  const answer: ProviderResponse = await provider.handlers.ConfigureProvider({
    config,
    terraformVersion,
  });
  expect(answer.diagnostics).toMatchObject(
    lacking === undefined ? [] : [{ severity: 2, detail: expect.stringContaining(lacking) }],
  );
});

describe("embed_url", () => {
  const call = async (...given: readonly Value[]) => {
    const sent = given.map((value) => toWire("string", value));
    const request = { name: "embed_url", arguments: sent };
    const { result, error }: FunctionResponse = await provider.handlers.CallFunction(request);
    return error ?? fromWire("string", result);
  };
  const place = "https://acme.example.com/embed/dashboard/";

  it("returns the URL of a dashboard, with its session if there is one", async () => {
    expect(await call("https://acme.example.com", "d-42", null)).toBe(`${place}d-42`);
    expect(await call("https://acme.example.com/", "a/b?c", "x&y")).toBe(
      `${place}a%2Fb%3Fc?session=x%26y`,
    );
  });

  it.each([
    [0, ["acme.example.com", "d-42", null]],
    [0, ["http://acme.example.com", "d-42", null]],
    [1, ["https://acme.example.com", "..", null]],
    [1, ["https://acme.example.com", "", null]],
    [2, ["https://acme.example.com", "d-42", ""]],
  ] as const)("refuses an invalid argument %i is wrong", async (functionArgument, given) => {
    expect(await call(...given)).toMatchObject({ functionArgument, text: expect.any(String) });
  });
});

it.each(["svc_environment_variables", "svc_notification_recipients"])(
  "reports a missing parent of %s, and lists an empty one as such",
  async (typeName) => {
    const attributes = schemas.dataSources[typeName]?.attributes ?? [];
    const read = async (deployment: string): Promise<ProviderResponse> => {
      const given = attributes.map(({ name, mode }): [string, Value] => [
        name,
        mode === "required" ? (name === "deployment" ? deployment : "unknown") : null,
      ]);
      const config = toWire(typeOf(attributes), Object.fromEntries(given));
      return provider.handlers.ReadDataSource({ typeName, config });
    };
    expect((await read("mistyped")).diagnostics).toMatchObject([
      { severity: 1, detail: 'Deployment "mistyped" does not exist.' },
    ]);
    const { diagnostics = [] } = await read("main");
    expect(diagnostics.map(({ detail }) => detail)).toEqual(
      typeName === "svc_environment_variables" ? [] : ['Notification "unknown" does not exist.'],
    );
  },
);

it("deletes a tainted object, which has no private state", async () => {
  const typeName = "svc_user_group";
  const created = await applyResource(provider, typeName, { values: { name: "analysts" } });
  const nothing = toWire(typeOf(schemas.resources[typeName]?.attributes ?? []), null);
  const deletion = { priorState: created.state, plannedState: nothing, config: nothing };
  const answer = await provider.handlers.ApplyResourceChange({ typeName, ...deletion });
  expect(answer).not.toHaveProperty("diagnostics");
  const { body } = await service.send("GET", "/api/v1/user-groups");
  expect(JSON.stringify(body)).not.toContain("analysts");
});

describe("a changed secret", () => {
  const typeName = "svc_environment_variable";
  const values = (value: string): AttributeValues => ({
    deployment: "main",
    name: "API_TOKEN",
    value,
  });
  const written = (answer: ProviderResponse): unknown => {
    const state = fromWire(resourceConfig(typeName, {}).type, answer.plannedState);
    return isKnownObject(state) ? state["value_version"] : undefined;
  };
  afterEach(() => vi.unstubAllEnvs());

  it("is written, even with an empty fingerprint key variable", async () => {
    vi.stubEnv("SVC_FINGERPRINT_KEY", "");
    const held = await applyResource(provider, typeName, { values: values("old") });
    const same = await planResource(provider, typeName, { values: values("old"), held });
    const other = await planResource(provider, typeName, { values: values("new"), held });
    expect([written(same), written(other)]).toEqual([1, 2]);
  });

  it("causes a warning if it cannot be compared, unless its version is set", async () => {
    vi.stubEnv("SVC_FINGERPRINT_KEY", "k".repeat(32));
    const held = await applyResource(provider, typeName, { values: values("old") });
    vi.stubEnv("SVC_FINGERPRINT_KEY", "l".repeat(32));
    const other = await planResource(provider, typeName, { values: values("new"), held });
    expect(other.diagnostics).toMatchObject([
      { severity: 2, attribute: { steps: [{ attributeName: "value" }] } },
    ]);
    const counted = { ...values("new"), value_version: 2 };
    const planned = await planResource(provider, typeName, { values: counted, held });
    expect([planned.diagnostics, written(planned)]).toEqual([[], 2]);
  });

  it("is refused with a fingerprint key that is too short", async () => {
    vi.stubEnv("SVC_FINGERPRINT_KEY", "short");
    const settings = { url: service.url, api_key: service.adminKey };
    const config = toWire(typeOf(providerAttributes), settings);
    const answer: ProviderResponse = await provider.handlers.ConfigureProvider({ config });
    expect(answer.diagnostics?.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("SVC_FINGERPRINT_KEY is too short"),
    ]);
  });
});

it("returns the ids of a new dashboard of a workbook", async () => {
  const typeName = "svc_workbook";
  const values: AttributeValues = { deployment: "main", slug: "sales", name: "Sales" };
  const created = await applyResource(provider, typeName, { values });
  expect([created.diagnostics, created.values["dashboard_id"]]).toEqual([[], null]);
  const more = { values: { ...values, dashboard: { title: "Sales" } }, held: created };
  const gained = await applyResource(provider, typeName, more);
  expect(gained.diagnostics).toEqual([]);
  expect(gained.values).toMatchObject({
    dashboard_id: expect.any(Number),
    public_id: expect.any(String),
  });
});
