// Compares the reports of plan, apply and drift with golden files, as text, and tests what they must not contain.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { ApplyResult, ProgressEvent } from "../../reconciler/model/index.ts";
import { appliedText } from "../../reconciler/report/applied-text.ts";
import { planJson } from "../../reconciler/engine/plan-json.ts";
import { appliedJson, driftJson } from "../../reconciler/report/json.ts";
import { jsonProgress, terminalProgress } from "../../reconciler/report/progress.ts";
import { diagnosticsText, planText } from "../../reconciler/report/plan-text.ts";
import { driftText } from "../../reconciler/report/drift-text.ts";
import { anyApplied } from "../support/arbitrary-reports.ts";
import { sampleChange, sampleField, samplePlan } from "../support/sample-plans.ts";
import { everyTrait, plain } from "../support/sample-kinds.ts";

const renderOptions = { color: false, width: 100 };
const kinds = [everyTrait, plain];
const place = { file: "stack.yaml", line: 3, column: 7 };
const multilineText = ["Roses are red", "Violets are blue", "Sugar is sweet", "And so are you"];

const notOwned: Diagnostic = {
  code: "not-owned",
  severity: "error",
  summary: "Plain east exists already, and this stack did not create it",
  remedy: "run `svc adopt Plain/east` to adopt it",
  place,
  address: "Plain/east",
};

const orphaned = (address: string): Diagnostic => ({
  code: "orphan",
  severity: "info",
  address,
  summary: `${address} is no longer declared and is kept`,
  remedy: "Set policy.prune in the Stack to delete what is no longer declared.",
});

const full = samplePlan(
  [
    sampleChange("create", "Plain/north", { desired: { name: "north" } }),
    sampleChange("create", "Plain/gone", { desired: { name: "gone" }, direction: "drifted" }),
    sampleChange("create", "Unknown/secretive", { desired: { password: "hunter2" } }),
    sampleChange("update", "Note/plan", {
      direction: "conflict",
      notVerifiable: ["recipients"],
      fields: [
        sampleField({ path: "/title", before: "Old", after: "New", direction: "conflict" }),
        sampleField({ path: "/count", before: 3, after: 4, direction: "drifted" }),
        sampleField({ path: "/tags", before: ["a"], after: ["a", "b"] }),
        sampleField({ path: "/labels/team", before: "growth", reason: "cleared" }),
        sampleField({ path: "/owner", before: "jo", after: null, reason: "cleared" }),
        sampleField({ path: "/colour", after: "red", reason: "absent" }),
        sampleField({ path: "/token", before: "s3cr3t", after: "t0k3n", sensitive: true }),
        sampleField({ path: "/key", after: "t0k3n", sensitive: true, reason: "fingerprint" }),
        sampleField({ path: "/context", after: { a: 1 }, reason: "unverified" }),
        sampleField({
          path: "/text",
          before: multilineText.join("\n"),
          after: multilineText.join("\n").replace("blue", "violet"),
        }),
        sampleField({
          path: "/long",
          before: `${"x".repeat(500)} tail before`,
          after: `${"x".repeat(500)} tail after`,
        }),
        sampleField({ path: "/evil", before: "\u001b[2J\u009b1m\u202eabc", after: "tab\there\n" }),
      ],
    }),
    sampleChange("replace", "Plain/new-name", {
      from: { key: "old-name", scope: {} },
      fields: [
        sampleField({ path: "/name", before: "old-name", after: "new-name", replaces: true }),
      ],
    }),
    sampleChange("adopt", "Plain/found"),
    sampleChange("none", "Plain/recorded"),
    sampleChange("forget", "Plain/vanished", { direction: "drifted" }),
    sampleChange("refuse", "Plain/east", { blockedBy: [{ code: "not-owned" }] }),
    sampleChange("orphan", "Plain/kept-1"),
    sampleChange("orphan", "Plain/kept-2"),
    sampleChange("delete", "Plain/parent"),
    sampleChange("delete", "Plain/child", { cascadedBy: "Plain/parent" }),
  ],
  {
    diagnostics: [
      notOwned,
      orphaned("Plain/kept-1"),
      orphaned("Plain/kept-2"),
      {
        code: "not-verifiable",
        severity: "info",
        summary: "recipients of 1 object cannot be read back: drift in it is not detected",
      },
    ],
  },
);

const applied: ApplyResult = {
  plan: full,
  outcomes: [
    { address: "Plain/north", action: "create", result: "done", failure: undefined },
    { address: "Plain/found", action: "adopt", result: "done", failure: undefined },
    {
      address: "Note/plan",
      action: "update",
      result: "failed",
      failure: { code: "conflict", message: "the name is taken", remedy: "choose another" },
    },
    {
      address: "Plain/new-name",
      action: "replace",
      result: "skipped",
      failure: { code: "aborted", message: "Note/plan failed" },
    },
  ],
  stopped: undefined,
  residual: [
    sampleChange("update", "Plain/north", {
      direction: "drifted",
      fields: [
        sampleField({
          path: "/name",
          before: "North",
          after: "north",
          direction: "drifted",
          cause: "normalized",
        }),
      ],
    }),
    sampleChange("update", "Plain/south", {
      direction: "drifted",
      fields: [
        sampleField({
          path: "/name",
          before: "Elsewhere",
          after: "south",
          direction: "drifted",
          cause: "changed",
        }),
      ],
    }),
  ],
  unverified: undefined,
  calls: 44,
  writeCalls: 12,
};

const json = (value: JsonValue): string => `${JSON.stringify(value, null, 2)}\n`;

