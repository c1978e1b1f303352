// Runs tasks of many groups with a limit of concurrency: the groups take turns, and each has a limit of waiting tasks.
import { Failure } from "../../core/errors.ts";

/** Limits of a queue. */
export interface FairLimits {
  readonly running: number;
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
export function createFairQueue({ running, waiting, waitingOfGroup }: FairLimits): FairQueue {
  /** The group whose turn is next comes first. */
  const groups = new Map<string, (() => Promise<void>)[]>();
  let active = 0;
  let count = 0;
  const startNext = () => {
    const [next] = groups;
    if (next === undefined || active >= running) return;
    const [group, tasks] = next;
    const task = tasks.shift();
    groups.delete(group);
    if (tasks.length > 0) groups.set(group, tasks);
    if (task === undefined) return;
    count--;
    active++;
    // Not synchronously, so that the caller of `add` can first finish its own state.
    void Promise.resolve()
      .then(task)
      .finally(() => {
        active--;
        startNext();
      });
  };
  return {
    async add<T>(group: string, task: () => Promise<T>): Promise<T> {
      const tasks = groups.get(group) ?? [];
      if (count >= waiting || tasks.length >= waitingOfGroup) {
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
