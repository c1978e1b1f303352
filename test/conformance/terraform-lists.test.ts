// Tests list resources at the protocol level, as `terraform query` of Terraform 1.14 reads them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isKnownObject, type Value } from "../../provider/bridge/unknown-values.ts";
import { type AttributeValues, typeOf } from "../../provider/terraform/attribute-values.ts";
import type { SentIdentity } from "../../provider/terraform/identity.ts";
import type { Provider } from "../../provider/terraform/wire/plugin.ts";
import { listSchemas, schemas } from "../../provider/terraform/wire-schema.ts";
import { type Dynamic, fromWire, toWire } from "../../provider/terraform/wire/cty.ts";
import { singletons } from "../support/every-kind.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { collect, configureProvider, type ProviderDiagnostic } from "./terraform-protocol.ts";

interface ListEvent {
  readonly identity?: SentIdentity;
  readonly displayName?: string;
  readonly resourceObject?: Dynamic;
  readonly diagnostic?: readonly ProviderDiagnostic[];
}

describe("list resources", () => {
  let service: TestService;
  let provider: Provider;
  beforeEach(async () => {
    service = await startService();
    provider = await configureProvider({ url: service.url, api_key: service.adminKey });
    for (const name of ["analysts", "buyers", "cooks"])
      await service.send("POST", "/api/v1/user-groups", { body: { name } });
  });
  afterEach(async () => {
    await provider.close();
    await service.close();
  });

  const configOf = (typeName: string, values: AttributeValues): Dynamic => {
    const { attributes = [] } = listSchemas()[typeName] ?? {};
    const all = attributes.map(({ name }): [string, Value] => [name, values[name] ?? null]);
    return toWire(typeOf(attributes), Object.fromEntries(all));
  };
  const list = async (
    typeName: string,
    values: AttributeValues = {},
    more: object = {},
  ): Promise<readonly ListEvent[]> => {
    const config = configOf(typeName, values);
    return collect(provider.handlers.ListResource({ typeName, config, ...more }));
  };

  it("are declared for every resource type, with the arguments of its collection", async () => {
    const single = new Set(singletons.map(({ name }) => name));
    const listed = Object.entries(schemas.resources)
      .filter(([, { kind }]) => !single.has(kind))
      .map(([typeName]) => typeName);
    expect(Object.keys(listSchemas())).toEqual(listed);
    const { attributes } = listSchemas()["svc_embed_group"] ?? {};
    expect(attributes?.map(({ name, mode }) => [name, mode])).toEqual([
      ["embed_tenant", "required"],
    ]);
    expect(await provider.handlers.GetMetadata({})).toMatchObject({
      listResources: listed.map((typeName) => ({ typeName })),
    });
    expect(await provider.handlers.GetProviderSchema({})).toMatchObject({
      listResourceSchemas: { svc_user_group: { block: { attributes: [] } } },
    });
  });

  it("return the identity of each object, with which it is imported, up to the limit", async () => {
    const typeName = "svc_user_group";
    const events = await list(typeName);
    expect(events.map(({ displayName }) => displayName)).toEqual(
      expect.arrayContaining(["analysts", "buyers", "cooks"]),
    );
    expect(events.flatMap(({ diagnostic = [] }) => diagnostic)).toEqual([]);
    expect(await list(typeName, {}, { limit: 2 })).toHaveLength(2);
    const event = events.find(({ displayName }) => displayName === "buyers");
    expect(event?.resourceObject).toBeUndefined();
    const { identity } = event ?? {};
    const { importedResources } = (await provider.handlers.ImportResourceState({
      typeName,
      identity,
    })) as { importedResources?: readonly { readonly state?: Dynamic }[] };
    const type = typeOf(schemas.resources[typeName]?.attributes ?? []);
    const imported = fromWire(type, importedResources?.[0]?.state);
    expect(isKnownObject(imported) && imported["name"]).toBe("buyers");
    const [whole] = (await list(typeName, {}, { includeResourceObject: true })).filter(
      ({ displayName }) => displayName === "buyers",
    );
    expect(fromWire(type, whole?.resourceObject)).toEqual(imported);
  });

  it("report a parent that does not exist, and an invalid argument at its attribute", async () => {
    const [event, another] = await list("svc_embed_group", { embed_tenant: "missing-tenant" });
    expect(another).toBeUndefined();
    expect(event).toMatchObject({ diagnostic: [{ severity: 1 }] });
    expect(event?.diagnostic?.[0]?.detail).toContain("missing-tenant");
    const config = configOf("svc_embed_group", { embed_tenant: "Acme-stores" });
    const checked = await provider.handlers.ValidateListResourceConfig({
      typeName: "svc_embed_group",
      config,
    });
    expect(checked).toMatchObject({
      diagnostics: [{ severity: 1, attribute: { steps: [{ attributeName: "embed_tenant" }] } }],
    });
  });
});
