// Counts the write calls for many creates through the reconciler and the providers.
import pLimit from "p-limit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kind } from "../../../core/kind/kind.ts";
import { snakeCase, terraformType } from "../../../core/text/naming.ts";
import { SecretValue } from "../../../provider/pulumi/property-values.ts";
import { embedTenant } from "../../../resources/embed-tenant.ts";
import { embedUser } from "../../../resources/embed-user.ts";
import { userGroup } from "../../../resources/user-group.ts";
import { startProvider } from "../../engines/pulumi/driver.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack } from "../../support/test-stack.ts";
import { applyResource, configureProvider } from "../../conformance/terraform-protocol.ts";

const count = 1000;
/** Objects of a bulk create. */
const perCall = 100;
const writes = count / perCall;
const parallelism = 100;
/** A round of an engine takes one call, or a few on a busy machine. One call for each object would be 1,000. */
const maxProviderWrites = 5 * (count / parallelism);

let service: TestService;
let proxy: Proxy;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await proxy.close();
  await service.close();
});

const tenant = "acme-stores";
const names = Array.from({ length: count }, (_, n) => `object-${n}`);

interface Case {
  readonly kind: Kind;
  readonly spec: (name: string) => Readonly<Record<string, string>>;
  /** Returns the names in the store. */
  readonly stored: () => Promise<readonly string[]>;
}

const cases: readonly (readonly [name: string, one: Case])[] = [
  [
    userGroup.name,
    {
      kind: userGroup,
      spec: (name) => ({ name }),
      stored: async () => {
        const rows = await service.db.selectFrom("user_groups").select("name").execute();
        return rows.map(({ name }) => name);
      },
    },
  ],
  [
    embedUser.name,
    {
      kind: embedUser,
      spec: (externalId) => ({ embedTenant: tenant, externalId }),
      stored: async () => {
        const rows = await service.db.selectFrom("users").select("external_id").execute();
        return rows.map(({ external_id }) => external_id ?? "");
      },
    },
  ],
];

async function createTenant(): Promise<void> {
  const body = { externalId: "svc-provisioner" };
  await service.send("POST", `/api/v1/embed-tenants/${tenant}/user`, { body });
}

async function expectStored({ stored }: Case): Promise<void> {
  const all = new Set(await stored());
  expect(names.filter((name) => !all.has(name))).toEqual([]);
}

describe.each(cases)("the writes of 1,000 creates: %s", (_, one) => {
  const { kind, spec } = one;

  it("of an apply are ten, as planned", async () => {
    const stack = await makeStack({ url: proxy.url, key: service.adminKey });
    stops.push(() => stack.dispose());
    const parent: Doc = { kind: embedTenant.name, name: tenant, spec: { name: tenant } };
    await stack.write([parent]);
    await stack.apply();
    const objects = names.map((name): Doc => ({ kind: kind.name, name, spec: spec(name) }));
    await stack.write([parent, ...objects]);
    expect((await stack.plan()).cost.writeCalls).toBe(writes);
    proxy.arm();
    expect((await stack.apply()).outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    expect(proxy.writes()).toHaveLength(writes);
    await expectStored(one);
  });

  it("of Terraform are few for each round of its slots", async () => {
    await createTenant();
    const provider = await configureProvider({ url: proxy.url, api_key: service.adminKey });
    stops.push(() => provider.close());
    proxy.arm();
    const limit = pLimit(parallelism);
    const values = (name: string) =>
      Object.fromEntries(
        Object.entries(spec(name)).map(([field, value]) => [snakeCase(field), value]),
      );
    const create = (name: string) =>
      limit(() => applyResource(provider, terraformType(kind.name), { values: values(name) }));
    const created = await Promise.all(names.map(create));
    expect(created.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    expect(proxy.writes().length).toBeLessThanOrEqual(maxProviderWrites);
    await expectStored(one);
  });

  it("of Pulumi are few for each round of its slots", async () => {
    await createTenant();
    const running = await startProvider();
    stops.push(() => running.close());
    const { driver } = running;
    await driver.configure({ url: proxy.url, apiKey: new SecretValue(service.adminKey) });
    proxy.arm();
    const limit = pLimit(parallelism);
    const create = (name: string) =>
      limit(() => driver.create({ type: kind.name, name }, spec(name)));
    const created = await Promise.all(names.map(create));
    expect(new Set(created.map(({ id }) => id)).size).toBe(count);
    expect(proxy.writes().length).toBeLessThanOrEqual(maxProviderWrites);
    await expectStored(one);
  });
});
