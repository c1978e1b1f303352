// Starts a service, a proxy before it, and a stack that is applied through the proxy, new for each test.
import { afterEach, beforeEach } from "vitest";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack, type TestStackOptions } from "../support/test-stack.ts";

/** A service and a stack, which exist only during a test. */
export interface SafetyFixture {
  readonly service: TestService;
  /** The proxy between them. */
  readonly proxy: Proxy;
  readonly stack: TestStack;
}

/** Creates a fixture for each test of the calling file or suite, and removes it afterwards. */
export function setUpFixture(
  stackOptions: Omit<TestStackOptions, "url" | "key"> = {},
): SafetyFixture {
  let now: (SafetyFixture & { readonly end: AsyncDisposableStack }) | undefined;
  const set = (): SafetyFixture => {
    if (now === undefined) throw new Error("there is a scene only within a test");
    return now;
  };
  beforeEach(async () => {
    const end = new AsyncDisposableStack();
    const service = await startService();
    end.defer(() => service.close());
    const proxy = await startProxy(service.url);
    end.defer(() => proxy.close());
    const stack = await makeStack({ ...stackOptions, url: proxy.url, key: service.adminKey });
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
