// Limits operations for each host, so that a host that does not respond delays no other.
import pLimit, { type LimitFunction } from "p-limit";

/** Runs an operation on a URL when its host has a free slot. */
export type HostQueue = <T>(url: string, run: () => Promise<T>) => Promise<T>;

/** Operations that run concurrently, in total and for each host. */
export interface HostQueueLimits {
  readonly total: number;
  readonly perHost: number;
}

/** Returns a queue with a limit for each host and a limit in total. */
export function createHostQueue({ total: most, perHost }: HostQueueLimits): HostQueue {
  const total = pLimit(most);
  const hosts = new Map<string, LimitFunction>();
  return (url, run) => {
    const host = hostOf(url);
    const slots = hosts.get(host) ?? pLimit(perHost);
    hosts.set(host, slots);
    return slots(() => total(run)).finally(() => {
      const isIdle = slots.activeCount + slots.pendingCount === 0;
      // Users of a service name any number of hosts.
      if (isIdle && hosts.get(host) === slots) hosts.delete(host);
    });
  };
}

/** Returns the host of a URL: of `https://host/path`, `ssh://user@host/path` or `user@host:path`; empty for a folder. */
export function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^[^/@]*@([^:/]+):/u.exec(url)?.[1] ?? "";
}
