// Tests that a running controller reads a changed configuration.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/read-config.ts";
import { runController } from "../../controller/controller.ts";
import type { ControllerEvent } from "../../controller/events.ts";
import { ReloadRequests } from "../../controller/reload-requests.ts";
import { kinds } from "../../resources/index.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

it("uses a valid configuration, and keeps the old one if the new one is invalid", async () => {
  const folder = fixture.stack("stacks/northwind", [groupDocument("north")]);
  const file = fixture.config([{ folder, mode: "plan" }]);
  const events: ControllerEvent[] = [];
  const waiting = new Set<() => void>();
  const reloads = new ReloadRequests();
  const stop = new AbortController();
  const ended = runController({
    config: readControllerConfig(file),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    reloads,
    onEvent: (event) => {
      events.push(event);
      for (const one of waiting) one();
    },
  });
  const until = (kind: ControllerEvent["event"], count = 1) =>
    new Promise<void>((resolve) => {
      const check = (): void => {
        if (events.filter(({ event }) => event === kind).length >= count) resolve();
      };
      waiting.add(check);
      check();
    });
  await until("reconciliation");
  writeFileSync(file, "state: state\nsources: 7\n");
  reloads.request();
  expect(events.at(-1)).toMatchObject({ event: "reload-failed", failure: { code: "usage" } });
  // The saved folders of a pattern cannot be read.
  mkdirSync(join(fixture.home, "state/patterns.json"));
  const git = { url: join(fixture.home, "repository"), path: "stacks/*" };
  fixture.config([{ name: "all", git }]);
  reloads.request();
  await until("reload-failed", 2);
  expect(events[3]).toMatchObject({ event: "reload-failed", failure: { code: "unavailable" } });
  await until("reconciliation", 2);
  fixture.config([{ folder, mode: "apply" }]);
  reloads.request();
  await until("reloaded", 2);
  await until("reconciliation", 3);
  expect(await fixture.groupNames()).toEqual(["north"]);
  stop.abort();
  // The plans of sources, including removed ones, would stay in memory.
  expect(await ended).toEqual([]);
  expect(events.map(({ event }) => event)).toEqual([
    "started",
    "reconciliation",
    "reload-failed",
    "reload-failed",
    "reloaded",
    "reconciliation",
    "reloaded",
    "reconciliation",
    "stopped",
  ]);
});

it("uses a configuration whose reload was requested before the start, and while the loops are replaced", async () => {
  const folder = fixture.stack("stacks/northwind", [groupDocument("north")]);
  const file = fixture.config([{ folder, mode: "plan" }]);
  const config = readControllerConfig(file);
  const events: ControllerEvent["event"][] = [];
  const reloads = new ReloadRequests();
  const stop = new AbortController();
  reloads.request();
  await runController({
    config,
    kinds,
    env: fixture.env,
    signal: stop.signal,
    reloads,
    onEvent: ({ event }) => {
      events.push(event);
      // No loop runs yet.
      if (events.filter((one) => one === "reloaded").length === 1) reloads.request();
      if (event === "reconciliation") stop.abort();
    },
  });
  expect(events).toEqual(["started", "reloaded", "reloaded", "reconciliation", "stopped"]);
});

it("goes on counting, without the sources that are gone", async () => {
  const [folder, other] = ["northwind", "harbour"].map((name) =>
    fixture.stack(`stacks/${name}`, [groupDocument(name)], {}, name),
  );
  const listening = { listen: { port: 0 } };
  const sources = [
    { folder, mode: "plan" },
    { name: "harbour", folder: other, mode: "plan" },
  ];
  const file = fixture.config(sources, listening);
  const reloads = new ReloadRequests();
  const stop = new AbortController();
  let url = "";
  let seen = 0;
  const ended = runController({
    config: readControllerConfig(file),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    reloads,
    onEvent: (event) => {
      if (event.event === "started" || event.event === "reloaded") url = event.listening ?? "";
      if (event.event === "reconciliation") seen++;
    },
  });
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const changes = 'svc_controller_reconcile_duration_seconds_count{result="changes"}';
  await expect.poll(() => seen, { timeout: 30_000 }).toBe(2);
  const before = url;
  fixture.config(sources.slice(0, 1), listening);
  reloads.request();
  await expect.poll(() => seen, { timeout: 30_000 }).toBe(3);
  expect(url).not.toBe(before);
  const text = await metrics();
  expect(text).toContain(`${changes} 3\n`);
  expect(text).toContain('svc_controller_sources{health="changes"} 1\n');
  expect(text).not.toContain("harbour");
  stop.abort();
  await ended;
});
