// Tests a controller on a state store that answers late and fails: nothing ends, and what was not saved counts all the same.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { suspendSource } from "../../controller/actions.ts";
import { systemClock } from "../../controller/clock.ts";
import type { ControllerConfig, Source } from "../../controller/config.ts";
import { runController } from "../../controller/controller.ts";
import type { ControllerEvent, ReconciliationEvent } from "../../controller/events.ts";
import { openRecorder, readHistory } from "../../controller/history.ts";
import { liveSources } from "../../controller/live-sources.ts";
import { openOutbox } from "../../controller/notification-outbox.ts";
import { openNotifier } from "../../controller/notifier.ts";
import { withSavedSources } from "../../controller/pattern-sources.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { documentsOf, type StateStore } from "../../controller/state-store.ts";
import { Failure } from "../../core/errors.ts";
import { type ControllerFixture, openControllerFixture, startTime } from "./fixture.ts";

/** A store in memory whose calls take a moment, and fail on request. */
class SlowStore implements StateStore {
  readonly texts = new Map<string, string>();
  isDown = false;
  /** The name of a document whose calls fail. */
  broken = "";

  async load(name: string): Promise<string | undefined> {
    await this.#answer(name);
    return this.texts.get(name);
  }

  async loadAll(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    await this.#answer("");
    return new Map([...this.texts].filter(([name]) => names.includes(name)));
  }

  async change(name: string, change: (text: string | undefined) => string): Promise<void> {
    await this.#answer(name);
    this.texts.set(name, change(this.texts.get(name)));
  }

  async remove(name: string): Promise<void> {
    await this.#answer(name);
    this.texts.delete(name);
  }

  async #answer(name: string): Promise<void> {
    await pause(5);
    if (this.isDown || name === this.broken)
      throw new Failure("unavailable", "the store does not answer");
  }
}

let fixture: ControllerFixture;
let store: SlowStore;
beforeEach(async () => {
  fixture = await openControllerFixture();
  store = new SlowStore();
});
afterEach(() => fixture.close());

function configOf(...config: Parameters<ControllerFixture["config"]>): ControllerConfig {
  return { ...readControllerConfig(fixture.config(...config)), store };
}

const event = (result: ReconciliationEvent["result"]): ReconciliationEvent => ({
  time: startTime.toISOString(),
  event: "reconciliation",
  source: "northwind",
  mode: "apply",
  result,
  seconds: 1,
});

describe("the history", () => {
  it("has the first and the last of many commits that change nothing", async () => {
    const documents = documentsOf({ store }, { name: "northwind" });
    const recorder = await openRecorder(documents);
    const record = async (commit: string, more: Partial<ReconciliationEvent> = {}) =>
      recorder.record({ ...event("unchanged"), commit, ...more });
    const changes = [{ address: "a", action: "create", direction: "pending", result: "done" }];
    await record("c0", { result: "applied", changes });
    for (const commit of ["c1", "c2", "c3", "c4"]) await record(commit);
    await record("c5", { result: "held" });
    await record("c6");
    const entries = (await readHistory(documents)) as readonly ReconciliationEvent[];
    expect(entries.map(({ commit }) => commit)).toEqual(["c6", "c5", "c4", "c1", "c0"]);
  });

  it("gets a change that could not be written with the next reconciliation", async () => {
    const documents = documentsOf({ store }, { name: "northwind" });
    const recorder = await openRecorder(documents);
    await recorder.record(event("unchanged"));
    store.isDown = true;
    await expect(recorder.record(event("failed"))).rejects.toThrow("does not answer");
    store.isDown = false;
    for (let times = 0; times < 2; times++) await recorder.record(event("failed"));
    const entries = await readHistory(documents);
    expect(entries.map((entry) => "result" in entry && entry.result)).toEqual([
      "failed",
      "unchanged",
    ]);
  });

  it("reports what it cannot write, and the sources are reconciled", async () => {
    const events: ControllerEvent[] = [];
    const config = configOf([{ folder: "stacks/northwind" }]);
    store.broken = "sources/northwind/history";
    await runController({
      config,
      kinds: [],
      env: fixture.env,
      once: true,
      onEvent: (one) => events.push(one),
    });
    expect(events.map((one) => one.event)).toEqual([
      "started",
      "record-failed",
      "reconciliation",
      "stopped",
    ]);
    expect(events[1]).toMatchObject({ source: "northwind", failure: { code: "unavailable" } });
  });
});

describe("notifications", () => {
  it("are sent once the store answers again, and no outage ends the controller", async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(request.url ?? "");
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    fixture.env["HOOK_URL"] = `http://127.0.0.1:${port}/`;
    const notify = [{ name: "ops", type: "slack", url: { env: "HOOK_URL" } }];
    const config = configOf([{ folder: "stacks/northwind" }], { notify });
    const notifier = openNotifier({ config, env: fixture.env, onFailed: () => undefined });
    store.isDown = true;
    notifier.start("ops");
    await notifier.notify(event("failed"));
    expect(await notifier.status()).toMatchObject({ dead: [] });
    while (received.length === 0) await pause(5);
    store.isDown = false;
    await notifier.notify(event("unchanged"));
    while ((await notifier.status()).pending > 0) await pause(5);
    expect(received).toHaveLength(2);
    await notifier.stop();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  it("that come at once while the store fails are all kept", async () => {
    const notify = [{ name: "ops", type: "slack", url: { env: "HOOK_URL" } }];
    const config = configOf([{ folder: "stacks/northwind" }], { notify });
    const outbox = openOutbox(config, { clock: systemClock, onFailed: () => undefined });
    const letter = (id: string) => ({
      id,
      target: "ops",
      type: "failing",
      source: "northwind",
      time: startTime.toISOString(),
      body: "{}",
      attempts: 0,
    });
    store.isDown = true;
    await Promise.all([outbox.add([letter("1")]), outbox.add([letter("2")])]);
    store.isDown = false;
    await outbox.add([letter("3")]);
    const saved = openOutbox(config, { clock: systemClock, onFailed: () => undefined });
    expect((await saved.of("ops")).map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });
});

describe("the sources of patterns", () => {
  const git = (name: string) => ({
    name,
    git: { url: join(fixture.home, "repository"), path: `${name}/*` },
  });
  const names = (sources: readonly Source[]) => sources.map(({ name }) => name).toSorted();

  it("are all saved where patterns change at once, and again where they are lost", async () => {
    const config = configOf([git("a"), git("b")]);
    const live = liveSources(config);
    const replaceAll = () =>
      Promise.all(
        config.sources.map((entry) => live.replace(entry, [`${entry.name}/${entry.name}-one`])),
      );
    await replaceAll();
    const all = ["a", "a-a-one", "b", "b-b-one"];
    expect(names(live.config.sources)).toEqual(all);
    expect(names((await withSavedSources(config)).sources)).toEqual(all);
    store.texts.delete("patterns");
    await replaceAll();
    expect(names((await withSavedSources(config)).sources)).toEqual(all);
  });

  it("are those of the running controller for an action, whatever is saved", async () => {
    const config = configOf([git("a")]);
    const live = liveSources(config);
    const [entry] = config.sources;
    if (entry !== undefined) await live.replace(entry, ["a/one"]);
    store.texts.delete("patterns");
    const request = { source: "a-one", by: "ada", reason: "test", expires: "1h", now: startTime };
    expect(await suspendSource(live.config, request)).toBe("2026-03-02T10:00:00.000Z");
    expect(join("sources", "a-one", "suspension")).toSatisfy((name: string) =>
      store.texts.has(name),
    );
  });
});
