// Which locks a process may continue to use.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { isUnreleased, keepOnFailure, keepUnreleased } from "./unreleased-locks.ts";

it("are those whose last call failed: one that is acquired after that is in use", async () => {
  await expect(keepOnFailure("busy", Promise.reject(new Error("locked")))).rejects.toThrow();
  expect(isUnreleased("busy")).toBe(true);
  expect(await keepOnFailure("busy", Promise.resolve("acquired"))).toBe("acquired");
  expect(isUnreleased("busy")).toBe(false);
});

it("are at most as many as the limit, without the oldest", () => {
  for (let at = 0; at <= limits.unreleasedLocks; at++) keepUnreleased(`lock-${at}`);
  expect(isUnreleased("lock-0")).toBe(false);
  expect(isUnreleased("lock-1")).toBe(true);
});
