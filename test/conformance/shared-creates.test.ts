// How many writes many creates take through the reconciler and through the providers.
import pLimit from "p-limit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SecretValue } from "../../provider/pulumi/property-values.ts";
import { userGroup } from "../../resources/user-group.ts";
import { resourceType } from "../../scripts/hcl.ts";
import { startProvider } from "../engines/pulumi/driver.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";
import { applyResource, configureProvider } from "./terraform-protocol.ts";

const count = 250;
/** Objects of a bulk create. 1,000 groups and 1,000 external users take ten calls. */
const perCall = 100;
const parallelism = 50;
/** A round of an engine takes one call, or a few where the machine is busy; one for each object would be 250. */
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

const names = Array.from({ length: count }, (_, n) => `group-${n}`);

async function storedGroups(): Promise<readonly string[]> {
  const rows = await service.db.selectFrom("user_groups").select("name").execute();
  return rows.map(({ name }) => name).filter((name) => names.includes(name));
}

it("of an apply are as many as planned: one for each hundred objects of a resource type", async () => {
  const stack = await makeStack({ url: proxy.url, key: service.adminKey });
  stops.push(() => stack.dispose());
  const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } };
  await stack.write([tenant]);
  await stack.apply();
  const groups = names.map((name): Doc => ({ kind: userGroup.name, name, spec: { name } }));
  const users = names.map((name): Doc => {
    return { kind: "EmbedUser", name, spec: { embedTenant: "acme", externalId: name } };
  });
  await stack.write([tenant, ...groups, ...users]);
  const writes = 2 * Math.ceil(count / perCall);
  expect((await stack.plan()).cost.writeCalls).toBe(writes);
  proxy.arm();
  expect((await stack.apply()).outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(proxy.writes()).toHaveLength(writes);
  expect(await storedGroups()).toHaveLength(count);
});

it("of Terraform share calls", async () => {
  const provider = await configureProvider({ url: proxy.url, api_key: service.adminKey });
  stops.push(() => provider.close());
  proxy.arm();
  const limit = pLimit(parallelism);
  const type = resourceType(userGroup.name);
  const create = (name: string) => limit(() => applyResource(provider, type, { values: { name } }));
  const made = await Promise.all(names.map(create));
  expect(made.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  expect(proxy.writes().length).toBeLessThanOrEqual(maxProviderWrites);
  expect(await storedGroups()).toHaveLength(count);
});

it("of Pulumi share calls", async () => {
  const running = await startProvider();
  stops.push(() => running.close());
  const { driver } = running;
  await driver.configure({ url: proxy.url, apiKey: new SecretValue(service.adminKey) });
  proxy.arm();
  const limit = pLimit(parallelism);
  const create = (name: string) =>
    limit(() => driver.create({ type: userGroup.name, name }, { name }));
  const made = await Promise.all(names.map(create));
  expect(new Set(made.map(({ id }) => id)).size).toBe(count);
  expect(proxy.writes().length).toBeLessThanOrEqual(maxProviderWrites);
  expect(await storedGroups()).toHaveLength(count);
});
