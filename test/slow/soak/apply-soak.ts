// Kills applies at any of their calls, one stack after another, and checks that each reaches the same state as without a
// kill.
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { isFailure } from "../../../core/errors.ts";
import type { ApplyResult } from "../../../reconciler/model/index.ts";
import { spawnApply } from "../../support/apply-process.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { hiddenState, liveState } from "../../support/live-state.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { withoutServerChoices } from "../../support/expected-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import type { TestDatabase } from "../../support/test-database.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";
import { type Random, seededRandom, randomStack } from "./random.ts";

/** The number of kills, the seed, and the receiver of progress. */
export interface SoakOptions {
  readonly count: number;
  readonly seed: number;
  readonly report: (line: string) => void;
  /** Creates a database for the servers that are killed. By default, each server has a data folder. */
  readonly database?: () => Promise<Pick<TestDatabase, "data" | "drop">>;
}

/** The result of the soak test. */
export interface SoakResult {
  /** Processes that were killed. */
  readonly killed: number;
  /** Skipped stacks, which the undisturbed service could not apply either. */
  readonly skipped: number;
  /** One line for each error; empty if there are none. */
  readonly wrong: readonly string[];
}

/** Maximum number of parallel soak tests, each with separate seeds, services and processes. */
const mostLanes = 3;

/** Stacks on one service before both environments start again. */
const stacksPerEnvironment = 8;

/** Applies of one stack that are killed one after another: each continues from the state that the killed ones left. */
const killsPerStack = 4;

interface SoakEnvironment {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly stack: TestStack;
  close(): Promise<void>;
}

/** Kills `count` applies, in parallel lanes, so that one computes while another waits for its processes. */
export async function soakApplies(options: SoakOptions): Promise<SoakResult> {
  const { count, seed } = options;
  const lanes = Math.min(mostLanes, Math.ceil(count / killsPerStack));
  const results = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      soakLane({
        ...options,
        count: Math.floor((count + lane) / lanes),
        seed: (seed + lane) % 2 ** 32,
      }),
    ),
  );
  return {
    killed: results.reduce((sum, { killed }) => sum + killed, 0),
    skipped: results.reduce((sum, { skipped }) => sum + skipped, 0),
    wrong: results.flatMap(({ wrong }) => wrong),
  };
}

async function soakLane({ count, seed, report }: SoakOptions): Promise<SoakResult> {
  const random = seededRandom(seed);
  const wrong: string[] = [];
  let [killed, skipped] = [0, 0];
  while (killed < count && skipped <= count) {
    // Only checks the responses of killed applies; the responses of undisturbed ones are the same.
    const [good, bad] = [await openEnvironment({ checkAnswers: false }), await openEnvironment()];
    try {
      for (let at = 0; at < stacksPerEnvironment && killed < count; at++) {
        const documents = randomStack(random);
        const calls = await countCalls(good, documents);
        if (calls === undefined) {
          skipped++;
          break;
        }
        if (calls === 0) continue;
        const place = `seed ${seed}, after ${killed} kills`;
        await bad.stack.write(documents);
        const most = Math.min(killsPerStack, count - killed);
        const kills = await killApplies(bad, { random, calls, most });
        killed += kills;
        const found = await compareStates(good, bad, documents);
        for (const one of found) wrong.push(`${place}: ${one}`);
        if (found.length > 0) report(`${place}: ${found.join("; ")}\n${JSON.stringify(documents)}`);
        if (kills > 0) report(`${killed} of ${count} applies killed from ${seed}`);
        if (found.length > 0) break;
      }
    } finally {
      await good.close();
      await bad.close();
    }
  }
  return { killed, skipped, wrong };
}

async function openEnvironment(
  options: Parameters<typeof startService>[0] = {},
): Promise<SoakEnvironment> {
  const service = await startService(options);
  await prepareAccount(service);
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey, name: "soak" });
  const close = async (): Promise<void> => {
    await stack.dispose();
    await proxy.close();
    await service.close();
  };
  return { service, proxy, stack, close };
}

