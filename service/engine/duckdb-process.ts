// The process of an engine: DuckDB databases of one deployment, which the server opens, queries and closes by messages.
import { rmSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { type DuckDb, openDuckDb, openRollupFile } from "./duckdb.ts";
import { openDatabase } from "./databases.ts";
import { openRollupWriter } from "./rollup-file.ts";
import type { EngineAnswer, EngineCall } from "./engine-messages.ts";

const databases = new Map<number, DuckDb>();
const running = new Map<number, AbortController>();

function answer(message: EngineAnswer): void {
  if (process.connected) process.send?.(message);
}

async function handle(call: EngineCall): Promise<void> {
  switch (call.kind) {
    case "open":
      databases.set(call.id, await openDuckDb(call.tables, call.bounds));
      return;
    case "open-rollup":
      databases.set(call.id, await openRollupFile(call.file, call.bounds));
      return;
    case "run":
    case "store":
    case "store-rows": {
      const { id } = call;
      const controller = new AbortController();
      running.set(id, controller);
      try {
        const { signal } = controller;
        if (call.kind === "store-rows") {
          await storeRows(call, signal);
          return;
        }
        const { statement } = call;
        const on = databases.get(call.database);
        if (on === undefined)
          throw new Failure("unavailable", "the database was closed; try again");
        if (call.kind === "store") await on.store(statement, signal, call.file);
        else await on.run(statement, signal, (rows) => answer({ kind: "rows", id, rows }));
      } finally {
        running.delete(id);
      }
      return;
    }
    case "usage": {
      const { user, system } = process.cpuUsage();
      answer({ kind: "used", id: call.id, cpuMs: (user + system) / 1000 });
      return;
    }
    case "cancel":
      running.get(call.id)?.abort();
      return;
    case "close": {
      const closed = databases.get(call.database);
      databases.delete(call.database);
      await closed?.close();
    }
  }
}

async function storeRows(
  { from, privateHosts, owner, columns, checks, statements, kept, file }: StoreRows,
  signal: AbortSignal,
): Promise<void> {
  const writer = await openRollupWriter(file, columns);
  try {
    const onStart = async () => kept && writer.keep(kept);
    const rows = { checks, statements, owner, writer, onStart };
    await openDatabase(from, { privateHosts }).stream(rows, signal);
    await writer.finish();
  } finally {
    writer.close();
  }
}

type StoreRows = Extract<EngineCall, { kind: "store-rows" }>;

process.on("message", (call: EngineCall) => {
  void handle(call).then(
    () => "id" in call && call.kind !== "cancel" && answer({ kind: "done", id: call.id }),
    (error: unknown) => {
      // An unexpected error ends the process, which fails its queries.
      if (!(error instanceof Failure) || !("id" in call)) throw error;
      const { code, message, cause } = error;
      const reason = cause instanceof Error ? cause.message : undefined;
      answer({ kind: "failed", id: call.id, code, message, cause: reason });
    },
  );
});

/** Ends the process without waiting for the threads of running statements. */
function end(): void {
  rmSync(process.cwd(), { recursive: true, force: true });
  process.kill(process.pid, "SIGKILL");
}

// The server ended, or closed the engine.
process.on("disconnect", end);

// Files of rollups are private.
process.umask(0o077);
// The server has priority when processors are busy.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
try {
  // When memory is short, Linux ends this process instead of the server.
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // The system is not Linux, or does not have this file.
}
// DuckDB limits its own memory; this limits everything.
setInterval(() => {
  if (process.memoryUsage.rss() > limits.engineMegabytes * 1024 * 1024) end();
}, limits.engineMemoryCheckMs).unref();
