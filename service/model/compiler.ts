// Compiles data models in worker threads with limits of time and memory, so that no model can stall or exhaust the server.
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type {
  CompileAnswer,
  CompileTask,
  GenerateAnswer,
  GenerateTask,
} from "./compile-messages.ts";
import type { CompileContext } from "./compile-context.ts";
import { entryFile } from "./entry-file.ts";
import type { GeneratedModel } from "./generate-model.ts";
import {
  busyFailure,
  limitCpuTime,
  waitUntil,
  watchWorker,
  type WorkLimits,
} from "./limit-cpu-time.ts";
import type { CompileReport, ModelError, ModelFile, SeedFile } from "./types.ts";

/** The files that a build reads. */
export interface ModelSource {
  files(): Promise<readonly ModelFile[]>;
  seeds(): Promise<readonly SeedFile[]>;
}

/** Returns the errors that prevent seed files from being read as tables. Throws `limit_reached` and `unavailable`. */
export type CheckSeeds = (seeds: readonly SeedFile[]) => Promise<readonly ModelError[]>;

/** Compiles data models. */
export interface ModelCompiler {
  /**
   * Returns the report on a source. Reports are kept by `key`, which must identify its files, and simultaneous calls
   * with one key share a compilation. Throws `limit_reached` if the model exceeds the limits of CPU time or memory, and
   * `unavailable` if too many compilations wait, or if this one takes longer than a request may; it then continues.
   */
  compile(key: string, source: ModelSource): Promise<CompileReport>;
  /**
   * Returns the model of files in a context, by default of an empty security context. Throws as {@link compile}, and keeps
   * nothing.
   */
  load(files: readonly ModelFile[], context?: CompileContext): Promise<CompileAnswer>;
  /**
   * Returns the data model for the manifest of a transformation project. Throws `invalid` for text that is not such a
   * manifest, `limit_reached` beyond the limits of CPU time or memory, `unavailable` if the host is too busy, and
   * `aborted`.
   */
  generate(manifest: string, signal: AbortSignal): Promise<GeneratedModel>;
  /**
   * Runs `work` when a compilation can start, regardless of the number that wait. `compileNow` is then {@link compile}
   * without a wait.
   */
  whenFree<T>(work: (compileNow: CompileNow) => Promise<T>): Promise<T>;
}

/** The compiler of a server. */
export interface ServerCompiler extends ModelCompiler {
  /** Returns a compiler for one of several accounts: it leaves room for the compilations of the others. */
  forAccount(): ModelCompiler;
}

/** Compiles immediately and without the time limit of a request. Throws as {@link ModelCompiler.generate}. */
export type CompileNow = (
  key: string,
  source: ModelSource,
  signal: AbortSignal,
) => Promise<CompileReport>;

/** Limits of a compiler, for tests. */
interface CompilerLimits {
  readonly work: WorkLimits;
  /** Time that a request waits for a compilation. */
  readonly waitMs: number;
}

const usualLimits: CompilerLimits = {
  work: { cpuMs: limits.compileCpuMs, elapsedMs: limits.compileElapsedMs },
  waitMs: limits.compileWaitMs,
};

/** Runs work when a compilation can start. */
type Run = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a compiler. `checkSeeds` adds its errors to those of the model. */
export function createCompiler(
  checkSeeds: CheckSeeds,
  { work: bounds, waitMs }: CompilerLimits = usualLimits,
): ServerCompiler {
  const running = pLimit(limits.compilesRunning);
  const kept = new Map<string, CompileReport>();
  const compileNow: CompileNow = async (key, source, signal) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const files = await source.files();
    const compiled = await runWorker({ files, withModel: false }, { bounds, signal });
    // Others may wait for the check of the same files.
    const checked = checkSeeds(await source.seeds());
    const report = withErrors(compiled.report, await waitUntil(checked, signal, abortedFailure));
    kept.set(key, report);
    const oldest = kept.keys().next().value;
    if (kept.size > limits.compilesKept && oldest !== undefined) kept.delete(oldest);
    return report;
  };
  /** Requests of all accounts that wait. */
  let waiting = 0;
  const compilerOf = (run: Run, mostWaiting: number): ModelCompiler => {
    const shared = new Map<string, Promise<CompileReport>>();
    let accountWaiting = 0;
    /** Runs the work of a request when a compilation can start. Throws `unavailable` if too many wait. */
    const forRequest = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      if (waiting >= limits.compilesWaiting || accountWaiting >= mostWaiting)
        throw tooManyFailure();
      waiting++;
      accountWaiting++;
      return run(() => {
        waiting--;
        accountWaiting--;
        return work(new AbortController().signal);
      });
    };
    return {
      async compile(key, source) {
        const known = kept.get(key);
        if (known !== undefined) return known;
        const compiled =
          shared.get(key) ??
          forRequest((signal) => compileNow(key, source, signal)).finally(() => shared.delete(key));
        shared.set(key, compiled);
        return waitBriefly(compiled, waitMs);
      },
      load: async (files, context) =>
        forRequest((signal) => {
          const task = { files, withModel: true, ...(context !== undefined && { context }) };
          return runWorker(task, { bounds, signal });
        }),
      async generate(manifest, signal) {
        const answer = await run(() => runWorker({ manifest }, { bounds, signal }));
        if ("generated" in answer) return answer.generated;
        throw new Failure(answer.code, answer.message);
      },
      whenFree: (work) => run(() => work(compileNow)),
    };
  };
  return {
    ...compilerOf(running, limits.compilesWaiting),
    forAccount() {
      const account = pLimit(limits.accountCompilesRunning);
      return compilerOf((work) => account(() => running(work)), limits.accountCompilesWaiting);
    },
  };
}

