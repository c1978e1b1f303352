// Fixture of tests of single calls: a service with users, and the provider behind a socket.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type PropertyMap, SecretValue } from "../../../provider/pulumi/property-values.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live-state.ts";
import {
  type ResettableService,
  startResettableService,
} from "../../support/resettable-service.ts";
import type { TestService } from "../../support/test-service.ts";
import {
  type Driver,
  type ResourceState,
  type ResourceRef,
  type RunningProvider,
  startProvider,
} from "./driver.ts";

/** A new provider for each test, and its service, which is reset for each test. */
export interface ProviderFixture {
  readonly service: TestService;
  /** State of the service before the test. */
  readonly initialState: LiveState;
  readonly driver: Driver;
  /** Checks, previews and creates a resource, as the engine does. */
  create(on: ResourceRef, news: PropertyMap): Promise<ResourceState>;
  /** Starts another provider process, as the next run of the engine does. */
  restart(): Promise<void>;
}

/** Starts a service for the tests of a file, and a provider for each of them. */
export function setUpProviderFixture(): ProviderFixture {
  let service: ResettableService;
  let bare: LiveState;
  let running: RunningProvider;
  const start = async (): Promise<void> => {
    running = await startProvider();
    await running.driver.configure({ url: service.url, apiKey: new SecretValue(service.adminKey) });
  };
  beforeAll(async () => {
    service = await startResettableService(prepareAccount);
    bare = await liveState(service);
  });
  afterAll(() => service.close());
  beforeEach(start);
  afterEach(async () => {
    await running.close();
    await service.reset();
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

/** Resources that the calls use. */
export const sampleResources = {
  tenant: { type: "EmbedTenant", name: "acme" },
  group: { type: "EmbedGroup", name: "directors" },
  deployment: { type: "Deployment", name: "production" },
  variable: { type: "EnvironmentVariable", name: "secret" },
  user: { type: "EmbedUser", name: "ada" },
} as const;
