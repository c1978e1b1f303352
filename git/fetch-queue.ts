// Limits Git operations for each host, so that a host that does not respond delays no other source.
import pLimit, { type LimitFunction } from "p-limit";
import { limits } from "../core/limits/limits.ts";

/** Runs a Git operation on a repository when a slot of its host is free. */
export type FetchQueue = <T>(url: string, run: () => Promise<T>) => Promise<T>;

/** Returns a queue with a limit for each host and a limit in total. */
export function createFetchQueue(): FetchQueue {
  const total = pLimit(limits.controllerFetches);
  const hosts = new Map<string, LimitFunction>();
  return (url, run) => {
    const host = hostOf(url);
    const slots = hosts.get(host) ?? pLimit(limits.controllerFetchesPerHost);
    hosts.set(host, slots);
    return slots(() => total(run)).finally(() => {
      const isIdle = slots.activeCount + slots.pendingCount === 0;
      // Users of a service name any number of hosts.
      if (isIdle && hosts.get(host) === slots) hosts.delete(host);
    });
  };
}

/** Returns the host of a repository URL: of `https://host/path`, `ssh://user@host/path` or `user@host:path`; empty for a folder. */
function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^[^/@]*@([^:/]+):/u.exec(url)?.[1] ?? "";
}
