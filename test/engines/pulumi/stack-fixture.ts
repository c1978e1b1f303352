// Fixture of tests of whole programs: a service with users behind a proxy, and an empty stack.
import { afterEach, beforeEach } from "vitest";
import { type PropertyMap, SecretValue } from "../../../provider/pulumi/property-values.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live-state.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
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

/** State of every service before a test. */
let freshState: LiveState | undefined;

/** Sets up the fixture before every test of a suite, and closes it after. */
export function setUpStackFixture(open: OpenEngine): StackFixture {
  let scene: BaseFixture;
  const stack = (
    { service, proxy }: Pick<BaseFixture, "service" | "proxy">,
    more: PropertyMap = {},
  ): Promise<Engine> =>
    open({ url: proxy.url, apiKey: new SecretValue(service.adminKey), ...more });
  beforeEach(async () => {
    const service = await startService();
    await prepareAccount(service);
    freshState ??= await liveState(service);
    const proxy = await startProxy(service.url);
    scene = { service, proxy, initialState: freshState, engine: await stack({ service, proxy }) };
  });
  afterEach(async () => {
    await scene.proxy.close();
    await scene.service.close();
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
    openStack: (more) => stack(scene, more),
    createdAddresses: async () =>
      Object.keys(await liveState(scene.service)).filter(
        (address) => !(address in scene.initialState),
      ),
  };
}
