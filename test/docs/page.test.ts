// Tests how a page of documentation is parsed, and how its output is compared.
import { describe, expect, it } from "vitest";
import { lineProgress } from "../../reconciler/report/progress.ts";
import {
  missingLines,
  missingOutput,
  showsOnlyOmission,
  stepsOf,
  withoutProgress,
} from "./page.ts";

describe("the steps of a page", () => {
  it("are its files and its commands, in order", () => {
    const page = [
      "Text.",
      "```yaml",
      "# my-stack/stack.yaml",
      "kind: Stack",
      "```",
      "   ```console",
      "   $ svc plan my-stack",
      "   Plan: 1 to create",
      "   $ echo $?",
      "   0",
      "   ```",
      "Write this as `more.json`:",
      "",
      "```json",
      "{}",
      "```",
      "```yaml",
      "just: an example",
      "```",
    ].join("\n");
    expect(stepsOf(page)).toEqual([
      {
        step: "file",
        path: "my-stack/stack.yaml",
        content: "# my-stack/stack.yaml\nkind: Stack\n",
      },
      {
        step: "command",
        command: "svc plan my-stack",
        expected: ["Plan: 1 to create"],
        isInterrupted: false,
        line: 7,
      },
      { step: "command", command: "echo $?", expected: ["0"], isInterrupted: false, line: 9 },
      { step: "file", path: "more.json", content: "{}\n" },
    ]);
  });

  it("are continued by a backslash and stopped by ^C", () => {
    const page = ["```console", "$ svc serve \\", "  --port 1", "Serving", "^C", "```"].join("\n");
    expect(stepsOf(page)).toEqual([
      {
        step: "command",
        command: "svc serve \\\n  --port 1",
        expected: ["Serving"],
        isInterrupted: true,
        line: 2,
      },
    ]);
  });
});

describe("the output that a page shows", () => {
  it.each([
    [["a", "b"], "a\nb\n"],
    [["a", "…", "d"], "a\nb\nc\nd\n"],
    [["a", "…"], "a\nb\n"],
    [["run 1 … done"], "run 27 was quickly done\n"],
    [[], "\n"],
    [["a.yaml:4:33: error 7"], "a.yaml:4:33: error 8\n"],
  ])("matches: %j", (expected, output) => {
    expect(missingLines(expected, output)).toEqual([]);
  });

  it.each([
    [[], "anything\n"],
    [["a", "c"], "a\nb\nc\n"],
    [["a"], "a\nb\n"],
    [["b", "a"], "a\nb\n"],
    [["a", "…", "x"], "a\nb\n"],
    [["a.yaml:4:33: error"], "a.yaml:5:33: error\n"],
  ])("does not match: %j", (expected, output) => {
    expect(missingLines(expected, output)).not.toEqual([]);
  });

  it.each([
    [[], false],
    [["…"], true],
    [["{", "…", "}"], true],
    [["…", "Applied: 1 created; …"], false],
  ])("is left out whole: %j: %s", (expected, isLeftOut) => {
    const [step] = stepsOf(["```console", "$ svc apply shop --yes", ...expected, "```"].join("\n"));
    expect(step?.step === "command" && showsOnlyOmission(step)).toBe(isLeftOut);
  });

  it.each([
    ["1", "1\n", []],
    ["3", "1\n", ["3"]],
  ])("is an exit code: %s", (expected, output, missing) => {
    const [step] = stepsOf(["```console", "$ echo $?", expected, "```"].join("\n"));
    expect(step?.step === "command" && missingOutput(step, output)).toEqual(missing);
  });

  it("is compared without the position of a slow run", () => {
    const written: string[] = ["Applied: 1 created\n"];
    let now = 0;
    const progress = lineProgress(
      { write: (text) => written.push(text) },
      { now: () => (now += 60_000) },
    );
    progress.on({ event: "phase", phase: "verify" });
    progress.on({ event: "phase", phase: "apply" });
    progress.on({
      event: "wait",
      seconds: 3,
      attempt: 2,
      attempts: 6,
      serverRequested: false,
      status: 503,
    });
    expect(written.length).toBeGreaterThan(2);
    written.push("error: refused\n");
    expect(withoutProgress(written.join(""))).toBe("Applied: 1 created\nerror: refused\n");
  });
});
