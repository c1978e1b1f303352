// Tests of failures, which every command reports by their codes.
import { expect, it } from "vitest";
import { Failure, failureFrom } from "./errors.ts";

it("returns the failure of a call, and throws any other error", async () => {
  const failure = new Failure("invalid", "a name is missing");
  expect(await failureFrom(async () => 1)).toBeUndefined();
  expect(await failureFrom(() => Promise.reject(failure))).toBe(failure);
  await expect(failureFrom(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
