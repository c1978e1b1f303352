// Sessions from the host's backend.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sessionIdPattern } from "../../core/text/text-patterns.ts";
import { createSessionSource, sessionIdForm } from "./session-source.ts";

const session = "0123456789abcdef0123456789abcdef";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Creates a source whose backend answers as `answers` says, and then always with its last one. */
function sourceOf(...answers: readonly (() => unknown)[]) {
  const started = Date.now();
  const happened: string[] = [];
  const note = (text: string): void => {
    happened.push(`${(Date.now() - started) / 1000} ${text}`);
  };
  let calls = 0;
  const source = createSessionSource({
    fetchSession: async () => {
      const answer = answers[Math.min(calls, answers.length - 1)];
      calls++;
      return answer?.() as string;
    },
    load: () => note("load"),
    renew: () => note("renew"),
    fail: (message, fatal) => note(`${fatal ? "fatal " : ""}${message}`),
  });
  return { source, happened };
}

const ok = () => session;
const down = () => {
  throw new Error("down");
};

it("fetches the first session until there is one", async () => {
  const { source, happened } = sourceOf(down, down, down, ok);
  source.start();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(happened).toEqual(["0 fatal down", "1 fatal down", "3 fatal down", "7 load"]);
});

it("fetches another session at once, and again with pauses if that fails", async () => {
  const { source, happened } = sourceOf(ok, down, down, ok);
  source.start();
  await vi.advanceTimersByTimeAsync(10_000);
  source.accepted();
  source.renew();
  source.renew();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(happened).toEqual(["0 load", "10 down", "11 down", "13 renew"]);
});

it("pauses before another session for a page that accepts none", async () => {
  const { source, happened } = sourceOf(ok);
  source.start();
  for (let turn = 0; turn < 30; turn++) {
    await vi.advanceTimersByTimeAsync(100);
    source.renew();
  }
  expect(happened).toEqual(["0 load", "1.1 renew"]);
});

it("tries at once if it is hurried, and does nothing more after its end", async () => {
  const { source, happened } = sourceOf(down, down, down, down, down, ok);
  source.start();
  await vi.advanceTimersByTimeAsync(20_000);
  source.hurry();
  await vi.advanceTimersByTimeAsync(0);
  expect(happened.slice(4)).toEqual(["15 fatal down", "20 load"]);
  source.hurry();
  source.renew();
  source.stop();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(happened).toHaveLength(6);
});

it.each([
  ["", "a text of 0 characters"],
  ["<!doctype html>502", "a text of 18 characters"],
  [`{"sessionId":"${session}"}`, "a text of 48 characters"],
  [{ sessionId: session }, "object"],
  [undefined, "undefined"],
])("refuses %j, and prints nothing of it", async (answer, words) => {
  const { source, happened } = sourceOf(() => answer);
  source.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(happened).toEqual([
    `0 fatal fetchSession returned ${words}, not the ID of a session. Check that the answer of your backend is ok, and return its sessionId`,
  ]);
});

it("takes what the service creates", () => {
  expect(sessionIdForm.source).toBe(sessionIdPattern);
});
