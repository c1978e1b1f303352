// What tests of faults under the real engines begin with: a service, a proxy before it that can be told to fail, and an initialised workspace.
import { afterEach, beforeEach, expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type Engine,
  makeWorkspace,
  providerConfiguration,
  type Workspace,
} from "./terraform-workspace.ts";

/** What one test has of its own. */
export interface TerraformFixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly workspace: Workspace;
}

/** What an engine is run with beside the address and the key, and the configuration that it is initialised with. */
export interface FixtureOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly configuration?: JsonObject;
}

/** Gives every test of a group a world of its own. */
export function setUpTerraformFixture(
  engine: Engine,
  begin: (world: TerraformFixture) => void,
  begun: FixtureOptions = {},
): void {
  let close: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    const service = await startService();
    close = [() => service.close()];
    const proxy = await startProxy(service.url);
    close.unshift(() => proxy.close());
    const env = { SVC_API_URL: proxy.url, SVC_API_KEY: service.adminKey, ...begun.env };
    const workspace = await initWorkspace(engine, { ...begun, env });
    close.unshift(() => workspace.dispose());
    begin({ service, proxy, workspace });
  }, 60_000);
  afterEach(async () => {
    for (const one of close.splice(0)) await one();
  });
}

/** A workspace in which `init` has been run; dispose of it. */
export async function initWorkspace(
  engine: Engine,
  { env, configuration }: FixtureOptions,
): Promise<Workspace> {
  const made = await makeWorkspace(engine, env ?? {});
  await made.write(configuration ?? providerConfiguration());
  expect(await made.run("init")).toMatchObject({ code: 0 });
  return made;
}
