// A static declaration in JavaScript compiles to the same model, or to the same errors, as in YAML.
import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import { compileFiles } from "./compile.ts";

/** A reference: in braces in YAML, in `${}` in JavaScript, and without either in lists of members. */
interface Reference {
  readonly reference: string;
}

/** SQL as its parts. */
interface Sql {
  readonly sqlParts: readonly (string | Reference)[];
}

type Value =
  | string
  | number
  | boolean
  | null
  | Sql
  | Reference
  | Named
  | readonly Value[]
  | Members;
interface Members {
  readonly [key: string]: Value;
}
/** Declarations with names: a list in YAML, an object or a list in JavaScript. */
interface Named {
  readonly named: readonly (readonly [string, Members])[];
  readonly isObject: boolean;
}

const names = ["ratio", "Label", "n2"] as const;
const characters = [
  "a",
  "{",
  "}",
  "\\",
  "`",
  "$",
  "'",
  '"',
  "(",
  ")",
  "é",
  "😀",
  "\n",
  "b ",
  "${",
  "{CUBE}",
  "-- ",
];
const text = fc
  .array(fc.constantFrom(...characters), { maxLength: 6 })
  // Two would be a template.
  .map((all) => all.join("").replace(/\{+/g, "{"));
/** Values of which few are invalid. */
const mostly = <T>(valid: fc.Arbitrary<T>, ...invalid: T[]) =>
  fc.oneof({ weight: 60, arbitrary: valid }, fc.constantFrom(...invalid));
const refer = (...paths: readonly string[]) =>
  fc.constantFrom(...paths.map((reference): Reference => ({ reference })));
const missing = { reference: "missing.id" };
const call = refer(
  "FILTER_PARAMS.orders.at.filter('sold_at')",
  "SECURITY_CONTEXT.tenant.requiredFilter('tenant')",
  "FILTER_GROUP(FILTER_PARAMS.orders.at.filter('a'),FILTER_PARAMS.orders.id.filter('b'))",
);
const plainText = mostly(
  fc.constantFrom(
    "amount",
    " + 1",
    " = 'x'",
    "COALESCE(1, 0)",
    " || '\\{'",
    "\\",
    " = ",
    " `é` ",
    "$",
    "{ ",
    "}",
  ),
  "(",
);
const sqlOf = (references: fc.Arbitrary<Reference>) =>
  fc
    .array(mostly<string | Reference>(fc.oneof(plainText, references, call), missing), {
      minLength: 1,
      maxLength: 4,
    })
    .map((sqlParts): Sql => ({ sqlParts }));
const rowSql = sqlOf(refer("CUBE", "CUBE.id", "id", "status", "amount", "at.month", "CUBE.at"));
const aggregateSql = sqlOf(refer("CUBE", "total", "CUBE.count", "amount"));
const calculatedSql = sqlOf(refer("total", "CUBE.count", "total"));

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const members = (fields: Readonly<Record<string, fc.Arbitrary<Value | undefined>>>) =>
  fc.record(fields).map((all) => {
    const declared = Object.entries(all).filter(([, value]) => value !== undefined);
    return Object.fromEntries(declared) as Members;
  });
/** Declarations, some with fixed names first. */
const named = (
  item: fc.Arbitrary<Members>,
  keys: readonly string[],
  fixed: readonly (readonly [string, Members])[] = [],
): fc.Arbitrary<Named> =>
  fc
    .record({
      named: fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), item), {
        selector: ([name]) => name,
        maxLength: 2,
      }),
      isObject: fc.boolean(),
    })
    .map((all) => ({ ...all, named: [...fixed, ...all.named] }));
const listed = (value: fc.Arbitrary<Value>, minLength = 0) =>
  fc.array(value, { minLength, maxLength: 2 });