/**
 * Waits for a compilation as long as a request does. Throws `unavailable` afterwards, while the compilation continues.
 */
export function waitBriefly<T>(
  compilation: Promise<T>,
  waitMs: number = limits.compileWaitMs,
): Promise<T> {
  return waitUntil(compilation, AbortSignal.timeout(waitMs), busyFailure);
}

/** Returns a report with more errors, within its bound. */
function withErrors(report: CompileReport, errors: readonly ModelError[]): CompileReport {
  if (errors.length === 0) return report;
  return {
    ...report,
    valid: false,
    errors: [...report.errors, ...errors].slice(0, limits.modelErrors),
    errorCount: report.errorCount + errors.length,
  };
}

/** Returns the failure of a compilation that too many others precede. */
export function tooManyFailure(): Failure {
  const text = "too many data models are being compiled; try again";
  return new Failure("unavailable", text, { retryAfter: 5 });
}

/** Idle workers. Loading the compiler takes longer than compiling most models, so a worker waits for the next one. */
const idleWorkers: Worker[] = [];

async function runWorker<Task extends CompileTask | GenerateTask>(
  task: Task,
  { bounds, signal }: { readonly bounds: WorkLimits; readonly signal: AbortSignal },
): Promise<AnswerOf<Task>> {
  if (signal.aborted) throw abortedFailure();
  const worker = idleWorkers.pop() ?? startWorker();
  try {
    worker.ref();
    const usedMs = watchWorker(worker);
    const work = limitCpuTime(answerOf(worker, task), { bounds, usedMs, tooLarge });
    const answer = await waitUntil(work, signal, abortedFailure);
    keepIdle(worker);
    return answer;
  } catch (error) {
    // A worker that failed or was interrupted is not used again.
    await worker.terminate();
    throw error;
  }
}

type AnswerOf<Task> = Task extends CompileTask ? CompileAnswer : GenerateAnswer;

function startWorker(): Worker {
  return new Worker(entryFile("../rollups/compile-worker.ts", import.meta.url), {
    env: {},
    // Options of the process, such as --input-type, do not apply to this file.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.compileMegabytes, stackSizeMb: 4 },
  });
}

function answerOf<Task>(worker: Worker, task: Task): Promise<AnswerOf<Task>> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once("message", resolve);
    worker.once("error", (error) => reject(workerFailure(error)));
    worker.once("exit", () => reject(new Error("the compiler stopped without a result")));
    worker.postMessage(task);
  });
}

/** Keeps a worker for the next compilation. It does not keep the process alive. */
function keepIdle(worker: Worker): void {
  worker.removeAllListeners();
  worker.unref();
  if (idleWorkers.length >= limits.compilesRunning) {
    void worker.terminate();
    return;
  }
  const forget = () => {
    const at = idleWorkers.indexOf(worker);
    if (at >= 0) idleWorkers.splice(at, 1);
  };
  worker.once("error", forget);
  worker.once("exit", forget);
  idleWorkers.push(worker);
}

function abortedFailure(): Failure {
  return new Failure("aborted", "the compilation was stopped");
}

function tooLarge(seconds: number): string {
  return `the data model takes longer than ${seconds} seconds of CPU time to compile; split it`;
}

const memoryReasons: Readonly<Record<string, string>> = {
  ERR_WORKER_OUT_OF_MEMORY: `the data model needs more than ${limits.compileMegabytes} MB of memory to compile; split it`,
  ERR_TEMPLATES_OUT_OF_MEMORY: `the Jinja templates of the data model need more than ${limits.templateMegabytes} MB of memory, or nest too deep; let them write less`,
};

function workerFailure(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reason = memoryReasons[String(code)];
  return reason === undefined ? error : new Failure("limit_reached", reason, { cause: error });
}
