// Generated filters and users: a filter matches the same users as a naive evaluator of its conditions.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { userType } from "./attributes.ts";
import { filterTest, parseFilter } from "./filter.ts";
import { filterPaths } from "./paths.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** Few letters, so that values often match, and characters that strings must escape. */
const word = fc.string({ unit: fc.constantFrom("a", "B", "b", "É", "é", '"', "\\", " ") });
const words = word.filter((text) => text !== "");
const time = fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z");
const type = fc.constantFrom("work", "home", "Work");

const user = fc
  .record(
    {
      title: words,
      externalId: words,
      active: fc.boolean(),
      name: fc.record({ givenName: words, familyName: words }, { requiredKeys: [] }),
      emails: fc.array(
        fc.record({ value: words, type, primary: fc.boolean() }, { requiredKeys: ["value"] }),
        { maxLength: 3 },
      ),
      [enterprise]: fc.record({ department: words }),
      meta: fc.record({ created: time }),
    },
    { requiredKeys: [] },
  )
  .map((one) => one as JsonObject);

/** A condition, independent of its text. */
type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly path: string; readonly op: string; readonly value?: string | boolean | null }
  /** On one and the same email. */
  | { readonly email: Condition; readonly rest?: Condition };

const order = ["gt", "ge", "lt", "le"];
const textual = fc.constantFrom("eq", "ne", "co", "sw", "ew", ...order);
const onText = (...paths: string[]): fc.Arbitrary<Condition> =>
  fc.record({ path: fc.constantFrom(...paths), op: textual, value: word });
const present = (...paths: string[]): fc.Arbitrary<Condition> =>
  fc.record({ path: fc.constantFrom(...paths), op: fc.constant("pr") });
const onFlag = (path: string): fc.Arbitrary<Condition> =>
  fc.record({ path: fc.constant(path), op: fc.constantFrom("eq", "ne"), value: fc.boolean() });

const leaf = fc.oneof(
  onText("title", "externalId", "name.givenName", "emails.value", "emails", "emails.type"),
  onText(`${enterprise}:department`),
  onFlag("active"),
  fc.record({
    path: fc.constant("meta.created"),
    op: fc.constantFrom("eq", "ne", ...order),
    value: time,
  }),
  fc.record({
    path: fc.constantFrom("title", "emails.type"),
    op: fc.constantFrom("eq", "ne"),
    value: fc.constant(null),
  }),
  present("title", "name", "emails", "emails.type", "active", "meta.created"),
);
const ofEmail = fc.oneof(onText("value", "type"), onFlag("primary"), present("type"));

function combined(
  one: fc.Arbitrary<Condition>,
  ...more: readonly fc.Arbitrary<Condition>[]
): fc.Arbitrary<Condition> {
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
    const several = fc.array(tie("condition"), { minLength: 2, maxLength: 3 });
    return {
      condition: fc.oneof(
        { maxDepth: 3 },
        one,
        ...more,
        several.map((all) => ({ all })),
        several.map((any) => ({ any })),
        tie("condition").map((not) => ({ not })),
      ),
    };
  });
  return condition;
}

const condition = combined(
  leaf,
  fc.record(
    { email: combined(ofEmail), rest: onText("value", "type") },
    { requiredKeys: ["email"] },
  ),
);

/** Returns the text of a condition. A list of `or` inside `and` gets parentheses; other lists do not. */
function textOf(one: Condition): string {
  if ("all" in one)
    return one.all
      .map((part) => ("any" in part ? `(${textOf(part)})` : textOf(part)))
      .join(" and ");
  if ("any" in one) return one.any.map(textOf).join(" OR ");
  if ("not" in one) return `NOT (${textOf(one.not)})`;
  if ("email" in one) {
    return `Emails[${textOf(one.email)}]${one.rest === undefined ? "" : `.${textOf(one.rest)}`}`;
  }
  const { path, op, value } = one;
  return `${path.toUpperCase()} ${op}${value === undefined ? "" : ` ${JSON.stringify(value)}`}`;
}

/** Returns all values at a path, through lists and objects. */
function reached(from: JsonValue | undefined, steps: readonly string[]): readonly JsonValue[] {
  if (from === undefined) return [];
  if (Array.isArray(from)) return from.flatMap((one: JsonValue) => reached(one, steps));
  const [step, ...rest] = steps;
  if (step === undefined) return [from];
  return typeof from === "object" && from !== null ? reached((from as JsonObject)[step], rest) : [];
}

function stepsOf(path: string): readonly string[] {
  if (path.startsWith("urn:")) return [enterprise, "department"];
  return path === "emails" ? ["emails", "value"] : path.split(".");
}

function holds(one: Condition, on: JsonObject): boolean {
  if ("all" in one) return !one.all.some((part) => !holds(part, on));
  if ("any" in one) return one.any.filter((part) => holds(part, on)).length > 0;
  if ("not" in one) return !holds(one.not, on);
  if ("email" in one) {
    const { email, rest } = one;
    const emails = (on["emails"] ?? []) as readonly JsonObject[];
    return emails.some((each) => holds(email, each) && (rest === undefined || holds(rest, each)));
  }
  const { path, op, value } = one;
  const found = reached(on, stepsOf(path));
  if (op === "pr" || value === null || value === undefined) {
    const isThere = path === "name" ? Object.keys(on["name"] ?? {}).length > 0 : found.length > 0;
    return op === "eq" ? !isThere : isThere;
  }
  const fold = (given: JsonValue) => {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return path === "externalId" ? text : text.toLowerCase();
  };
  const wanted = fold(value);
  const matching = (isMatch: (text: string) => boolean) => found.map(fold).filter(isMatch).length;
  switch (op) {
    case "eq":
      return matching((text) => text === wanted) > 0;
    case "ne":
      return matching((text) => text === wanted) === 0;
    case "co":
      return matching((text) => text.split(wanted).length > 1 || wanted === "") > 0;
    case "sw":
      return matching((text) => text.slice(0, wanted.length) === wanted) > 0;
    case "ew":
      return (
        matching(
          (text) =>
            text.slice(text.length - wanted.length) === wanted && text.length >= wanted.length,
        ) > 0
      );
    case "gt":
      return matching((text) => !(text <= wanted)) > 0;
    case "ge":
      return matching((text) => !(text < wanted)) > 0;
    case "lt":
      return matching((text) => !(text >= wanted)) > 0;
    default:
      return matching((text) => !(text > wanted)) > 0;
  }
}

test("a filter matches what its conditions say", () => {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(condition, fc.array(user, { maxLength: 5 }), (wanted, users) => {
      const text = textOf(wanted);
      fc.pre(text.length <= 4096);
      const matches = filterTest(parseFilter(text), filterPaths(userType));
      for (const one of users) {
        const expected = holds(wanted, one);
        seen.add(expected);
        expect([text, one, matches(one)]).toEqual([text, one, expected]);
      }
    }),
    propertyRuns(2),
  );
  expect(seen.size).toBe(2);
});
