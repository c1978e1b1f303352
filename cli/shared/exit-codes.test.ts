// Tests for exit codes of failures and of apply.
import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCodes, Failure } from "../../core/errors.ts";
import type { ApplyResult, Change, Outcome } from "../../reconciler/model/index.ts";
import { deleteConfirmation, exitCodeOf } from "./exit-codes.ts";
import { exitCodeOfApply } from "./run/apply-exit-code.ts";

describe("the exit code of a failure", () => {
  it.each<[ErrorCode, number]>([
    ["usage", 64],
    ["unauthenticated", 77],
    ["forbidden", 77],
    ["stale", 4],
    ["locked", 4],
    ["conflict", 4],
    ["aborted", 130],
    ["unreachable", 1],
    ["refused", 1],
  ])("%s is %i", (code, expected) => {
    expect(exitCodeOf(new Failure(code, "x"))).toBe(expected);
  });

  it("is never 0, whatever failed", () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      expect(exitCodeOf(new Failure(code, "x"))).toBeGreaterThan(0);
    }
    expect(exitCodeOf(new TypeError("x"))).toBe(1);
  });

  it("is 5 for a refusal that a confirmation lifts", () => {
    const details = { confirmation: "deletes", count: 3, deleteLimit: 1 };
    expect(exitCodeOf(new Failure("refused", "x", { details }))).toBe(5);
    const conflicts = ["Ship/a"];
    const both = new Failure("refused", "x", { details: { ...details, conflicts } });
    expect(exitCodeOf(both)).toBe(5);
    expect(deleteConfirmation(both)).toEqual({ deletes: 3, limit: 1, conflicts });
  });
});

describe("the exit code of an apply", () => {
  const outcome = (result: Outcome["result"], code?: ErrorCode): Outcome => ({
    address: "Ship/a",
    action: "create",
    result,
    failure: code && { code, message: "x" },
  });
  const exit = (outcomes: Outcome[], stopped?: number, residual: Change[] = []): number =>
    exitCodeOfApply({ outcomes, residual } as Partial<ApplyResult> as ApplyResult, stopped);
  const done = outcome("done");

  it("is 0 if everything or nothing was to do and is done", () => {
    expect(exit([done, done])).toBe(0);
    expect(exit([])).toBe(0);
    expect(exit([done], 130)).toBe(0);
  });

  it("is 3 if part of the plan was applied, also when interrupted, or if the written values differ", () => {
    expect(exit([done, outcome("failed", "invalid")])).toBe(3);
    expect(exit([done, outcome("skipped")], 130)).toBe(3);
    expect(exit([done], undefined, [{} as Change])).toBe(3);
    expect(exit([{ ...outcome("failed", "invalid"), partial: true }])).toBe(3);
  });

  it("equals the code of the failures if nothing was applied and all failures agree", () => {
    expect(exit([outcome("failed", "forbidden"), outcome("skipped")])).toBe(77);
    expect(exit([outcome("failed", "forbidden"), outcome("failed", "invalid")])).toBe(1);
    expect(exit([outcome("skipped")], 143)).toBe(143);
  });
});
