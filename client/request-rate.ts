// A limit of requests per second, which several clients may share.

/** Gives each request its time. Clients that share it take turns. */
export interface RequestRate {
  /** Reserves the next free time and returns it. Both times are in milliseconds of `performance.now()`. */
  reserve(now: number): number;
}

/** Returns a rate of `perSecond` requests per second. It allows bursts of at most a tenth of a second. */
export function createRequestRate(perSecond: number): RequestRate {
  const interval = 1000 / perSecond;
  const saved = (Math.max(1, Math.floor(perSecond / 10)) - 1) * interval;
  let due = 0;
  return {
    reserve: (now) => {
      const at = Math.max(now, due - saved);
      due = Math.max(at, due) + interval;
      return at;
    },
  };
}
