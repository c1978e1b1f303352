// Tests of progress where there is no terminal, or one that does not know how wide it is.
import { describe, expect, it } from "vitest";
import type { ProgressEvent } from "../model.ts";
import { lineProgress, terminalProgress } from "./progress.ts";

function change(done: number, result: "done" | "failed"): ProgressEvent {
  const about = { address: `UserGroup/g${done}`, action: "create", layer: 0 } as const;
  return { event: "change", ...about, result, done, total: 9 };
}

const wait: ProgressEvent = { event: "wait", seconds: 30, asked: true, attempt: 2, attempts: 5 };

describe("progress in a log", () => {
  it("is a line every few seconds, and one for each failure and each long wait", () => {
    let text = "";
    let time = 0;
    const { on } = lineProgress({ write: (more) => (text += more) }, { now: () => time });
    on({ event: "phase", phase: "apply" });
    for (const [at, event] of [
      [1000, change(1, "done")],
      [2000, change(2, "failed")],
      [5000, change(3, "done")],
      [8000, change(4, "done")],
      [9000, wait],
      [9001, wait],
    ] as const) {
      time = at;
      on(event);
    }
    expect(text.split("\n")).toEqual([
      "failed to create UserGroup/g2",
      "Applying 4/9, layer 1, 0.5 a second, 10 s left",
      "waiting 30 s: the server asks for it; then attempt 2 of 5",
      "",
    ]);
  });
});

describe("progress on a terminal", () => {
  it("is whole where the terminal tells no width", () => {
    let text = "";
    const out = { write: (more: string) => (text += more), columns: 0 };
    terminalProgress(out, { color: false }).on(wait);
    expect(text).toContain("waiting 30 s: the server asks for it");
  });
});
