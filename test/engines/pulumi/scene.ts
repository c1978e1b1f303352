// What tests of whole programs begin with: a service with people, a proxy before it, and an empty stack.
import { afterEach, beforeEach } from "vitest";
import { type PropertyMap, Sealed } from "../../../provider/pulumi/values.ts";
import { makePeople } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live.ts";
import { type Proxy, startProxy } from "../../support/proxy.ts";
import { startService, type TestService } from "../../support/service.ts";
import type { Engine, Open } from "./engines.ts";

/** The ground of one test; made anew for each. */
export interface Scene {
  readonly service: TestService;
  readonly proxy: Proxy;
  /** What the service begins with. */
  readonly bare: LiveState;
  readonly engine: Engine;
}

/** What tests do with it. */
export interface Stage extends Scene {
  /** Another empty stack on the same service, with more configuration. */
  stack(more?: PropertyMap): Promise<Engine>;
  /** Addresses of what is there that the service does not begin with. */
  made(): Promise<readonly string[]>;
}

/** Sets the scene before every test of this suite, and clears it after. */
export function setStage(open: Open): Stage {
  let scene: Scene;
  const stack = (
    { service, proxy }: Pick<Scene, "service" | "proxy">,
    more: PropertyMap = {},
  ): Promise<Engine> => open({ url: proxy.url, apiKey: new Sealed(service.adminKey), ...more });
  beforeEach(async () => {
    const service = await startService();
    await makePeople(service);
    const bare = await liveState(service);
    const proxy = await startProxy(service.url);
    scene = { service, proxy, bare, engine: await stack({ service, proxy }) };
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
    get bare() {
      return scene.bare;
    },
    get engine() {
      return scene.engine;
    },
    stack: (more) => stack(scene, more),
    made: async () =>
      Object.keys(await liveState(scene.service)).filter((address) => !(address in scene.bare)),
  };
}
