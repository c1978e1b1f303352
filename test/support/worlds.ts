// Worlds for the laws: a service that nobody has used, and an empty stack before it. Services are used again, taken back in between.
import { constants } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { makePeople } from "./every-kind.ts";
import { hiddenState, liveState } from "./live.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { type RewoundService, startRewound } from "./rewound.ts";
import type { TestService } from "./service.ts";
import { type Doc, inWords, makeStack, type TestStack, type TestStackOptions } from "./stack.ts";

/** A fresh service and an empty stack. */
export interface World {
  readonly service: TestService;
  readonly stack: TestStack;
  /** Another stack before the same service, gone with the world. */
  readonly another: (made?: Partial<TestStackOptions>) => Promise<TestStack>;
}

/** The same with a proxy in between that sees every request of the stack; it costs a third more. */
export interface WatchedWorld extends World {
  readonly proxy: Proxy;
}

/** Where draws of one property take their worlds from. */
export interface Worlds {
  in<T>(work: (world: World) => Promise<T>, made?: Partial<TestStackOptions>): Promise<T>;
  watched<T>(work: (world: WatchedWorld) => Promise<T>): Promise<T>;
}

/** Runs `work` with worlds, and closes the services that they took. */
export async function withWorlds<T>(work: (worlds: Worlds) => Promise<T>): Promise<T> {
  const free: RewoundService[] = [];
  const worlds = new Set<RewoundService>();
  const taken = async (): Promise<RewoundService> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const made = await startRewound(makePeople);
    worlds.add(made);
    return made;
  };
  /** One in which something failed may still be busy, and is not used again. */
  const onService = async <R>(use: (service: TestService) => Promise<R>): Promise<R> => {
    const service = await taken();
    const result = await use(service);
    await service.rewind();
    free.push(service);
    return result;
  };
  try {
    return await work({
      in: (use, made = {}) => onService((service) => inFrontOf(service, use, made)),
      watched: (use) =>
        onService(async (service) => {
          const proxy = await startProxy(service.url);
          try {
            const made = { url: proxy.url };
            return await inFrontOf(service, (world) => use({ ...world, proxy }), made);
          } finally {
            await proxy.close();
          }
        }),
    });
  } finally {
    await Promise.all([...worlds].map((service) => service.close()));
  }
}

async function inFrontOf<T>(
  service: TestService,
  work: (world: World) => Promise<T>,
  made: Partial<TestStackOptions>,
): Promise<T> {
  const stacks: TestStack[] = [];
  const { url, adminKey: key } = service;
  const another = async (more: Partial<TestStackOptions> = {}): Promise<TestStack> => {
    const stack = await makeStack({ url, key, under: await quickFolder(), ...more });
    stacks.push(stack);
    return stack;
  };
  try {
    return await work({ service, stack: await another(made), another });
  } finally {
    await Promise.all(stacks.map((stack) => stack.dispose()));
  }
}

/** A folder for what need not outlive the machine: in memory where there is one, since inventories wait for the disk. */
async function quickFolder(): Promise<string> {
  const inMemory = "/dev/shm";
  return access(inMemory, constants.W_OK).then(
    () => inMemory,
    () => tmpdir(),
  );
}

/** A subscription brings its external user to life without our owning it, so who then declares it has to take it over. */
export function isByProduct(address: string): boolean {
  return address.startsWith("EmbedUser/");
}

/** A document that every stack has, since an empty one never prunes. */
export const anchor: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };

/** Applies the documents, all of them well and as wished. */
export async function applied({ stack }: World, documents: readonly Doc[]): Promise<void> {
  await stack.write([anchor, ...documents]);
  const { outcomes, residual } = await stack.apply({ adopt: isByProduct });
  expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(inWords(residual)).toEqual([]);
}

/**
 * Passes over what a plan refuses for good reason: a declared user that would move to where a subscription has brought one,
 * which is nobody's.
 */
export async function unlessOnByProduct(
  { stack }: World,
  documents: readonly Doc[],
): Promise<void> {
  await stack.write([anchor, ...documents]);
  const { diagnostics } = await stack.plan({ makesKey: true, adopt: isByProduct });
  fc.pre(
    !diagnostics.some(({ code, address = "" }) => code === "not-ours" && isByProduct(address)),
  );
}

/** All that lives on the service, and what the API does not show of it. */
export async function stateOf({ service }: World) {
  return { live: await liveState(service), hidden: await hiddenState(service.db) };
}

/** Every file of the inventory with its text. */
export async function inventoryOf({ stack }: World): Promise<readonly string[]> {
  const folder = join(stack.folder, ".svc");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => `${name} ${await readFile(join(folder, name), "utf8")}`),
  );
}
