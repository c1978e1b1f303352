// Compiles data models in worker threads with limits of time and memory, so that no model can stall or exhaust the server.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { CompileResult, ModelFile } from "./types.ts";

/** Compiles data models. */
export interface ModelCompiler {
  /**
   * Returns the result for the files. Results are kept by `key`, which must identify the files. Throws `limit_reached`
   * if the model exceeds the limits of time or memory, `unavailable` if too many compilations wait, and `aborted`.
   */
  compile(
    key: string,
    files: () => Promise<readonly ModelFile[]>,
    signal?: AbortSignal,
  ): Promise<CompileResult>;
}

/** Creates a compiler. A worker is started for each compilation: a model can then leave nothing behind. */
export function createCompiler(): ModelCompiler {
  const running = pLimit(limits.compilesRunning);
  const kept = new Map<string, CompileResult>();
  return {
    async compile(key, files, signal) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (running.pendingCount >= limits.compilesWaiting) {
        throw new Failure("unavailable", "too many data models are being compiled; try again", {
          retryAfter: 5,
        });
      }
      const result = await running(async () => runWorker(await files(), signal));
      kept.set(key, result);
      const oldest = kept.keys().next().value;
      if (kept.size > limits.compilesKept && oldest !== undefined) kept.delete(oldest);
      return result;
    },
  };
}

/** The worker: a source beside this one, or a file of the package, whose chunks are one folder below. */
const workerUrl = ["./compile-worker.ts", "./compile-worker.js", "../compile-worker.js"]
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));

async function runWorker(
  files: readonly ModelFile[],
  signal: AbortSignal | undefined,
): Promise<CompileResult> {
  if (signal?.aborted === true) throw abortedFailure();
  invariant(workerUrl, "the package lacks compile-worker.js");
  const worker = new Worker(workerUrl, {
    workerData: files,
    env: {},
    // Options of the process, such as --input-type, are not for this file.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.compileMegabytes, stackSizeMb: 4 },
  });
  const late = AbortSignal.timeout(limits.compileMs);
  const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    return await new Promise<CompileResult>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => reject(workerFailure(error)));
      worker.once("exit", () => reject(new Error("the compiler stopped without a result")));
      stop.addEventListener("abort", () => reject(late.aborted ? tooLong() : abortedFailure()), {
        once: true,
      });
    });
  } finally {
    await worker.terminate();
  }
}

function abortedFailure(): Failure {
  return new Failure("aborted", "the compilation was stopped");
}

function tooLong(): Failure {
  return new Failure(
    "limit_reached",
    `the data model takes longer than ${limits.compileMs / 1000} seconds to compile; split it`,
  );
}

function workerFailure(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new Failure(
    "limit_reached",
    `the data model needs more than ${limits.compileMegabytes} MB of memory to compile; split it`,
    {
      cause: error,
    },
  );
}
