// What tests of faults under the real engines begin with: a service, a proxy before it that can be told to fail, and an initialised workspace.
import { afterEach, beforeEach, expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Engine, makeWorkspace, preamble, type Workspace } from "./terraform.ts";

/** What one test has of its own. */
export interface World {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly workspace: Workspace;
}

/** What an engine is run with beside the address and the key, and the configuration that it is initialised with. */
export interface Begun {
  readonly env?: Readonly<Record<string, string>>;
  readonly configuration?: JsonObject;
}

/** Gives every test of a group a world of its own. */
export function eachWorld(engine: Engine, begin: (world: World) => void, begun: Begun = {}): void {
  let close: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    const service = await startService();
    close = [() => service.close()];
    const proxy = await startProxy(service.url);
    close.unshift(() => proxy.close());
    const env = { SVC_API_URL: proxy.url, SVC_API_KEY: service.adminKey, ...begun.env };
    const workspace = await initialised(engine, { ...begun, env });
    close.unshift(() => workspace.dispose());
    begin({ service, proxy, workspace });
  }, 60_000);
  afterEach(async () => {
    for (const one of close.splice(0)) await one();
  });
}

/** A workspace in which `init` has been run; dispose of it. */
export async function initialised(
  engine: Engine,
  { env, configuration }: Begun,
): Promise<Workspace> {
  const made = await makeWorkspace(engine, env ?? {});
  await made.write(configuration ?? preamble());
  expect(await made.run("init")).toMatchObject({ code: 0 });
  return made;
}
