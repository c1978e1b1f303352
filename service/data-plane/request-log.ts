// Collects the log lines of requests and stores them once a second, so that requests do not write.
import { limits } from "../../core/limits/limits.ts";
import { addLogLines, type LogLines } from "../areas/logs/log-lines.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** Collects lines. */
export interface RequestLog {
  /** Adds lines. Above the limit, and if the store fails, lines are dropped and counted in a separate line. */
  add(db: Db, lines: LogLines): void;
  /** Stores the added lines. Never throws. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Lines of one account that are not stored yet. */
interface Waiting {
  lines: LogLines[];
  dropped: number;
}

/** Creates a log. `onError` receives the error when lines cannot be stored. */
export function createRequestLog(onError: (error: unknown) => void): RequestLog {
  const accounts = new Map<Db, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const store = async (db: Db, waiting: Waiting): Promise<void> => {
    const { lines, dropped } = waiting;
    const [first] = lines;
    if (first === undefined) return;
    Object.assign(waiting, { lines: [], dropped: 0 });
    const lost = { ...first, messages: [`${dropped} earlier lines were dropped`] };
    try {
      await inTransaction(db, (tx) => addLogLines(tx, dropped > 0 ? [lost, ...lines] : lines));
    } catch (error) {
      onError(error);
      waiting.dropped += dropped + lines.length;
    }
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await Promise.all([...accounts].map(([db, waiting]) => store(db, waiting)));
  };
  return {
    flush,
    add(db, lines) {
      const waiting = accounts.get(db) ?? { lines: [], dropped: 0 };
      accounts.set(db, waiting);
      if (waiting.lines.length < limits.logLinesWaiting) waiting.lines.push(lines);
      else waiting.dropped++;
      timer ??= setTimeout(() => void flush(), limits.logFlushMs).unref();
    },
    close: flush,
  };
}
