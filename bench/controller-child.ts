// Runs a controller in a separate process for a bench, and reports its memory after three reconciliations of each source.
import { setImmediate as yieldNow, setTimeout as sleep } from "node:timers/promises";
import { readControllerConfig } from "../controller/config.ts";
import { runController } from "../controller/controller.ts";
import type { Clock } from "../controller/clock.ts";
import { kinds } from "../resources/index.ts";

const [file = ""] = process.argv.slice(2);
const reconciliationsOfEach = 3;
const collections = 4;
const pauseMs = 20;
const lastPauseMs = 60_000;

const config = readControllerConfig(file);
const stop = new AbortController();
const results = new Set<string>();
let left = config.sources.length * reconciliationsOfEach;
await runController({
  config,
  kinds,
  env: process.env,
  signal: stop.signal,
  clock: shortClock(),
  onEvent: (event) => {
    if (event.event !== "reconciliation") return;
    results.add(event.result);
    left--;
  },
});

/** Prints the reachable memory. One collection leaves more than a MiB that the next ones free. */
async function report(): Promise<void> {
  for (let at = 0; at < collections; at++) {
    globalThis.gc?.();
    await yieldNow();
  }
  // Parsed files are in buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const memory = (heapUsed + arrayBuffers) / 1024 / 1024;
  console.log(JSON.stringify({ memory, results: [...results] }));
  stop.abort();
}

/**
 * A clock whose pauses end early, but advance it by the requested time. The last ones of all sources end with the
 * controller.
 */
function shortClock(): Clock {
  let skippedMs = 0;
  let waiting = 0;
  return {
    now: () => new Date(Date.now() + skippedMs),
    monotonicMs: () => performance.now() + skippedMs,
    wait: async (ms, signal) => {
      waiting++;
      // The memory of a running reconciliation does not count: a source does not keep it.
      if (left <= 0 && waiting === config.sources.length) await report();
      const pause = left <= 0 ? lastPauseMs : pauseMs;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      skippedMs += ms;
      waiting--;
    },
  };
}
