/** Amounts by name, and in total. */
export interface Counter {
  readonly count: (name: string) => number;
  readonly total: () => number;
  /** Adds an amount, 1 by default. Returns what takes it off again, once. */
  readonly add: (name: string, amount?: number) => () => void;
}

/** Creates a counter. Names without an amount take no memory. */
export function createCounter(): Counter {
  const counts = new Map<string, number>();
  let total = 0;
  const count = (name: string) => counts.get(name) ?? 0;
  const change = (name: string, amount: number) => {
    total += amount;
    if (count(name) + amount > 0) counts.set(name, count(name) + amount);
    else counts.delete(name);
  };
  return {
    count,
    total: () => total,
    add(name, amount = 1) {
      change(name, amount);
      let isCounted = true;
      return () => {
        if (isCounted) change(name, -amount);
        isCounted = false;
      };
    },
  };
}