describe("a report reads", () => {
  it.each([
    ["plan.golden", () => planText(full, { ...renderOptions, kinds })],
    ["plan-empty.golden", () => planText(samplePlan([]), renderOptions)],
    ["drift.golden", () => driftText({ plan: full, manifestDiagnostics: [] }, renderOptions)],
    ["applied.golden", () => appliedText(applied, renderOptions)],
  ])("as %s says", async (file, text) => {
    await expect(text()).toMatchFileSnapshot(`./${file}`);
  });

  it("uses colors only if requested", () => {
    const escape = "\u001b";
    expect(planText(full, { ...renderOptions, color: true })).toContain(
      `${escape}[32m+ Plain/north${escape}[0m`,
    );
    expect(planText(full, renderOptions)).not.toContain(escape);
  });

  it("wraps lines at the width, but not inside addresses and notes", () => {
    const narrow = planText(full, { color: false, width: 60 });
    const values = narrow.split("\n").filter((line) => line.startsWith("    /long"));
    expect(values).toHaveLength(1);
    expect(values[0]?.length).toBeLessThan(100);
    expect(values[0]).toMatch(/tail before.*tail after/);
  });
});

describe("diagnostics read", () => {
  it("shows errors first, with position, code and remedy", () => {
    const text = diagnosticsText(
      [
        orphaned("Plain/kept"),
        {
          code: "unknown-field",
          severity: "error",
          summary: 'there is no field "naem"',
          remedy: 'Did you mean "name"?',
          place,
          path: "/spec/naem",
          address: "Plain/east",
        },
      ],
      renderOptions,
    );
    expect(text.split("\n")).toEqual([
      'stack.yaml:3:7: error: there is no field "naem" [unknown-field]',
      "    at /spec/naem of Plain/east",
      '    → Did you mean "name"?',
      "info: Plain/kept is no longer declared and is kept [orphan]",
      "    → Set policy.prune in the Stack to delete what is no longer declared.",
      "1 error, 1 note",
    ]);
  });

  it("shows the first diagnostics and counts the rest", () => {
    const many = Array.from({ length: limits.diagnosticsShown + 7 }, (): Diagnostic => notOwned);
    const lines = diagnosticsText(many, renderOptions).split("\n");
    expect(lines.slice(-2)).toEqual(["… and 7 errors more", `${many.length} errors`]);
    expect(lines).toHaveLength(3 * limits.diagnosticsShown + 2);
    expect(diagnosticsText([], renderOptions)).toBe("");
  });
});

/** All characters that control a terminal or are invisible, except line ends, which end the report's lines. */
const controlCharacters = /[^\P{C}\n\u200c\u200d\p{Cn}\p{Co}]|[\u2028\u2029]/u;

describe("a report never contains", () => {
  it("terminal control sequences, or line breaks from values", () => {
    fc.assert(
      fc.property(anyApplied, fc.integer({ min: 1, max: 200 }), (result, width) => {
        const all = textsOf(result, width);
        for (const text of all) expect(text).not.toMatch(controlCharacters);
      }),
    );
  });

  it("the value of a sensitive field, nor the desired state of an unknown resource type", () => {
    fc.assert(
      fc.property(anyApplied, (result) => {
        const all = [
          ...textsOf(result, 100),
          json(planJson(result.plan)),
          json(driftJson(result.plan)),
          json(appliedJson(result)),
        ];
        for (const text of all) expect(text).not.toContain("SECRET");
      }),
    );
  });
});

function textsOf(result: ApplyResult, width: number): readonly string[] {
  const narrow = { color: false, width };
  return [
    planText(result.plan, narrow),
    driftText({ plan: result.plan, manifestDiagnostics: [] }, narrow),
    appliedText(result, narrow),
    diagnosticsText(result.plan.diagnostics, narrow),
  ];
}

describe("progress", () => {
  const changed = (done: number, more: Partial<ProgressEvent> = {}): ProgressEvent =>
    ({
      event: "change",
      address: `Plain/${done}`,
      action: "create",
      result: "done",
      done,
      total: 80,
      layer: 1,
      ...more,
    }) as ProgressEvent;

  function terminal(): {
    text: () => string;
    at: (ms: number) => void;
    now: () => number;
    write: (text: string) => void;
  } {
    let [written, ms] = ["", 0];
    return {
      text: () => written.replaceAll("\r\u001b[2K", "|"),
      at: (to) => (ms = to),
      now: () => ms,
      write: (text) => (written += text),
    };
  }

  it("is one line with the count, the rate and the remaining time", () => {
    const out = terminal();
    const { on, clear } = terminalProgress(out, { color: false, now: out.now });
    on({ event: "phase", phase: "apply" });
    out.at(500);
    on(changed(4));
    out.at(550);
    on(changed(5));
    out.at(1000);
    on(changed(8, { result: "failed", address: "Plain/\u001b[2Jx" }));
    out.at(1001);
    on(changed(80));
    clear();
    clear();
    expect(out.text().split("|")).toEqual([
      "",
      "Applying …",
      "Applying 4/80, layer 2, 8.0/s, 10 s left",
      "failed to create Plain/\\u{1b}[2Jx\n",
      "Applying 8/80, layer 2, 8.0/s, 9 s left",
      "Applying 80/80, layer 2, 79.9/s",
      "",
    ]);
  });

  it("is cut at the width of the terminal", () => {
    const out = terminal();
    const { on } = terminalProgress({ ...out, columns: 10 }, { color: false, now: out.now });
    on(changed(4));
    expect(out.text()).toBe("|Reading 4");
  });

  it("is one JSON line for each phase and failure without a terminal", () => {
    const out = terminal();
    const { on, clear } = jsonProgress(out, { now: out.now });
    const failed = changed(4, { result: "failed" });
    on({ event: "phase", phase: "read" });
    on(changed(3));
    on(failed);
    clear();
    expect(
      out
        .text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ event: "phase", phase: "read" }, failed]);
  });
});
