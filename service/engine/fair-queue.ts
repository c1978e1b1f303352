// Runs tasks of many groups with a limit of concurrency: the groups take turns, and each has a limit of waiting tasks.
import { Failure } from "../../core/errors.ts";

/** Limits of a queue. */
export interface FairLimits {
  /** Running tasks of all groups, and of one. */
  readonly running: number;
  readonly runningOfGroup: number;
  /** Groups with running tasks: the first task of a group starts even if other groups have reached their limits. */
  readonly runningGroups: number;
  /** Waiting tasks of all groups, and of one. */
  readonly waiting: number;
  readonly waitingOfGroup: number;
}

/** A queue of tasks. */
export interface FairQueue {
  /** Runs a task when its group has its turn. Throws `unavailable` if too many tasks wait. */
  add<T>(group: string, task: () => Promise<T>): Promise<T>;
}

/** Creates a queue. */
export function createFairQueue(bounds: FairLimits): FairQueue {
  /** The group whose turn is next comes first. */
  const groups = new Map<string, (() => Promise<void>)[]>();
  const activeOf = new Map<string, number>();
  let active = 0;
  let count = 0;
  const change = (group: string, by: number) => {
    active += by;
    const left = (activeOf.get(group) ?? 0) + by;
    if (left > 0) activeOf.set(group, left);
    else activeOf.delete(group);
  };
  const nextGroup = () => {
    for (const group of groups.keys()) {
      const own = activeOf.get(group) ?? 0;
      if (own === 0 && activeOf.size < bounds.runningGroups) return group;
      if (active < bounds.running && own < bounds.runningOfGroup) return group;
    }
    return undefined;
  };
  const startNext = () => {
    const group = nextGroup();
    if (group === undefined) return;
    const tasks = groups.get(group) ?? [];
    const task = tasks.shift();
    groups.delete(group);
    if (tasks.length > 0) groups.set(group, tasks);
    if (task === undefined) return;
    count--;
    change(group, 1);
    // Not synchronously, so that the caller of `add` can first finish its own state.
    void Promise.resolve()
      .then(task)
      .finally(() => {
        change(group, -1);
        startNext();
      });
  };
  return {
    async add<T>(group: string, task: () => Promise<T>): Promise<T> {
      const tasks = groups.get(group) ?? [];
      if (count >= bounds.waiting || tasks.length >= bounds.waitingOfGroup) {
        throw new Failure("unavailable", "too many queries wait; try again", { retryAfter: 1 });
      }
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      tasks.push(async () => task().then(resolve, reject));
      groups.set(group, tasks);
      count++;
      startNext();
      return promise;
    },
  };
}
