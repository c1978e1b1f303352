// Gathers the concurrent calls of an engine into batches. An engine has a fixed number of slots (Terraform's `-parallelism`) and
// takes milliseconds from the end of one call to the start of the next, because it writes its state in between. A queue is
// therefore sent when every slot that the engine ever used is taken, or when no call has started or ended for a while. How long
// that may take follows from the number of slots and the pace of the calls, so that few slots wait briefly and many fill.
import { limits } from "../../core/limits/limits.ts";

/** Queues by name. Items of one queue are sent together, and a queue is not sent while its previous batch is under way. */
export interface CoalescingQueues<T> {
  /** Counts a call of the engine, from its start to its return. `work` may add an item to the queue of that name. */
  during<R>(name: string, work: () => Promise<R>): Promise<R>;
  add(name: string, item: T): void;
}

interface Queue<T> {
  items: T[];
  /** When the first item was added. */
  since: number;
  /** Calls of the engine that have not returned. Includes the calls of the queued items. */
  open: number;
  sending: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Creates queues over a function that sends a batch. `limits` bound how long and how many items wait. */
export function createCoalescingQueues<T>(
  send: (items: readonly T[]) => Promise<void>,
): CoalescingQueues<T> {
  const queues = new Map<string, Queue<T>>();
  const slots = createSlotCount();
  const queueNamed = (name: string): Queue<T> => {
    const queue = queues.get(name) ?? newQueue();
    queues.set(name, queue);
    return queue;
  };
  const check = createQueueCheck(slots, send);
  const checkAll = (): void => queues.forEach(check);
  return {
    during: async (name, work) => {
      const queue = queueNamed(name);
      queue.open += 1;
      slots.take();
      try {
        return await work();
      } finally {
        queue.open -= 1;
        slots.release();
        checkAll();
      }
    },
    add: (name, item) => {
      const queue = queueNamed(name);
      if (queue.items.length === 0) queue.since = performance.now();
      queue.items.push(item);
      // The last slot completes all queues.
      if (slots.areTaken()) checkAll();
      else check(queue);
    },
  };
}

function newQueue<T>(): Queue<T> {
  return { items: [], since: 0, open: 0, sending: false, timer: undefined };
}

/** Returns a function that sends a queue if it is complete, and else sets a timer for it. */
function createQueueCheck<T>(
  slots: SlotCount,
  send: (items: readonly T[]) => Promise<void>,
): (queue: Queue<T>) => void {
  const flush = (queue: Queue<T>): void => {
    clearTimeout(queue.timer);
    const items = queue.items.splice(0, limits.createsPerBatch);
    queue.since = performance.now();
    queue.sending = true;
    void send(items).finally(() => {
      queue.sending = false;
      check(queue);
    });
  };
  const check = (queue: Queue<T>): void => {
    clearTimeout(queue.timer);
    if (queue.items.length === 0 || queue.sending) return;
    // A call that is about to return, or to add its item, checks the queue again when it does.
    const isSettled = queue.open <= queue.items.length;
    const left = queue.since + slots.mostMs() - performance.now();
    const isFull = queue.items.length >= limits.createsPerBatch;
    if (isFull || left <= 0 || (isSettled && slots.areTaken())) return flush(queue);
    const wait = isSettled ? Math.min(slots.quietMs(), left) : left;
    const isLast = wait === left;
    queue.timer = setTimeout(() => {
      if (isLast) slots.forgetUnused();
      flush(queue);
    }, wait);
  };
  return check;
}

/** Counts the slots of an engine that are in use, and measures how fast it takes them. */
interface SlotCount {
  take(): void;
  release(): void;
  /** Returns whether as many slots are in use as the engine ever used, so that no further call can start. */
  areTaken(): boolean;
  /** Returns how long to wait for a further call, in milliseconds. */
  quietMs(): number;
  /** Returns how long the first item of a queue waits, in milliseconds: as long as the engine needs to fill its slots. */
  mostMs(): number;
  /** Called where they did not fill in that time: the engine does not use as many any more, so that later waits are short. */
  forgetUnused(): void;
}

function createSlotCount(): SlotCount {
  let used = 0;
  // The most that were in use when one was released. Before, each call of the first burst would seem to be the last.
  let most = Infinity;
  let last = -Infinity;
  let gap = 0;
  // Not known in the first burst, which starts fast.
  const fillMs = (): number => (most === Infinity ? 0 : fillFactor * most * gap);
  return {
    take: () => {
      used += 1;
      const now = performance.now();
      // A longer pause ends a burst, so it says nothing about the calls within one.
      if (now - last < limits.coalesceQuietMs) gap += (now - last - gap) / gapWeight;
      last = now;
    },
    release: () => {
      most = most === Infinity ? used : Math.max(most, used);
      used -= 1;
      last = performance.now();
    },
    areTaken: () => used >= most,
    quietMs: () => Math.min(Math.max(limits.coalesceMs, gapsToWait * gap), limits.coalesceQuietMs),
    mostMs: () => Math.min(Math.max(limits.coalesceMostMs, fillMs()), limits.coalesceFillMostMs),
    forgetUnused: () => {
      if (most !== Infinity) most = Math.max(used, 1);
    },
  };
}

/** How many recent gaps between calls the mean covers. */
const gapWeight = 8;

/** How many mean gaps without a call end a burst. */
const gapsToWait = 10;

/** How much longer the slots may take to fill than the recent gaps say, because the gaps grow with the state of the engine. */
const fillFactor = 2;