/**
 * Returns the number of calls of an undisturbed apply; 0 if it has nothing to write, undefined if it cannot be applied.
 */
async function countCalls(
  { stack, proxy }: SoakEnvironment,
  documents: readonly Doc[],
): Promise<number | undefined> {
  await stack.write(documents);
  proxy.arm();
  const applied = await settledRun(stack.apply());
  if (typeof applied === "string" || unfinishedOutcomes(applied).length > 0) return undefined;
  return proxy.writes().length === 0 ? 0 : proxy.requests.length;
}

async function settledRun(run: Promise<ApplyResult>): Promise<ApplyResult | string> {
  try {
    return await run;
  } catch (error) {
    if (isFailure(error)) return `${error.code}: ${error.message}`;
    return error instanceof Error ? error.message : String(error);
  }
}

function unfinishedOutcomes({ outcomes }: ApplyResult): readonly string[] {
  return outcomes
    .filter(({ result }) => result !== "done")
    .map(({ address, failure }) => `${address} ${failure?.code ?? "skipped"}`);
}

interface KillOptions {
  readonly random: Random;
  /** Number of calls of an undisturbed apply. */
  readonly calls: number;
  /** Maximum number of applies to kill. */
  readonly most: number;
}

/** Kills applies one after another until one ends before its kill, and returns how many it killed. */
async function killApplies(bad: SoakEnvironment, options: KillOptions): Promise<number> {
  let killed = 0;
  while (killed < options.most && (await killApply(bad, options))) killed++;
  return killed;
}

/**
 * Kills an apply at one of its calls, before or after the service has executed it. Returns false if the apply ended
 * before.
 */
async function killApply(
  { stack, proxy, service }: SoakEnvironment,
  { random, calls }: KillOptions,
): Promise<boolean> {
  const { folder } = stack;
  const child = await spawnApply({ folder, url: proxy.url, key: service.adminKey });
  const outcome = random.chance(0.5) ? "drop" : "pass";
  proxy.armAnyCall(1 + random.below(calls), async () => {
    child.kill("SIGKILL");
    return outcome;
  });
  await once(child, "close");
  await proxy.idle();
  proxy.arm();
  return child.signalCode === "SIGKILL";
}

/** Returns the differences from the undisturbed service once the next apply has completed the killed one. */
async function compareStates(
  good: SoakEnvironment,
  bad: SoakEnvironment,
  documents: readonly Doc[],
): Promise<string[]> {
  const applied = await settledRun(bad.stack.apply());
  if (typeof applied === "string") return [`the next apply failed: ${applied}`];
  const found = unfinishedOutcomes(applied).map((one) => `the next apply left ${one}`);
  const differing = differences(await stateOf(bad, documents), await stateOf(good, documents));
  found.push(...differing.map((one) => `another end state: ${one}`));
  const planned = changeSummaries((await bad.stack.plan()).changes);
  if (planned.length > 0) found.push(`a second plan holds ${planned.join(", ")}`);
  return found;
}

type SoakState = Readonly<Record<string, unknown>>;

/**
 * Returns the objects of both environments, without the values that the server chooses, which depend on the order of
 * the calls.
 */
async function stateOf(
  { service }: SoakEnvironment,
  documents: readonly Doc[],
): Promise<SoakState> {
  const live = withoutServerChoices(await liveState(service), documents);
  const hidden = Object.entries(await hiddenState(service.db));
  return {
    ...live,
    ...Object.fromEntries(hidden.map(([user, state]) => [`hidden state of ${user}`, state])),
  };
}

/** Returns each object that differs, with both states. */
export function differences(found: SoakState, expected: SoakState): string[] {
  const objects = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...objects]
    .filter((object) => !isDeepStrictEqual(found[object], expected[object]))
    .map((object) => {
      const [is, should] = [found, expected].map((state) => JSON.stringify(state[object]));
      return `${object} is ${is} instead of ${should}`;
    });
}
