// Provides environments for laws: an unused service and an empty stack. Services are reset and reused.
import { constants } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import { kinds } from "../../resources/index.ts";
import { prepareAccount } from "./every-kind.ts";
import { hiddenState, liveState } from "./live-state.ts";
import { type Proxy, startProxy } from "./fault-proxy.ts";
import { type ResettableService, startResettableService } from "./resettable-service.ts";
import type { TestService } from "./test-service.ts";
import {
  type Doc,
  changeSummaries,
  makeStack,
  type TestStack,
  type TestStackOptions,
} from "./test-stack.ts";

/** A fresh service and an empty stack. */
export interface TestEnvironment {
  readonly service: TestService;
  readonly stack: TestStack;
  /** Another stack on the same service, removed with it. */
  readonly anotherStack: (stackOptions?: Partial<TestStackOptions>) => Promise<TestStack>;
}

/** An environment with a proxy that sees every request of the stack; it costs a third more. */
export interface ProxiedEnvironment extends TestEnvironment {
  readonly proxy: Proxy;
}

/** Provides the environments for the runs of one property. */
export interface TestEnvironments {
  use<T>(
    work: (environment: TestEnvironment) => Promise<T>,
    stackOptions?: Partial<TestStackOptions>,
  ): Promise<T>;
  useProxied<T>(work: (environment: ProxiedEnvironment) => Promise<T>): Promise<T>;
}

/** Runs `work` with test environments, and closes the services that it started. */
export async function withTestEnvironments<T>(
  work: (environments: TestEnvironments) => Promise<T>,
): Promise<T> {
  const free: ResettableService[] = [];
  const services = new Set<ResettableService>();
  const taken = async (): Promise<ResettableService> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const started = await startResettableService(prepareAccount, { data: ":memory:" });
    services.add(started);
    return started;
  };
  /** An environment in which a run failed may still be busy, and is not reused. */
  const onService = async <R>(use: (service: TestService) => Promise<R>): Promise<R> => {
    const service = await taken();
    const result = await use(service);
    await service.reset();
    free.push(service);
    return result;
  };
  try {
    return await work({
      use: (use, stackOptions = {}) =>
        onService((service) => withStack(service, use, stackOptions)),
      useProxied: (use) =>
        onService(async (service) => {
          const proxy = await startProxy(service.url);
          try {
            const proxyOptions = { url: proxy.url };
            return await withStack(
              service,
              (environment) => use({ ...environment, proxy }),
              proxyOptions,
            );
          } finally {
            await proxy.close();
          }
        }),
    });
  } finally {
    await Promise.all([...services].map((service) => service.close()));
  }
}

async function withStack<T>(
  service: TestService,
  work: (environment: TestEnvironment) => Promise<T>,
  stackOptions: Partial<TestStackOptions>,
): Promise<T> {
  const stacks: TestStack[] = [];
  const { url, adminKey: key } = service;
  const another = async (more: Partial<TestStackOptions> = {}): Promise<TestStack> => {
    const stack = await makeStack({ url, key, parentFolder: await fastFolder(), ...more });
    stacks.push(stack);
    return stack;
  };
  try {
    return await work({ service, stack: await another(stackOptions), anotherStack: another });
  } finally {
    await Promise.all(stacks.map((stack) => stack.dispose()));
  }
}

/** Creates a folder for temporary data, in memory if possible, because inventories wait for the disk. */
async function fastFolder(): Promise<string> {
  const inMemory = "/dev/shm";
  return access(inMemory, constants.W_OK).then(
    () => inMemory,
    () => tmpdir(),
  );
}

const byName = kindsByName(kinds);

/**
 * Returns whether another object creates this one: a subscription creates its external user, and a list its entries. No
 * stack owns them, so a stack that declares them must adopt them.
 */
export function isImplicitlyCreated(address: string): boolean {
  const kind = byName.get(address.split("/")[0] ?? "");
  return kind?.name === "EmbedUser" || kind?.entryOf !== undefined;
}

/** A document that every stack contains, because an empty stack never prunes. */
export const anchorDocument: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };

/** Applies the documents, and expects that all succeed as declared. */
export async function applyCleanly(
  { stack }: Pick<TestEnvironment, "stack">,
  documents: readonly Doc[],
): Promise<void> {
  await stack.write([anchorDocument, ...documents]);
  const { outcomes, residual } = await stack.apply({ adopt: isImplicitlyCreated });
  expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(changeSummaries(residual)).toEqual([]);
}

/**
 * Skips a run if the plan rightly refuses it: a declared user would move to the place of a user that a subscription
 * created, which has no owner.
 */
export async function skipImplicitConflicts(
  { stack }: Pick<TestEnvironment, "stack">,
  documents: readonly Doc[],
): Promise<void> {
  await stack.write([anchorDocument, ...documents]);
  const { diagnostics } = await stack.plan({ createsKey: true, adopt: isImplicitlyCreated });
  fc.pre(
    !diagnostics.some(
      ({ code, address = "" }) => code === "not-owned" && isImplicitlyCreated(address),
    ),
  );
}

/** Returns all objects on the service, and the state that the API does not show. */
export async function stateOf({ service }: TestEnvironment) {
  return { live: await liveState(service), hidden: await hiddenState(service.db) };
}

/** Returns every file of the inventory with its text. */
export async function inventoryFiles({ stack }: TestEnvironment): Promise<readonly string[]> {
  const folder = join(stack.folder, ".svc");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => `${name} ${await readFile(join(folder, name), "utf8")}`),
  );
}
