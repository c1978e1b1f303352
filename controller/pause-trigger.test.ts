// What is asked for while a commit is reconciled.
import { expect, it } from "vitest";
import { createPauseTrigger } from "./pause-trigger.ts";

const cases: [asked: string, after: string | undefined, isEarly: boolean][] = [
  ["", "a", false],
  ["", undefined, false],
  ["a", "a", false],
  ["a", "before", true],
  ["a", undefined, true],
  // A newer commit was found since, and the later of two is what counts.
  ["a b", "a", true],
  ["a b", "b", false],
  // A request is more than a commit, in any order.
  ["! a", "a", true],
  ["a !", "a", true],
];

it.each(cases)("'%s' and then a reconciliation of %s", (asked, after, isEarly) => {
  const early = createPauseTrigger();
  for (const each of asked.split(" ").filter(Boolean))
    if (each === "!") early.trigger();
    else early.onNewCommit(each);
  expect(early.signalAfter(after).aborted).toBe(isEarly);
  early.reset();
  expect(early.signalAfter(undefined).aborted).toBe(false);
});

it("ignores the commit of the last reconciliation, which another replica has found late", () => {
  const early = createPauseTrigger();
  const paused = early.signalAfter("a");
  early.onNewCommit("a");
  expect(paused.aborted).toBe(false);
  early.onNewCommit("b");
  expect(paused.aborted).toBe(true);
});
