// Tests of the fence around plans in the log of GitHub Actions.
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fencedText, isWorkflowLog } from "./workflow-fence.ts";

describe("the fence", () => {
  it("stops the runner's commands before a text of several lines, and resumes them after it", () => {
    const [stop = "", ...rest] = fencedText("Plan\n::error::x\n").trimEnd().split("\n");
    const token = /^::stop-commands::([0-9a-f-]{36})$/u.exec(stop)?.[1] ?? "none";
    expect(rest).toEqual(["Plan", "::error::x", `::${token}::`]);
    expect(fencedText("Plan\nx\n")).not.toContain(token);
  });

  it("is not put around one line", () => {
    expect(fencedText("nothing to do\n")).toBe("nothing to do\n");
  });

  it("is not written to a file, nor outside GitHub Actions", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-fence-"));
    const fd = openSync(join(folder, "plan.txt"), "w");
    try {
      expect(isWorkflowLog(fd, { GITHUB_ACTIONS: "true" })).toBe(false);
    } finally {
      closeSync(fd);
      rmSync(folder, { recursive: true });
    }
    const nullDevice = openSync("/dev/null", "w");
    try {
      expect(isWorkflowLog(nullDevice, { GITHUB_ACTIONS: "true" })).toBe(true);
      expect(isWorkflowLog(nullDevice, {})).toBe(false);
    } finally {
      closeSync(nullDevice);
    }
  });
});
