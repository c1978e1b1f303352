// Delays of retries, and the headers that request them.
import { describe, expect, it } from "vitest";
import { limits } from "../core/limits/limits.ts";
import { backoffMs, decideRetry, serverRequestedWaitMs } from "./retry.ts";

const now = Date.parse("2026-05-01T00:00:00Z");

/** Without jitter, from the default first pause on. */
const longest = { firstMs: limits.retryFirstMs, chance: 1 };
const shortest = { ...longest, chance: 0 };

describe("a retry", () => {
  it("follows an upsert that a concurrent write made another one, and no other conflict", () => {
    const ended = { answered: true, status: 409, headers: {}, body: Buffer.alloc(0) } as const;
    const decide = (code: "conflict" | "upsert_branch_changed") => decideRetry(ended, code, false);
    expect(decide("upsert_branch_changed")).toEqual({ next: "retry", uncertain: false });
    expect(decide("conflict")).toEqual({ next: "fail", uncertain: false });
  });
});

describe("the delay before a retry", () => {
  it("doubles, with jitter, up to the maximum", () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMs(attempt, undefined, longest))).toEqual([
      250, 500, 1000, 2000,
    ]);
    expect(backoffMs(1, undefined, shortest)).toBe(125);
    expect(backoffMs(3, undefined, { firstMs: 5, chance: 1 })).toBe(20);
    expect(backoffMs(40, undefined, longest)).toBe(limits.retryMaxMs);
  });

  it("is what the server requests, at most the maximum and never shorter than the own delay", () => {
    expect(backoffMs(1, { "retry-after": "7" }, shortest)).toBe(7000);
    expect(backoffMs(1, { "retry-after": "0" }, longest)).toBe(250);
    expect(backoffMs(1, { "retry-after": "86400" }, shortest)).toBe(limits.retryMaxMs);
  });

  it.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "Fri, 01 May 2026 00:00:05 GMT" }, 5000],
    [{ "retry-after": "Thu, 30 Apr 2026 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "ratelimit-remaining": "0", "ratelimit-reset": "4" }, 4000],
    [{ "ratelimit-remaining": "3", "ratelimit-reset": "4" }, undefined],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ ratelimit: '"default";r=12;t=30' }, undefined],
    [{ ratelimit: "limit=10, remaining=0, reset=9" }, 9000],
    [{ ratelimit: '"user";r=7;t=30, "account";r=0;t=2' }, 2000],
    [{}, undefined],
  ])("reads %j", (headers, ms) => {
    expect(serverRequestedWaitMs(headers, now)).toBe(ms);
  });
});
