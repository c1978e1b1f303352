// The pauses between attempts.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createBackOff } from "./back-off.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("doubles its pauses up to a minute, and begins anew after a success or when it is hurried", () => {
  const times: number[] = [];
  const started = Date.now();
  const backOff = createBackOff(() => {
    times.push((Date.now() - started) / 1000);
    if (times.length < 10) backOff.plan();
  });
  backOff.plan();
  backOff.plan();
  vi.advanceTimersByTime(300_000);
  expect(times).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  backOff.plan();
  backOff.hurry();
  expect(times.at(-1)).toBe(300);
  backOff.plan();
  vi.advanceTimersByTime(1000);
  expect(times.at(-1)).toBe(301);
  backOff.reset();
  backOff.plan();
  vi.advanceTimersByTime(0);
  expect(times.at(-1)).toBe(301);
  expect(times).toHaveLength(13);
  backOff.plan();
  backOff.reset();
  vi.advanceTimersByTime(100_000);
  expect(times).toHaveLength(13);
});
