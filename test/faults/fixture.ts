// Starts a service, a proxy before it, and a stack to apply through the proxy.
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { fieldsOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";
import { kinds } from "../../resources/index.ts";
import type { Surface } from "../../service/server/server.ts";
import { capabilityOn, kindNamed } from "../conformance/registry-cases.ts";
import { spawnApply } from "../support/apply-process.ts";
import {
  everyKind,
  everyKindChanged,
  prepareAccount,
  shareOfKinds,
} from "../support/every-kind.ts";
import { hiddenState, liveState, type LiveState } from "../support/live-state.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import type { TestService } from "../support/test-service.ts";
import { changeSummaries, type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

const name = "faults";

/** The complete state of a service: the part that its API shows, and the hidden part. */
export interface ServiceState {
  readonly live: LiveState;
  readonly hidden: Readonly<Record<string, unknown>>;
}

/** A stack to apply, and functions to inspect the result. Close it after the test. */
export interface FaultFixture {
  readonly proxy: Proxy;
  readonly stack: TestStack;
  readonly adminKey: string;
  /** The state of the service before anything is applied. */
  readonly initialState: ServiceState;
  /** The stack's inventory, by a clock in milliseconds since 1970; by default the real clock. */
  inventory(now?: () => number): InventoryStore;
  state(): Promise<ServiceState>;
  /** Has an effect only once, even if it is called several times. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An apply into which faults are injected. */
export interface Scenario {
  readonly title: string;
  readonly surface: Surface;
  /** The documents that are applied before, without faults; undefined if there are none. */
  readonly before: readonly Doc[] | undefined;
  readonly documents: readonly Doc[];
  /** The number of writes of a run without faults, and its result; measured once. */
  readonly baseline: () => Promise<{ readonly writes: number; readonly state: ServiceState }>;
}

const share = (documents: readonly Doc[]): readonly Doc[] =>
  shareOfKinds(documents, { part: 2, of: 1 });
const [first, changed] = [share(everyKind), share(everyKindChanged)];

/** A first apply of many kinds; one that changes, replaces and deletes. */
export const scenarios: readonly Scenario[] = [
  scenario("a first apply", { documents: first }),
  scenario("an apply that changes every object", { before: first, documents: changed }),
  scenario("an apply that removes most of it", { before: changed, documents: changed.slice(0, 1) }),
];

/** Returns an apply of `documents` after `before`, on a service of the given surface; by default the whole API. */
export function scenario(
  title: string,
  on: Pick<Scenario, "documents"> & Partial<Pick<Scenario, "before" | "surface">>,
): Scenario {
  let known: ReturnType<Scenario["baseline"]> | undefined;
  const shared: Scenario = {
    title,
    surface: on.surface ?? "full",
    before: on.before,
    documents: on.documents,
    baseline: () => (known ??= measureBaseline(shared)),
  };
  return shared;
}

/** The environment that scenarios with the same `before` share. It is reset for each of their cases. */
interface SharedScene {
  readonly service: ResettableService;
  readonly proxy: Proxy;
  readonly stack: TestStack;
  readonly initialState: ServiceState;
  /** A copy of the stack's folder. */
  readonly folderCopy: string;
}

const sharedScenes: (Pick<Scenario, "before" | "surface"> & {
  readonly started: Promise<SharedScene>;
})[] = [];

/** Closes the environments that the cases of a file share. Call it after the last case. */
export async function closeFaultFixtures(): Promise<void> {
  for (const { started } of sharedScenes.splice(0)) {
    const { stack, proxy, service, folderCopy } = await started;
    await stack.dispose();
    await rm(folderCopy, { recursive: true });
    await proxy.close();
    await service.close();
  }
}

function stateOf(service: TestService, surface: Surface): Promise<ServiceState> {
  return liveState(service, observableKinds(surface)).then(async (live) => ({
    live,
    hidden: await hiddenState(service.db),
  }));
}

/** Starts a service, and applies the documents of `before`. */
async function startScene({
  surface,
  before,
}: Pick<Scenario, "surface" | "before">): Promise<SharedScene> {
  let scene: Omit<SharedScene, "service"> | undefined;
  const prepare = async (started: TestService): Promise<void> => {
    await prepareAccount(started);
    const initialState = await stateOf(started, surface);
    const proxy = await startProxy(started.url);
    // One call at a time: write number n is the same in every run.
    const policy = { concurrency: 1 };
    const stack = await makeStack({ url: proxy.url, key: started.adminKey, name, policy });
    if (before !== undefined) {
      await stack.write(before);
      await stack.apply();
    }
    const folderCopy = await mkdtemp(join(tmpdir(), "svc-stack-"));
    await cp(stack.folder, folderCopy, { recursive: true });
    scene = { proxy, stack, initialState, folderCopy };
  };
  const service = await startResettableService(prepare, { surface });
  if (scene === undefined) throw new Error("the scene was not prepared");
  return { ...scene, service };
}

function sharedScene({ surface, before }: Scenario): Promise<SharedScene> {
  const same = sharedScenes.find((one) => one.surface === surface && one.before === before);
  if (same !== undefined) return same.started;
  const started = startScene({ surface, before });
  sharedScenes.push({ surface, before, started });
  return started;
}

/** Opens a service on which `before` was applied. The documents are written, and the proxy has not seen a request. */
export async function openFaultFixture(from: Scenario): Promise<FaultFixture> {
  const { service, proxy, stack, initialState, folderCopy } = await sharedScene(from);
  await cp(folderCopy, stack.folder, { recursive: true });
  await stack.write(from.documents);
  proxy.arm();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await stack.dispose();
    // Pending work of the service must not affect the next case.
    await proxy.idle();
    await service.reset();
  };
  return {
    proxy,
    stack,
    adminKey: service.adminKey,
    inventory: (now = Date.now) =>
      fileInventory(join(stack.folder, ".svc", `${name}.inventory.json`), name, { now }),
    initialState,
    state: () => stateOf(service, from.surface),
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

/** Returns the kinds that can be observed on the surface together with their parents. */
function observableKinds(surface: Surface): readonly Kind[] {
  return kinds.filter((kind) => isObservableOn(surface, kind));
}

function isObservableOn(surface: Surface, kind: Kind): boolean {
  const parent = fieldsOf(kind).find((field) => field.name === kind.scope.at(-1))?.traits.refersTo;
  const isSeen = capabilityOn(surface, kind).observe.length === 0;
  return isSeen && (parent === undefined || isObservableOn(surface, kindNamed(parent)));
}

async function measureBaseline(from: Scenario): ReturnType<Scenario["baseline"]> {
  const scene = await openFaultFixture(from);
  await scene.stack.apply();
  const measured = { writes: scene.proxy.writes().length, state: await scene.state() };
  await scene.close();
  return measured;
}

/**
 * Applies, or undoes `run`, in a process that is killed when write `at` arrives, before or after the service has
 * executed it.
 */
export async function killAtWrite(
  on: FaultFixture,
  at: number,
  { when, run }: { readonly when: "before" | "after"; readonly run?: string },
): Promise<void> {
  const { proxy, stack, adminKey } = on;
  const child = await spawnApply({ folder: stack.folder, url: proxy.url, key: adminKey, run });
  proxy.arm(at, async () => {
    child.kill("SIGKILL");
    return when === "before" ? "drop" : "pass";
  });
  await once(child, "close");
  // The server executes what it received before the process died.
  await proxy.idle();
  expect(child.signalCode, `write ${at}`).toBe("SIGKILL");
}

/** Kills an apply at a write: the next run continues from there, nothing is created twice, and the stack owns everything. */
export async function expectResumes(
  from: Scenario,
  at: number,
  when: "before" | "after",
): Promise<void> {
  const good = await from.baseline();
  await using fixture = await openFaultFixture(from);
  await killAtWrite(fixture, at, { when });
  fixture.proxy.arm();
  // The lock of a process that has ended is acquired.
  const { outcomes } = await fixture.stack.apply();
  const where = `write ${at}, killed ${when}`;
  expect(
    outcomes.filter(({ result }) => result !== "done"),
    where,
  ).toEqual([]);
  expect(await fixture.state(), where).toEqual(good.state);
  expect(changeSummaries((await fixture.stack.plan()).changes), where).toEqual([]);
  await expectPrunesAll(fixture);
}

/**
 * Expects that the inventory contains every created object: pruning with an almost empty stack leaves only the initial
 * objects.
 */
async function expectPrunesAll(on: FaultFixture): Promise<void> {
  const kept = { kind: "UserGroup", name: "kept", spec: { name: "kept" } };
  await on.stack.write([kept]);
  await on.stack.apply();
  const { live, hidden } = on.initialState;
  expect(await on.state()).toEqual({ live: { ...live, "UserGroup/kept": kept.spec }, hidden });
}
