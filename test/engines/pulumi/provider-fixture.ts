// What tests of single calls begin with: a service with people, and the provider on it behind a socket, as the engine calls it.
import { afterEach, beforeEach, expect } from "vitest";
import { type PropertyMap, SecretValue } from "../../../provider/pulumi/property-values.ts";
import { createReferencedUsers } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import {
  type Driver,
  type ResourceState,
  type ResourceRef,
  type RunningProvider,
  startProvider,
} from "./driver.ts";

/** A provider that is called, and what it works on; made anew for each test. */
export interface ProviderFixture {
  readonly service: TestService;
  /** What the service begins with. */
  readonly initialState: LiveState;
  readonly driver: Driver;
  /** As the engine does on the way to a create: check, preview, create. */
  create(on: ResourceRef, news: PropertyMap): Promise<ResourceState>;
  /** Another process of the provider, as in the next run of the engine. */
  restart(): Promise<void>;
}

/** Starts service and provider before every test of this file, and ends them after. */
export function setUpProviderFixture(): ProviderFixture {
  let service: TestService;
  let bare: LiveState;
  let running: RunningProvider;
  const start = async (): Promise<void> => {
    running = await startProvider();
    await running.driver.configure({ url: service.url, apiKey: new SecretValue(service.adminKey) });
  };
  beforeEach(async () => {
    service = await startService();
    await createReferencedUsers(service);
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
    get initialState() {
      return bare;
    },
    get driver() {
      return running.driver;
    },
    create: async (on, news) => {
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
export const sampleResources = {
  tenant: { type: "EmbedTenant", name: "acme" },
  group: { type: "EmbedGroup", name: "directors" },
  deployment: { type: "Deployment", name: "production" },
  variable: { type: "EnvironmentVariable", name: "secret" },
  user: { type: "EmbedUser", name: "ada" },
} as const;
