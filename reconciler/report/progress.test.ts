// Tests for progress without a terminal, and on a terminal of unknown width.
import { describe, expect, it } from "vitest";
import type { WaitEvent } from "../../client/types.ts";
import type { ProgressEvent } from "../model/index.ts";
import { limits } from "../../core/limits/limits.ts";
import { validator } from "../../core/schema/validate.ts";
import { jsonProgress, lineProgress, type Progress, terminalProgress } from "./progress.ts";
import { progressSchema } from "./progress-schema.ts";

function change(done: number, result: "done" | "failed", total = 9): ProgressEvent {
  const about = { address: `UserGroup/g${done}`, action: "create", layer: 0 } as const;
  return { event: "change", ...about, result, done, total };
}

interface Recorded {
  /** The written lines. */
  readonly lines: () => readonly string[];
  readonly report: (ms: number, event: ProgressEvent) => void;
}

/** Creates progress with a fake clock. */
function recorded(
  make: (out: { write(text: string): unknown }, style: { now: () => number }) => Progress,
): Recorded {
  let [text, time] = ["", 0];
  const { on } = make({ write: (more) => (text += more) }, { now: () => time });
  const report: Recorded["report"] = (ms, event) => {
    time = ms;
    on(event);
  };
  return { report, lines: () => text.split("\n").filter((line) => line !== "") };
}

/** Simulates 10,000 changes in `ms`, evenly spaced. */
function longRun({ report }: Recorded, ms: number, result: "done" | "failed"): void {
  report(0, { event: "phase", phase: "apply" });
  for (let done = 1; done <= 10_000; done += 1)
    report((ms * done) / 10_000, change(done, result, 10_000));
}

const wait: ProgressEvent = {
  event: "wait",
  seconds: 30,
  serverRequested: true,
  attempt: 2,
  attempts: 5,
};

describe("progress in a log", () => {
  it.each<[Partial<WaitEvent>, string]>([
    [{ serverRequested: true, status: 429 }, "rate limit of the server"],
    [{ serverRequested: true, status: 503 }, "the server answered 503"],
    [{ status: 502 }, "the server answered 502"],
    [{ timedOut: true }, "no answer in time"],
    [{}, "the server could not be reached"],
  ])("shows why it waits: %j", (cause, reason) => {
    const { report, lines } = recorded(lineProgress);
    report(10_000, { ...wait, serverRequested: false, ...cause });
    expect(lines()).toEqual([`waiting 30 s: ${reason}; then attempt 2 of 5`]);
  });

  it("has a line every few seconds, and one per failure and long wait", () => {
    const { report, lines } = recorded(lineProgress);
    report(0, { event: "phase", phase: "apply" });
    report(1000, change(1, "done"));
    report(2000, change(2, "failed"));
    report(5000, change(3, "done"));
    report(8000, change(4, "done"));
    report(9000, wait);
    report(9001, wait);
    report(9500, change(9, "done"));
    expect(lines()).toEqual([
      "failed to create UserGroup/g2",
      "Applying 4/9, layer 1, 0.5/s, 10 s left",
      "waiting 30 s: rate limit of the server; then attempt 2 of 5",
      "Applying 9/9, layer 1, 0.9/s",
    ]);
  });

  it("has few lines for ten thousand changes", () => {
    const slow = recorded(lineProgress);
    longRun(slow, 60_000, "done");
    expect(slow.lines()).toHaveLength(60_000 / limits.progressLineMs);
    expect(slow.lines().at(0)).toBe("Applying 834/10000, layer 1, 167/s, 55 s left");
    expect(slow.lines().at(-1)).toBe("Applying 10000/10000, layer 1, 167/s");
    const long = recorded(lineProgress);
    longRun(long, 3_600_000, "done");
    expect(long.lines().length).toBeLessThan(100);
    const [before, last] = long
      .lines()
      .slice(-3)
      .map((line) => Number(/\d+/u.exec(line)?.[0]));
    expect(((last ?? 0) - (before ?? 0)) * 360).toBeLessThanOrEqual(
      limits.progressLineMostMs + 360,
    );
    const burst = recorded(lineProgress);
    longRun(burst, 100, "done");
    expect(burst.lines()).toEqual([]);
    const failing = recorded(lineProgress);
    longRun(failing, 100, "failed");
    expect(failing.lines()).toHaveLength(limits.progressFailures);
  });
});

describe("progress where the result names the failures", () => {
  it("counts the failures and prints no line for each", () => {
    const { report, lines } = recorded((out, how) =>
      lineProgress(out, { ...how, countsFailures: true }),
    );
    report(0, { event: "phase", phase: "apply" });
    report(1000, change(1, "failed"));
    report(5000, change(2, "failed"));
    report(9500, change(9, "done"));
    expect(lines()).toEqual([
      "Applying 2/9, 2 failed, layer 1, 0.4/s, 18 s left",
      "Applying 9/9, 2 failed, layer 1, 0.9/s",
    ]);
    let text = "";
    const out = { write: (more: string) => (text += more) };
    const { on } = terminalProgress(out, { color: false, countsFailures: true });
    on(change(1, "failed"));
    on(change(9, "done"));
    expect(text).not.toContain("failed to");
    expect(text).toContain("9/9, 1 failed");
  });
});

describe("progress for programs", () => {
  it("matches its schema, in a bounded number of lines", () => {
    const { report, lines } = recorded(jsonProgress);
    longRun({ report, lines }, 60_000, "done");
    report(60_100, wait);
    report(60_200, wait);
    const events = lines().map((line) => JSON.parse(line) as unknown);
    expect(events).toHaveLength(1 + 60_000 / limits.progressLineMs + 1);
    const check = validator(progressSchema());
    expect(events.flatMap((line) => check(line))).toEqual([]);
    expect(events[1]).toEqual({ ...change(834, "done", 10_000), perSecond: 167, secondsLeft: 55 });
    expect(events.at(-1)).toEqual(wait);
    expect(check({ event: "change" })).not.toEqual([]);
  });
});

describe("progress on a terminal", () => {
  it("is complete on a terminal of unknown width", () => {
    let text = "";
    const out = { write: (more: string) => (text += more), columns: 0 };
    terminalProgress(out, { color: false }).on(wait);
    expect(text).toContain("waiting 30 s: rate limit of the server");
  });
});
