// Reading the configuration again while a controller runs.
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/config.ts";
import { runController } from "../../controller/controller.ts";
import type { ControllerEvent } from "../../controller/events.ts";
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
  let reload = (): void => undefined;
  const stop = new AbortController();
  const ended = runController({
    config: readControllerConfig(file),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    onReload: (request) => {
      reload = request;
      return () => undefined;
    },
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
  reload();
  expect(events.at(-1)).toMatchObject({ event: "reload-failed", failure: { code: "usage" } });
  fixture.config([{ folder, mode: "apply" }]);
  reload();
  await until("reloaded");
  await until("reconciliation", 2);
  expect(await fixture.groupNames()).toEqual(["north"]);
  stop.abort();
  await ended;
  expect(events.map(({ event }) => event)).toEqual([
    "started",
    "reconciliation",
    "reload-failed",
    "reloaded",
    "reconciliation",
    "stopped",
  ]);
});
