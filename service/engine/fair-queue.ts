// Runs tasks of many deployments with limits of concurrency. Deployments take turns, in each its embed tenants, and in
// each of those their sessions.
import { Failure } from "../../core/errors.ts";
import { canceledFailure } from "./engine.ts";

/** Limits of a queue. */
export interface FairLimits {
  /** Running tasks of all groups, of one, of a tenant in it, and of a session. */
  readonly running: number;
  readonly runningOfGroup: number;
  readonly runningOfTenant: number;
  readonly runningOfSession: number;
  /**
   * Tenants of groups with running tasks: the first task of a tenant starts even if others have reached the limit of all
   * groups.
   */
  readonly runningTenants: number;
  /** Waiting tasks of all groups, of one, of a tenant in it, and of a session. */
  readonly waiting: number;
  readonly waitingOfGroup: number;
  readonly waitingOfTenant: number;
  readonly waitingOfSession: number;
}

/** Whose turn a task takes. */
export interface Turn {
  /** The deployment. */
  readonly group: string;
  /** The embed tenant in it; empty for users of the account. */
  readonly tenant: string;
  /** The embed session; undefined for a credential that serves many, which has no limits of its own. */
  readonly session: string | undefined;
}

/** A queue of tasks. */
export interface FairQueue {
  /**
   * Runs a task when it has its turn. Throws `unavailable` if too many tasks wait, and as a canceled query if the signal
   * aborts before it starts.
   */
  add<T>(turn: Turn, task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The tasks of a group, a tenant or a session. */
interface Level {
  running: number;
  waiting: number;
  /** When it had its last turn. */
  turn: number;
  readonly mostRunning: number;
  readonly mostWaiting: number;
}

interface Task {
  /** Of the group, the tenant and the session. */
  readonly levels: readonly [Level, Level, Level];
  readonly run: () => Promise<void>;
}

/** Keeps the levels that have tasks. */
function keepLevels(bounds: FairLimits, now: () => number) {
  const levels = new Map<string, Level>();
  const levelOf = (key: readonly string[], mostRunning: number, mostWaiting: number): Level => {
    const text = JSON.stringify(key);
    const created = { running: 0, waiting: 0, turn: now(), mostRunning, mostWaiting };
    const level = levels.get(text) ?? created;
    levels.set(text, level);
    return level;
  };
  return {
    of: ({ group, tenant, session }: Turn): Task["levels"] => [
      levelOf([group], bounds.runningOfGroup, bounds.waitingOfGroup),
      levelOf([group, tenant], bounds.runningOfTenant, bounds.waitingOfTenant),
      session === undefined
        ? levelOf([group, tenant, ""], Infinity, Infinity)
        : levelOf([group, tenant, session], bounds.runningOfSession, bounds.waitingOfSession),
    ],
    dropIdle(): void {
      for (const [key, level] of levels) {
        if (level.running + level.waiting === 0) levels.delete(key);
      }
    },
  };
}

/** Counts the tasks that run, and decides which may. */
function countRunning(bounds: FairLimits) {
  const tenants = new Set<Level>();
  let running = 0;
  return {
    mayStart({ levels }: Task): boolean {
      if (levels.some((level) => level.running >= level.mostRunning)) return false;
      const [, tenant] = levels;
      const isFirst = tenant.running === 0 && tenants.size < bounds.runningTenants;
      return running < bounds.running || isFirst;
    },
    change({ levels }: Task, by: 1 | -1): void {
      running += by;
      for (const level of levels) level.running += by;
      const [, tenant] = levels;
      if (tenant.running > 0) tenants.add(tenant);
      else tenants.delete(tenant);
    },
  };
}

/** Creates a queue. */
export function createFairQueue(bounds: FairLimits): FairQueue {
  let turns = 0;
  const levels = keepLevels(bounds, () => ++turns);
  const running = countRunning(bounds);
  const waiting: Task[] = [];
  const take = (task: Task) => {
    waiting.splice(waiting.indexOf(task), 1);
    for (const level of task.levels) level.waiting--;
  };
  const startNext = () => {
    const [task] = waiting.filter((one) => running.mayStart(one)).toSorted(byTurn);
    if (task === undefined) return levels.dropIdle();
    take(task);
    turns++;
    for (const level of task.levels) level.turn = turns;
    running.change(task, 1);
    // Not synchronously, so that the caller of `add` can first finish its own state.
    void Promise.resolve()
      .then(task.run)
      .finally(() => {
        running.change(task, -1);
        startNext();
      });
  };
  return {
    async add<T>(turn: Turn, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const own = levels.of(turn);
      const isFull = own.some((level) => level.waiting >= level.mostWaiting);
      if (waiting.length >= bounds.waiting || isFull) {
        throw new Failure("unavailable", "too many queries wait; try again", { retryAfter: 1 });
      }
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const added: Task = { levels: own, run: async () => task().then(resolve, reject) };
      waiting.push(added);
      for (const level of own) level.waiting++;
      const drop = () => {
        if (!waiting.includes(added)) return;
        take(added);
        reject(canceledFailure());
      };
      signal.addEventListener("abort", drop, { once: true });
      startNext();
      return promise;
    },
  };
}

/** Orders tasks: by the last turns of their groups, their tenants and their sessions. */
function byTurn({ levels: one }: Task, { levels: other }: Task): number {
  return one[0].turn - other[0].turn || one[1].turn - other[1].turn || one[2].turn - other[2].turn;
}
