// The loops of a running controller. Sources may come and go; a failure of one loop fails all.
import type { Source } from "./config.ts";
import type { ReconcileLoop } from "./loop.ts";

/** The loops of the sources of one configuration. */
export interface SourceLoops {
  /** Starts the loop of a source, after an earlier one of its name has ended. */
  readonly start: (source: Source) => void;
  /** Ends the loop of a source, and resolves after the reconciliation in flight. */
  readonly end: (name: string) => Promise<void>;
  readonly get: (name: string) => ReconcileLoop | undefined;
  /** Tells every loop that a source is settled. */
  readonly onSettled: (name: string) => void;
  /** Resolves when the last loop has ended. Rejects with the first failure of a loop. */
  readonly ended: () => Promise<void>;
}

/** The options of {@link createLoops}. */
export interface SourceLoopsOptions {
  readonly begin: (source: Source, end: AbortSignal) => ReconcileLoop;
  /** Returns whether a source is still there. */
  readonly isWanted: (source: Source) => boolean;
  /** Called with the first failure. */
  readonly onFailure: () => void;
}

export function createLoops({ begin, isWanted, onFailure }: SourceLoopsOptions): SourceLoops {
  const running = new Map<
    string,
    { readonly loop: ReconcileLoop; readonly end: AbortController }
  >();
  let failure: { readonly error: unknown } | undefined;
  const start = (source: Source): void => {
    const { name } = source;
    const before = running.get(name);
    if (before !== undefined) {
      void before.loop.ended.then(() => isWanted(source) && start(source));
      return;
    }
    const end = new AbortController();
    const loop = begin(source, end.signal);
    running.set(name, { loop, end });
    const remove = (): void => void running.delete(name);
    void loop.ended
      .catch((error: unknown) => {
        failure ??= { error };
        onFailure();
      })
      .then(remove);
  };
  return {
    start,
    end: async (name) => {
      const ending = running.get(name);
      ending?.end.abort();
      // Its failure is that of all loops.
      await ending?.loop.ended.catch(() => undefined);
    },
    get: (name) => running.get(name)?.loop,
    onSettled: (name) => {
      for (const { loop } of running.values()) loop.onSettled(name);
    },
    ended: async () => {
      while (running.size > 0)
        await Promise.allSettled([...running.values()].map(({ loop }) => loop.ended));
      if (failure !== undefined) throw failure.error;
    },
  };
}