const meta = fc
  .jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom(...characters) })
  .filter((value) => !/__proto__|\{\{/.test(JSON.stringify(value)))
  .map((value) => value as Value);
const described = {
  title: maybe(text),
  description: maybe(text),
  public: maybe(mostly<Value>(fc.boolean(), "yes")),
  meta: maybe(meta),
};
const dimensionPath = mostly<Value>(
  fc.oneof(
    refer("id", "CUBE.status", "orders.at"),
    fc.constantFrom("id", "CUBE.status", "orders.id"),
  ),
  missing,
);

const dimension = fc.oneof(
  members({
    ...described,
    type: mostly(fc.constantFrom("string", "number", "boolean"), "texts"),
    sql: rowSql,
    mask: maybe(fc.oneof(text, fc.integer(), fc.constant(null), members({ sql: rowSql }))),
  }),
  members({
    type: fc.constant("string"),
    case: members({
      when: listed(members({ sql: rowSql, label: fc.oneof(text, members({ sql: rowSql })) }), 1),
      else: maybe(members({ label: text })),
    }),
  }),
  members({
    type: fc.constant("time"),
    sql: rowSql,
    granularities: named(members({ interval: fc.constantFrom("1 year", "5 minutes", "7 years") }), [
      "fiscal",
      "short",
    ]),
  }),
  members({
    type: fc.constant("geo"),
    latitude: members({ sql: rowSql }),
    longitude: members({ sql: rowSql }),
  }),
);
const measure = fc.oneof(
  members({
    ...described,
    type: fc.constant("count"),
    drill_members: maybe(listed(dimensionPath)),
  }),
  members({
    type: fc.constantFrom("sum", "countDistinct"),
    sql: rowSql,
    filters: maybe(listed(members({ sql: rowSql }))),
    rolling_window: maybe(members({ trailing: fc.constantFrom("unbounded", "2 days") })),
  }),
  members({ type: fc.constant("number"), sql: fc.oneof(calculatedSql, aggregateSql) }),
);
const policy = members({
  group: fc.constantFrom("*", "sales"),
  member_level: maybe(
    members({ includes: fc.oneof(fc.constant("*"), listed(refer("id", "total"))) }),
  ),
  row_level: maybe(
    members({
      filters: listed(
        members({
          member: mostly<Value>(fc.oneof(refer("status"), fc.constant("id")), missing),
          operator: fc.constant("equals"),
          values: listed(
            fc.oneof(
              fc.constantFrom("a", "'", "$"),
              fc.integer(),
              fc.constant("{userAttributes.city}"),
            ),
            1,
          ),
        }),
        1,
      ),
    }),
  ),
});
const base = (name: string, type: string, more: Members = {}) =>
  [name, { sql: { sqlParts: [name] }, type, ...more }] as const;
const cube = (other: string) =>
  members({
    ...described,
    sql_table: mostly<Value | undefined>(fc.constantFrom("public.orders", "`{é}`"), undefined),
    dimensions: named(dimension, names, [
      base("id", "number", { primary_key: true }),
      base("status", "string"),
      base("amount", "number"),
      base("at", "time"),
    ]),
    measures: named(
      measure,
      names.map((name) => `${name}_value`),
      [["count", { type: "count" }], base("total", "sum")],
    ),
    segments: maybe(named(members({ sql: rowSql }), ["open", "late"])),
    joins: maybe(
      named(
        members({
          relationship: fc.constantFrom("belongsTo", "one_to_many"),
          sql: sqlOf(refer("CUBE", other, `${other}.id`, "CUBE.id")),
        }),
        [other],
      ),
    ),
    hierarchies: maybe(
      named(members({ levels: listed(refer("id", "CUBE.status"), 1) }), ["places"]),
    ),
    pre_aggregations: maybe(
      named(
        members({
          measures: listed(refer("count", "CUBE.total")),
          time_dimension: fc.oneof(refer("CUBE.at"), fc.constant("at")),
          granularity: fc.constant("day"),
        }),
        ["main"],
      ),
    ),
    access_policy: maybe(listed(policy)),
  });
const view = members({
  ...described,
  cubes: listed(
    members({
      join_path: mostly<Value>(fc.oneof(refer("orders"), fc.constant("orders")), missing),
      includes: fc.oneof(fc.constant("*"), listed(fc.oneof(refer("id"), fc.constant("total")))),
      prefix: maybe(fc.boolean()),
    }),
    1,
  ),
});
const listedView = mostly<Value>(fc.oneof(refer("all_orders"), fc.constant("all_orders")), missing);
const nestedGroup = members({
  name: mostly<Value>(fc.constantFrom("inner", "other"), "events"),
  description: maybe(text),
  includes: listed(listedView),
});
const viewGroup = members({
  title: maybe(text),
  includes: maybe(listed(fc.oneof(listedView, nestedGroup))),
  views: mostly<Value | undefined>(fc.constant(undefined), ["all_orders"]),
});
const model = fc.record({
  cubes: fc.tuple(cube("items"), cube("orders")).map(
    ([orders, items]) =>
      [
        ["orders", orders],
        ["items", items],
      ] as const,
  ),
  views: fc
    .option(fc.tuple(view, viewGroup))
    .map((both): Readonly<Record<"views" | "groups", readonly (readonly [string, Members])[]>> => {
      if (both === null) return { views: [], groups: [] };
      return { views: [["all_orders", both[0]]], groups: [["events", both[1]]] };
    }),
  style: fc.record({ isCamel: fc.boolean(), isTemplate: fc.boolean() }),
});

const isSql = (value: object): value is Sql => "sqlParts" in value;
const isReference = (value: object): value is Reference => "reference" in value;
const isNamed = (value: object): value is Named => "named" in value;

/** Returns a value as YAML has it. */
function yamlValue(value: Value, isMeta = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Value) => yamlValue(one, isMeta));
  if (!isMeta && isSql(value)) {
    const parts = value.sqlParts.map((part) =>
      typeof part === "string" ? part.replace(/[{}]/g, "\\$&") : `{${part.reference}}`,
    );
    return parts.join("");
  }
  if (!isMeta && isReference(value)) return value.reference;
  if (!isMeta && isNamed(value))
    return value.named.map(([name, one]) => ({ name, ...(yamlValue(one) as object) }));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      yamlValue(one as Value, isMeta || key === "meta"),
    ]),
  );
}

