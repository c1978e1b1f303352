// Runs the queries of a page: a few at once, identical ones once, and each again while the service says that it still runs.
import { canonical, isObject, type JsonObject } from "../../../core/json.ts";
import { type Api, RequestFailure } from "./api.ts";

const atOnce = 6;
const longestMs = 120_000;

/** A query with its place in the queue: lower ones first. */
export interface QueuedQuery {
  readonly query: JsonObject;
  readonly priority: number;
  /** Whether a result of the last seconds is not enough. */
  readonly isFresh: boolean;
}

interface Job {
  readonly run: () => Promise<JsonObject>;
  readonly stop: AbortController;
  readonly done: PromiseWithResolvers<JsonObject>;
  priority: number;
  /** How many callers wait for the result. */
  callers: number;
  isRunning: boolean;
}

/** The queue of a page. */
export interface QueryQueue {
  /** Returns the answer to a query. Aborting the signal drops the query unless others wait for it too. */
  load(query: QueuedQuery, signal: AbortSignal): Promise<JsonObject>;
}

/** Creates the queue for the data API of a deployment. */
export function createQueryQueue(
  api: Api,
  { path, publicId, whenShown }: QueueOptions,
): QueryQueue {
  const jobs = new Map<string, Job>();
  let running = 0;
  const next = (): void => {
    while (running < atOnce) {
      const [first] = [...jobs.values()]
        .filter(({ isRunning }) => !isRunning)
        .toSorted((a, b) => a.priority - b.priority);
      if (first === undefined) return;
      first.isRunning = true;
      running++;
      void first
        .run()
        .then(first.done.resolve, first.done.reject)
        .finally(() => {
          running--;
          next();
        });
    }
  };
  const newJob = (key: string, body: JsonObject, priority: number): Job => {
    const stop = new AbortController();
    const run = () =>
      loadUntilDone(api, { path, body, signal: stop.signal, whenShown }).finally(() => {
        // A stopped job may already have a successor.
        if (jobs.get(key)?.stop === stop) jobs.delete(key);
      });
    const done = Promise.withResolvers<JsonObject>();
    return { run, stop, done, priority, callers: 0, isRunning: false };
  };
  const leave = (key: string, job: Job): void => {
    job.callers--;
    if (job.callers > 0) return;
    if (jobs.get(key) === job) jobs.delete(key);
    job.stop.abort();
    if (!job.isRunning) job.done.reject(new DOMException("aborted", "AbortError"));
  };
  return {
    load({ query, priority, isFresh }, signal) {
      const body: JsonObject = {
        query: { ...query, responseFormat: "compact" },
        dashboardPublicId: publicId,
        ...(isFresh && { cache: "no-cache" }),
      };
      const key = canonical(body);
      const job = jobs.get(key) ?? newJob(key, body, priority);
      jobs.set(key, job);
      job.priority = Math.min(job.priority, priority);
      job.callers++;
      const onAbort = (): void => leave(key, job);
      signal.addEventListener("abort", onAbort, { once: true });
      next();
      return job.done.promise.finally(() => signal.removeEventListener("abort", onAbort));
    },
  };
}

/** The address of the data API, and the dashboard that its queries are for. */
export interface QueueOptions {
  readonly path: string;
  readonly publicId: string;
  /** Waits until somebody sees the page: a query is not repeated before. */
  readonly whenShown: () => Promise<void>;
}

interface LoadRequest extends Pick<QueueOptions, "path" | "whenShown"> {
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/** Sends a query until it has ended. The service holds each request while the query runs. */
async function loadUntilDone(
  api: Api,
  { path, body, signal, whenShown }: LoadRequest,
): Promise<JsonObject> {
  let waited = 0;
  for (;;) {
    const started = performance.now();
    const answer = await api.send(path, { method: "POST", body, signal });
    if (!isObject(answer)) throw new RequestFailure("failed", "the answer is not a result");
    if (answer["error"] !== "Continue wait") return answer;
    waited += performance.now() - started;
    if (waited > longestMs) throw new RequestFailure("busy", "the query takes too long");
    await whenShown();
    signal.throwIfAborted();
  }
}
