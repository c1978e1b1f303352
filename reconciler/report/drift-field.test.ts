// Tests that drift shows what happened, from the last apply until now, and plans show what will be done.
import { describe, expect, it } from "vitest";
import type { Change, PlannedField } from "../model/index.ts";
import { changeLines } from "./change-text.ts";
import { driftedChangeJson } from "./drift-field.ts";
import { findingsOf } from "./findings.ts";
import { samplePlan } from "../../test/support/sample-plans.ts";

const fieldOf = (field: Partial<PlannedField>): PlannedField => ({
  path: "/description",
  field: "description",
  before: "live",
  after: "declared",
  reason: "differs",
  replaces: false,
  sensitive: false,
  direction: "drifted",
  ...field,
});

const changeOf = (field: Partial<PlannedField>, change: Partial<Change> = {}): Change => ({
  action: "update",
  address: "Note/a",
  kind: "Note",
  name: "a",
  key: "a",
  scope: {},
  id: "1",
  from: undefined,
  fields: [fieldOf(field)],
  direction: field.direction ?? "drifted",
  desired: {},
  precondition: { absent: true },
  layer: 0,
  dependsOn: [],
  cascadedBy: undefined,
  blockedBy: [],
  notVerifiable: [],
  ...change,
});

const textOf = (change: Change, isDrift: boolean): string | undefined =>
  changeLines(change, { color: false, width: 200, ...(isDrift && { isDrift }) })[1]?.trim();
const jsonOf = (change: Change): unknown => driftedChangeJson(change, [])["fields"];

describe("a field", () => {
  it("that drifted shows the value of the last apply, then the live one; the plan shows the reverse", () => {
    const change = changeOf({});
    expect(textOf(change, true)).toBe('/description: "declared" → "live"  (changed on the server)');
    expect(textOf(change, false)).toBe(
      '/description: "live" → "declared"  (changed on the server)',
    );
    expect(jsonOf(change)).toMatchObject([
      { before: "declared", after: "live", declared: "declared" },
    ]);
  });

  it("in conflict shows all three values", () => {
    const change = changeOf({ direction: "conflict", base: "applied" });
    expect(textOf(change, true)).toBe(
      '/description: "applied" → "live"  (changed here and on the server; manifest: "declared")',
    );
    expect(textOf(change, false)).toBe(
      '/description: "live" → "declared"  (changed here and on the server; last applied: "applied")',
    );
    expect(jsonOf(change)).toMatchObject([
      { before: "applied", after: "live", declared: "declared" },
    ]);
  });

  it("that was cleared or set on the server shows the side that has none", () => {
    const removed = changeOf({ before: undefined, reason: "absent" });
    expect(textOf(removed, true)).toContain('"declared" → (not set)');
    const set = changeOf({ after: null, reason: "cleared" });
    expect(textOf(set, true)).toContain('(not set) → "live"');
  });

  it("that is pending shows what the manifest changed; the server's value is the same as before", () => {
    const change = changeOf({ direction: "pending" });
    expect(textOf(change, true)).toBe('/description: "live" → "declared"');
    expect(jsonOf(change)).toMatchObject([{ before: "live", after: "live", declared: "declared" }]);
  });

  it("with a secret shows masks in the order of their numbers", () => {
    const change = changeOf({ sensitive: true });
    expect(textOf(change, true)).toContain("(secret #1) → (secret #2)");
    expect(JSON.stringify(jsonOf(change))).not.toContain("live");
  });

  it("with a secret in conflict shows three masks, and which of the values is missing", () => {
    const change = changeOf({ sensitive: true, direction: "conflict" });
    expect(textOf(change, true)).toBe(
      "/description: (secret #1) → (secret #2)  (changed here and on the server; manifest: (secret #3))",
    );
    const cleared = changeOf({ sensitive: true, direction: "conflict", before: undefined });
    expect(textOf(cleared, true)).toBe(
      "/description: (secret #1) → (not set)  (changed here and on the server; manifest: (secret #2))",
    );
    expect(jsonOf(change)).toMatchObject([
      { before: "(secret #1)", after: "(secret #2)", declared: "(secret #3)" },
    ]);
    expect(JSON.stringify([jsonOf(change), jsonOf(cleared)])).not.toMatch(
      /live|declared"\W+"decl/u,
    );
  });
});

it("an object that was deleted on the server is shown as deleted, not as to create", () => {
  const [line] = changeLines(changeOf({}, { action: "create", fields: [] }), {
    color: false,
    width: 200,
    isDrift: true,
  });
  expect(line).toBe("- Note/a  (deleted on the server)");
});

describe("a rename", () => {
  const renameOf = (direction: PlannedField["direction"]): Change =>
    changeOf(
      { path: "/name", field: "name", before: "live", after: "a", direction },
      { from: { key: "live", scope: {} } },
    );

  it.each([
    ["drifted", "    renamed from a to live"],
    ["conflict", "    renamed on the server to live; the manifest names it a"],
    ["pending", "    renamed from live to a"],
  ] as const)("that is %s reads as it happened", (direction, text) => {
    const style = { color: false, width: 80 };
    const change = renameOf(direction);
    expect(changeLines(change, { ...style, isDrift: true }).at(-1)).toBe(text);
    expect(changeLines(change, style).at(-1)).toBe("    renamed from live to a");
  });
});

describe("an object that was deleted on the server", () => {
  const missing = changeOf(
    { before: undefined, direction: "pending" },
    { action: "create", direction: "drifted" },
  );

  it("is called deleted in findings, with a remedy for it", () => {
    const findings = findingsOf({
      type: "drift",
      plan: samplePlan([missing]),
      kinds: [],
      manifestDiagnostics: [],
      places: new Map(),
    });
    expect(findings).toMatchObject([
      {
        message: "Note/a was deleted on the server",
        remedy: "Apply to create it again, or remove its document.",
      },
    ]);
  });

  it("is marked in JSON, and has no fields that would be pending", () => {
    expect(driftedChangeJson(missing, [])).toMatchObject({
      action: "create",
      direction: "drifted",
      deletedOnServer: true,
      fields: [],
    });
  });
});
