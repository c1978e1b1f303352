// The fixture of fault tests: a service, a fault proxy before it, and an initialised workspace.
import { afterEach, beforeEach, expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type Engine,
  makeWorkspace,
  providerConfiguration,
  type Workspace,
  type WorkspaceOptions,
} from "./terraform-workspace.ts";

/** The resources of one test. */
export interface TerraformFixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly workspace: Workspace;
}

/** Additional environment variables and the initial configuration. */
export interface FixtureOptions extends WorkspaceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly configuration?: JsonObject;
}

/** Creates a fixture for every test of a group. */
export function setUpTerraformFixture(
  engine: Engine,
  begin: (fixture: TerraformFixture) => void,
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
  });
  afterEach(async () => {
    for (const one of close.splice(0)) await one();
  });
}

/** Creates a workspace and runs `init`. The caller disposes it. */
export async function initWorkspace(
  engine: Engine,
  { env, configuration, ...options }: FixtureOptions,
): Promise<Workspace> {
  const workspace = await makeWorkspace(engine, env ?? {}, options);
  await workspace.write(configuration ?? providerConfiguration());
  expect(await workspace.run("init")).toMatchObject({ code: 0 });
  return workspace;
}
