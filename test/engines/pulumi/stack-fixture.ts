// Fixture of tests of whole programs: a service with users behind a proxy, and an empty stack. A suite starts one service, and each
// test finds it as it was at first.
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type PropertyMap, SecretValue } from "../../../provider/pulumi/property-values.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live-state.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import {
  type ResettableService,
  startResettableService,
} from "../../support/resettable-service.ts";
import type { TestService } from "../../support/test-service.ts";
import type { Engine, OpenEngine } from "./engine.ts";

/** The fixture of one test. */
export interface BaseFixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  /** State of the service before the test. */
  readonly initialState: LiveState;
  readonly engine: Engine;
}

/** The fixture and its helpers. */
export interface StackFixture extends BaseFixture {
  /** Opens another empty stack on the same service, with more configuration. */
  openStack(more?: PropertyMap): Promise<Engine>;
  /** Returns the addresses of the objects that the test has created. */
  createdAddresses(): Promise<readonly string[]>;
}

/** Sets up the fixture before every test of a suite, and closes it after. */
export function setUpStackFixture(open: OpenEngine): StackFixture {
  let service: ResettableService;
  let initialState: LiveState;
  let scene: BaseFixture;
  const stack = ({ url }: Proxy, more: PropertyMap = {}): Promise<Engine> =>
    open({ url, apiKey: new SecretValue(service.adminKey), ...more });
  beforeAll(async () => {
    service = await startResettableService(prepareAccount);
    initialState = await liveState(service);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    const proxy = await startProxy(service.url);
    scene = { service, proxy, initialState, engine: await stack(proxy) };
  });
  afterEach(async () => {
    await scene.proxy.close();
    // Pending work of the service must not affect the next test.
    await scene.proxy.idle();
    await service.reset();
  });
  return {
    get service() {
      return scene.service;
    },
    get proxy() {
      return scene.proxy;
    },
    get initialState() {
      return scene.initialState;
    },
    get engine() {
      return scene.engine;
    },
    openStack: (more) => stack(scene.proxy, more),
    createdAddresses: async () =>
      Object.keys(await liveState(scene.service)).filter(
        (address) => !(address in scene.initialState),
      ),
  };
}
