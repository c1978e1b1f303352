// Runs a controller over a real service and real repositories, with a configuration and a clock that tests control, and
// collects its events.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { JsonObject } from "../../core/json.ts";
import type { Clock } from "../../controller/clock.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { runController } from "../../controller/controller.ts";
import type { ControllerEvent, ReconciliationEvent } from "../../controller/events.ts";
import { kinds } from "../../resources/index.ts";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, documentText } from "../support/test-stack.ts";

/** The differences between a test source and an ordinary one, which applies every minute from the scene's folder. */
export type SourceOverrides = Readonly<Record<string, unknown>>;

/** A running controller. */
export interface RunningController {
  readonly events: readonly ControllerEvent[];
  /** The address on which it listens. */
  readonly url: () => string;
  /** Advances the clock, and waits for the next reconciliation of the source. */
  advanceAndWait(ms: number, source?: string): Promise<ReconciliationEvent>;
  /** Waits for the next reconciliation of the source. */
  nextReconciliation(source?: string): Promise<ReconciliationEvent>;
  /** Advances the clock once every source is idle, without waiting for the following reconciliations. */
  advanceClock(ms: number): Promise<void>;
  /** Sets the date back as an operator or NTP does, while no time passes. */
  setDateBack(ms: number): void;
  stop(): Promise<void>;
}

/** The environment of a test. */
export interface ControllerFixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  /** Contains everything else. */
  readonly home: string;
  /** The environment of the controller; a test may change it before it starts a controller. */
  readonly env: Record<string, string>;
  readonly git: (cwd: string, ...args: readonly string[]) => string;
  /** Writes a file below the home, and returns its path. */
  write(name: string, text: string): string;
  /** Writes a stack into a folder below the home, and returns its path. */
  stack(folder: string, documents: readonly Doc[], policy?: JsonObject, name?: string): string;
  /** Writes the configuration, and returns its path. */
  config(sources: readonly SourceOverrides[], more?: SourceOverrides): string;
  /** Runs one reconciliation of each source. */
  reconcileOnce(sources: readonly SourceOverrides[]): Promise<readonly ReconciliationEvent[]>;
  /** Starts a controller, and waits for the first reconciliation of every source. */
  start(sources: readonly SourceOverrides[], more?: SourceOverrides): Promise<RunningController>;
  /** Returns the names of the existing user groups. */
  groupNames(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Returns the document of a user group, with optional further fields. */
export function groupDocument(name: string, description?: string): Doc {
  return { kind: "UserGroup", name, spec: { name, ...(description && { description }) } };
}

/** The clock of a scene starts on a Monday morning. */
export const startTime = new Date("2026-03-02T09:00:00Z");

/** Opens a fixture; close it after the test. */
export async function openControllerFixture(
  options: Parameters<typeof startService>[0] = {},
): Promise<ControllerFixture> {
  const service = await startService(options);
  const proxy = await startProxy(service.url);
  const home = mkdtempSync(join(tmpdir(), "svc-gitops-"));
  const env = environment(home, proxy.url, service.adminKey);
  const stops: (() => Promise<void>)[] = [];
  const scene: ControllerFixture = {
    service,
    proxy,
    home,
    env,
    ...fileHelpers(home, env),
    config: (sources, more = {}) => {
      const ordinary = { name: "northwind", mode: "apply", interval: "1m", jitter: "1s" };
      const all = sources.map((one) => ({ ...ordinary, ...one }));
      return scene.write(
        "controller.yaml",
        JSON.stringify({ state: "state", ...more, sources: all }),
      );
    },
    reconcileOnce: async (sources) => {
      const reconciliations: ReconciliationEvent[] = [];
      const config = readControllerConfig(scene.config(sources));
      const on = (event: ControllerEvent) => {
        if (event.event === "reconciliation") reconciliations.push(event);
      };
      await runController({
        config,
        kinds,
        env,
        once: true,
        clock: makeTestClock().clock,
        onEvent: on,
      });
      return reconciliations;
    },
    start: async (sources, more) => {
      const running = await startController(scene, scene.config(sources, more), sources.length);
      stops.push(() => running.stop());
      return running;
    },
    groupNames: async () => {
      const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
      const { items } = body as { items: readonly { name: string }[] };
      return items.map(({ name }) => name).toSorted();
    },
    close: async () => {
      for (const stop of stops) await stop();
      await proxy.close();
      await service.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return scene;
}

/** Returns the functions that write files below the home and run Git there. */
function fileHelpers(
  home: string,
  env: ControllerFixture["env"],
): Pick<ControllerFixture, "git" | "write" | "stack"> {
  const write: ControllerFixture["write"] = (name, text) => {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return {
    write,
    git: (cwd, ...args) =>
      execFileSync("git", args, {
        cwd,
        env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    stack: (folder, documents, policy = { prune: true }, name = "northwind") => {
      const head = { apiVersion: "svc/v1", kind: "Stack", metadata: { name } };
      write(
        `${folder}/stack.yaml`,
        JSON.stringify({ ...head, spec: { inventory: "file", policy } }),
      );
      const text = documents.map((one) => documentText(one)).join("\n---\n");
      write(`${folder}/documents.yaml`, text);
      return join(home, folder);
    },
  };
}

function environment(home: string, url: string, key: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    SVC_API_URL: url,
    SVC_API_KEY: key,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
}

async function startController(
  { env }: ControllerFixture,
  file: string,
  sources: number,
): Promise<RunningController> {
  const { clock, pass, setDateBack } = makeTestClock();
  const events: ControllerEvent[] = [];
  const waiting = new Set<(event: ReconciliationEvent) => void>();
  const stop = new AbortController();
  const on = (event: ControllerEvent): void => {
    events.push(event);
    if (event.event === "reconciliation") for (const one of waiting) one(event);
  };
  const next = (source = "northwind") =>
    new Promise<ReconciliationEvent>((resolve) => {
      const one = (event: ReconciliationEvent): void => {
        if (event.source !== source) return;
        waiting.delete(one);
        resolve(event);
      };
      waiting.add(one);
    });
  const config = readControllerConfig(file);
  const firsts = config.sources.map(({ name }) => next(name));
  const { signal } = stop;
  const ended = runController({ config, kinds, env, clock, random: () => 0, signal, onEvent: on });
  await Promise.race([Promise.all(firsts), ended]);
  return {
    events,
    url: () => {
      const first = events.find((event) => event.event === "started");
      return (first?.event === "started" && first.listening) || "";
    },
    nextReconciliation: next,
    advanceClock: (ms) => pass(ms, sources),
    setDateBack,
    advanceAndWait: async (ms, source) => {
      const reconciled = next(source);
      await pass(ms, sources);
      return Promise.race([reconciled, ended.then(() => reconciled)]);
    },
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** Returns a clock that only advances on request, once the given number of callers wait for it. */
function makeTestClock() {
  let now = 0;
  let date = startTime.getTime();
  const waits = new Set<{ readonly due: number; readonly end: () => void }>();
  const clock: Clock = {
    now: () => new Date(date + now),
    monotonicMs: () => now,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal.aborted) return resolve();
        const wait = { due: now + ms, end: () => (waits.delete(wait), resolve()) };
        waits.add(wait);
        signal.addEventListener("abort", wait.end, { once: true });
      }),
  };
  const pass = async (ms: number, waiters: number): Promise<void> => {
    while (waits.size < waiters) await turn();
    now += ms;
    for (const wait of waits) if (wait.due <= now) wait.end();
  };
  const setDateBack = (ms: number): void => void (date -= ms);
  return { clock, pass, setDateBack };
}
