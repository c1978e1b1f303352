// What tests of single calls begin with: a service with people, and the provider on it behind a socket, as the engine calls it.
import { afterEach, beforeEach, expect } from "vitest";
import { type PropertyMap, Sealed } from "../../../provider/pulumi/values.ts";
import { makePeople } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live.ts";
import { startService, type TestService } from "../../support/service.ts";
import {
  type Driver,
  type Held,
  type Named,
  type RunningProvider,
  startProvider,
} from "./driver.ts";

/** A provider that is called, and what it works on; made anew for each test. */
export interface Calls {
  readonly service: TestService;
  /** What the service begins with. */
  readonly bare: LiveState;
  readonly driver: Driver;
  /** As the engine does on the way to a create: check, preview, create. */
  made(on: Named, news: PropertyMap): Promise<Held>;
  /** Another process of the provider, as in the next run of the engine. */
  restart(): Promise<void>;
}

/** Starts service and provider before every test of this file, and ends them after. */
export function callProvider(): Calls {
  let service: TestService;
  let bare: LiveState;
  let running: RunningProvider;
  const start = async (): Promise<void> => {
    running = await startProvider();
    await running.driver.configure({ url: service.url, apiKey: new Sealed(service.adminKey) });
  };
  beforeEach(async () => {
    service = await startService();
    await makePeople(service);
    bare = await liveState(service);
    await start();
  });
  afterEach(async () => {
    await running.close();
    await service.close();
  });
  return {
    get service() {
      return service;
    },
    get bare() {
      return bare;
    },
    get driver() {
      return running.driver;
    },
    made: async (on, news) => {
      const { driver } = running;
      const { inputs, failures } = await driver.check(on, news);
      expect(failures).toEqual([]);
      await driver.create(on, inputs, true);
      const { id, state } = await driver.create(on, inputs);
      return { id, state, inputs };
    },
    restart: async () => {
      await running.close();
      await start();
    },
  };
}

/** Resources that the calls are about. */
export const named = {
  tenant: { type: "EmbedTenant", name: "acme" },
  group: { type: "EmbedGroup", name: "directors" },
  deployment: { type: "Deployment", name: "production" },
  variable: { type: "EnvironmentVariable", name: "secret" },
  user: { type: "EmbedUser", name: "ada" },
} as const;
