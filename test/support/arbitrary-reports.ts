// Generates applies and plans with arbitrary text for tests of every report.
import fc from "fast-check";
import type { JsonValue } from "../../core/json.ts";
import type { ApplyResult, Change, PlannedField } from "../../reconciler/model/index.ts";
import { sampleChange, samplePlan } from "./sample-plans.ts";

const place = { file: "stack.yaml", line: 3, column: 7 };
const hostileFragments = [
  "\u001b[31m",
  "\n",
  "\r",
  "\u009b2J",
  "\u202e",
  "\u2028",
  "\ud800",
  "\u0000",
  "a",
  "\u{e0041}",
];
/** Text that would control a terminal, be invisible, or break an output format. */
export const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...hostileFragments), { maxLength: 6 }).map((parts) => parts.join("")),
);
const secret = fc.stringMatching(/^SECRET[a-z]{8}$/);
const anyValue: fc.Arbitrary<JsonValue> = fc.oneof(
  hostileText,
  fc.array(hostileText, { maxLength: 3 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.constant(null),
  fc.integer(),
);

const anyField: fc.Arbitrary<PlannedField> = fc.record({
  path: hostileText.map((text) => `/${text}`),
  field: hostileText,
  before: fc.option(anyValue, { nil: undefined }),
  after: fc.option(anyValue, { nil: undefined }),
  reason: fc.constantFrom(
    "differs",
    "absent",
    "cleared",
    "fingerprint",
    "unverified",
    "reference-replaced",
  ),
  replaces: fc.boolean(),
  sensitive: fc.constant(false),
  direction: fc.constantFrom("pending", "drifted", "conflict"),
});
const secretField: fc.Arbitrary<PlannedField> = fc
  .tuple(anyField, secret, secret)
  .map(([field, before, after]) => ({
    ...field,
    before,
    after: { inside: [after] },
    sensitive: true,
  }));

const anyChange: fc.Arbitrary<Change> = fc
  .record({
    action: fc.constantFrom("create", "update", "replace", "delete", "refuse", "orphan"),
    name: hostileText,
    fields: fc.array(fc.oneof(anyField, secretField), { maxLength: 4 }),
    direction: fc.constantFrom("pending", "drifted", "conflict"),
    texts: fc.array(hostileText, { maxLength: 2 }),
    password: secret,
  })
  .map(({ action, name, fields, direction, texts, password }) =>
    sampleChange(action, `Plain/${name}`, {
      fields,
      direction,
      desired: { name: password, password },
      blockedBy: texts.map((text) => ({ code: "dependency", address: text })),
      notVerifiable: texts,
      cascadedBy: texts[0],
      from: texts[0] === undefined ? undefined : { key: texts[0], scope: {} },
    }),
  );

/** An apply and its plan with such text in every place, and secrets that start with SECRET. */
export const anyApplied: fc.Arbitrary<ApplyResult> = fc
  .tuple(fc.array(anyChange, { maxLength: 4 }), hostileText)
  .map(([changes, text]) => ({
    plan: samplePlan(changes, {
      basis: { stack: text, origin: text, desired: "", inventory: "" },
      diagnostics: [
        {
          code: "deprecated",
          severity: "info",
          summary: text,
          remedy: text,
          path: text,
          address: text,
        },
        { code: "deprecated", severity: "info", summary: text, place: { ...place, file: text } },
      ],
    }),
    outcomes: changes.map(({ address, action }) => ({
      address,
      action,
      result: "failed",
      failure: { code: "conflict", message: text, remedy: text },
    })),
    stopped: { code: "unreachable", message: text, remedy: text },
    residual: changes,
    unverified: text,
    calls: 1,
    writeCalls: 1,
  }));
