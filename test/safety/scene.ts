// What most tests of safety happen in: a service, a proxy before it, and a stack that is applied through that; afresh for each test.
import { afterEach, beforeEach } from "vitest";
import { startProxy, type Proxy } from "../support/proxy.ts";
import { startService, type TestService } from "../support/service.ts";
import { makeStack, type TestStack, type TestStackOptions } from "../support/stack.ts";

/** A service and a stack; there is one only within a test. */
export interface Scene {
  readonly service: TestService;
  /** Between the two. */
  readonly proxy: Proxy;
  readonly stack: TestStack;
}

/** Sets a scene for each test of the file or suite that calls this, and clears it after. */
export function sceneForEach(made: Omit<TestStackOptions, "url" | "key"> = {}): Scene {
  let now: (Scene & { readonly end: AsyncDisposableStack }) | undefined;
  const set = (): Scene => {
    if (now === undefined) throw new Error("there is a scene only within a test");
    return now;
  };
  beforeEach(async () => {
    const end = new AsyncDisposableStack();
    const service = await startService();
    end.defer(() => service.close());
    const proxy = await startProxy(service.url);
    end.defer(() => proxy.close());
    const stack = await makeStack({ ...made, url: proxy.url, key: service.adminKey });
    end.defer(() => stack.dispose());
    now = { service, proxy, stack, end };
  });
  afterEach(async () => {
    await now?.end.disposeAsync();
    now = undefined;
  });
  return {
    get service() {
      return set().service;
    },
    get proxy() {
      return set().proxy;
    },
    get stack() {
      return set().stack;
    },
  };
}