interface Style {
  readonly isCamel: boolean;
  readonly isTemplate: boolean;
}

/** Prints a value as JavaScript. */
function script(value: Value, style: Style, isMeta = false): string {
  if (typeof value === "string")
    return style.isTemplate ? `\`${templateText(value)}\`` : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value))
    return `[${value.map((one: Value) => script(one, style, isMeta)).join(", ")}]`;
  if (!isMeta && isSql(value)) {
    const parts = value.sqlParts.map((part) =>
      typeof part === "string" ? templateText(part) : `\${${part.reference}}`,
    );
    return `\`${parts.join("")}\``;
  }
  if (!isMeta && isReference(value)) return value.reference;
  if (!isMeta && isNamed(value)) {
    if (value.isObject)
      return `{ ${value.named.map(([name, one]) => `${name}: ${script(one, style)}`).join(", ")} }`;
    return script(
      value.named.map(([name, one]) => ({ name, ...one })),
      style,
    );
  }
  const printed = Object.entries(value).map(([key, one]) => {
    const name =
      isMeta || !style.isCamel
        ? key
        : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return `${JSON.stringify(name)}: ${script(one as Value, style, isMeta || key === "meta")}`;
  });
  return `{ ${printed.join(",\n  ")} }`;
}

function templateText(value: string): string {
  return value.replace(/[\\`]|\$(?=\{|$)/g, "\\$&");
}

test("both spellings compile to the same model, or have the same errors", async () => {
  let valid = 0;
  await assertProperty(
    fc.asyncProperty(model, async ({ cubes, views: { views, groups }, style }) => {
      const listOf = (all: readonly (readonly [string, Members])[]) =>
        all.map(([name, one]) => ({ name, ...(yamlValue(one) as object) }));
      const yaml = JSON.stringify({
        cubes: listOf(cubes),
        views: listOf(views),
        view_groups: listOf(groups),
      });
      const calls = [
        ...cubes.map(([name, one]) => `cube(\`${name}\`, ${script(one, style)});`),
        ...views.map(([name, one]) => `view("${name}", ${script(one, style)});`),
        ...groups.map(([name, one]) => `view_group("${name}", ${script(one, style)});`),
      ];
      const compiled = async (file: string, content: string) => {
        const {
          model: made,
          errors,
          warnings,
        } = await compileFiles([{ path: `model/${file}`, content }]);
        if (made !== undefined) valid++;
        const messages = [...errors, ...warnings]
          .map(({ message }) => message.replace("number -", "number "))
          .toSorted();
        return JSON.stringify({ made, messages }, null, 1).replaceAll(
          `model/${file}`,
          "model/FILE",
        );
      };
      expect(await compiled("a.js", calls.join("\n"))).toBe(await compiled("a.yml", yaml));
    }),
    propertyRuns(),
  );
  expect(valid).toBeGreaterThan(10);
});
