// What the fault tests happen in: a service, a proxy before it, and a stack that is about to be applied through it.
import { join } from "node:path";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";
import { everyKind, everyKindChanged, makePeople } from "../support/every-kind.ts";
import { hiddenState, liveState, type LiveState } from "../support/live.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { startService } from "../support/service.ts";
import { type Doc, makeStack, type TestStack } from "../support/stack.ts";

const name = "faults";

/** All that can be known of a service: what its API shows and what it does not. */
export interface State {
  readonly live: LiveState;
  readonly hidden: Readonly<Record<string, unknown>>;
}

/** A stack about to be applied, and a look at what came of it. Close it after the test. */
export interface Scene {
  readonly proxy: Proxy;
  readonly stack: TestStack;
  readonly adminKey: string;
  /** The service as it comes, before anything is applied. */
  readonly first: State;
  /** The stack's inventory, by a clock in milliseconds since 1970; the real one where left out. */
  inventory(now?: () => number): InventoryStore;
  state(): Promise<State>;
  /** Counts once, however often it is called. */
  close(): Promise<void>;
}

/** An apply that faults are put into. */
export interface Scenario {
  readonly title: string;
  /** Applied before, without faults; undefined for nothing. */
  readonly before: readonly Doc[] | undefined;
  readonly documents: readonly Doc[];
  /** The number of writes of a run without faults, and what it comes to; measured once. */
  readonly measured: () => Promise<{ readonly writes: number; readonly state: State }>;
}

/** A first apply of every kind; one that changes, replaces and deletes. */
export const scenarios: readonly Scenario[] = [
  scenario("a first apply of every kind", undefined, everyKind),
  scenario("an apply that changes every kind", everyKind, everyKindChanged),
  scenario("an apply that removes most of it", everyKindChanged, everyKindChanged.slice(0, 1)),
];

function scenario(title: string, before: Scenario["before"], documents: readonly Doc[]): Scenario {
  let known: ReturnType<Scenario["measured"]> | undefined;
  const made: Scenario = { title, before, documents, measured: () => (known ??= measure(made)) };
  return made;
}

/** A fresh service with what was applied before; the documents are written, and the proxy has seen nothing. */
export async function open({ before, documents }: Scenario): Promise<Scene> {
  const service = await startService();
  await makePeople(service);
  const state = async (): Promise<State> => ({
    live: await liveState(service),
    hidden: await hiddenState(service.db),
  });
  const first = await state();
  const proxy = await startProxy(service.url);
  // One call at a time: write number n is the same in every run.
  const policy = { concurrency: 1 };
  const stack = await makeStack({ url: proxy.url, key: service.adminKey, name, policy });
  if (before !== undefined) {
    await stack.write(before);
    await stack.apply();
  }
  await stack.write(documents);
  proxy.arm();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await stack.dispose();
    await proxy.close();
    await service.close();
  };
  return {
    proxy,
    stack,
    adminKey: service.adminKey,
    inventory: (now = Date.now) =>
      fileInventory(join(stack.folder, ".svc", `${name}.inventory.json`), name, { now }),
    first,
    state,
    close: () => (closed ??= close()),
  };
}

async function measure(from: Scenario): ReturnType<Scenario["measured"]> {
  const scene = await open(from);
  await scene.stack.apply();
  const measured = { writes: scene.proxy.writes().length, state: await scene.state() };
  await scene.close();
  return measured;
}
