// Tests of the reasons why a change is blocked.
import { expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import { blocked, blockedByErrors } from "./block-reasons.ts";

const change = sampleChange("create", "Town/ulm");
const error = (code: Diagnostic["code"]): Diagnostic => ({ code, severity: "error", summary: "" });

it("adds each reason once, and keeps those that are there", () => {
  const once = blocked(change, [{ code: "not-owned" }]);
  const twice = blocked(once, [{ code: "not-owned" }, { code: "ambiguous-live" }]);
  expect(twice.blockedBy).toEqual([{ code: "not-owned" }, { code: "ambiguous-live" }]);
});

it("keeps each dependency that blocks it", () => {
  const dependency = (address: string) => ({ code: "dependency", address }) as const;
  const all = [dependency("Town/a"), dependency("Town/b"), dependency("Town/a")];
  expect(blocked(change, all).blockedBy).toEqual([dependency("Town/a"), dependency("Town/b")]);
});

it("returns the same change without a reason", () => {
  expect(blocked(change, [])).toBe(change);
  expect(blockedByErrors(change, [])).toBe(change);
});

it("takes the codes of errors", () => {
  const found = blockedByErrors(change, [error("not-owned"), error("not-owned")]);
  expect(found.blockedBy).toEqual([{ code: "not-owned" }]);
});
