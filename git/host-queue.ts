// Limits operations for each host, so that a host that does not respond delays no other.
import pLimit, { type LimitFunction } from "p-limit";

/** Runs an operation on a URL when its host has a free slot. */
export type HostQueue = <T>(url: string, run: () => Promise<T>) => Promise<T>;

/** Operations that run concurrently, in total, for each host, and for each URL. */
export interface HostQueueLimits {
  readonly total: number;
  readonly perHost: number;
  /** Default: `perHost`. */
  readonly perUrl?: number;
}

/** Returns a queue with these limits. */
export function createHostQueue(most: HostQueueLimits): HostQueue {
  const total = pLimit(most.total);
  const ofHost = createSlots(most.perHost);
  const ofUrl = createSlots(most.perUrl ?? most.perHost);
  return (url, run) => ofUrl(url, () => ofHost(hostOf(url), () => total(run)));
}

/** Limits the operations of each name. */
function createSlots(most: number): HostQueue {
  const all = new Map<string, LimitFunction>();
  return (name, run) => {
    const slots = all.get(name) ?? pLimit(most);
    all.set(name, slots);
    return slots(run).finally(() => {
      const isIdle = slots.activeCount + slots.pendingCount === 0;
      // Users of a service name any number of hosts.
      if (isIdle && all.get(name) === slots) all.delete(name);
    });
  };
}

/** Returns the host of a URL: of `https://host/path`, `ssh://user@host/path` or `user@host:path`; empty for a folder. */
export function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^[^/@]*@([^:/]+):/u.exec(url)?.[1] ?? "";
}
