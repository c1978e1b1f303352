// Generated models, queries and access policies: the planned SQL returns the same results as a naive evaluator over the
// rows.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import {
  type Cell,
  comparable,
  fillTables,
  type Joined,
  joinRows,
  matches,
  type Row,
} from "../../test/support/naive-query.ts";
import {
  answer,
  anyone,
  plan,
  type ResultRow,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { JsonObject } from "../../core/json.ts";
import type { QueryCaller } from "./access.ts";

type Tables = Readonly<Record<string, readonly Row[]>>;

/** A line of cubes: a region has customers, a customer orders, an order items. */
const cubes = ["regions", "customers", "orders", "items"] as const;
type Cube = (typeof cubes)[number];
const parentOf: Partial<Record<Cube, Cube>> = {
  customers: "regions",
  orders: "customers",
  items: "orders",
};

const childOf: Partial<Record<Cube, Cube>> = {
  regions: "customers",
  customers: "orders",
  orders: "items",
};

/** The sides that declare the join of each parent and child. */
type Directions = Readonly<Partial<Record<Cube, "up" | "down" | "both">>>;

interface Policy {
  readonly group: string;
  readonly member: string;
  readonly operator: string;
  readonly values: readonly Cell[] | "attribute";
}

interface Case {
  readonly tables: Tables;
  readonly directions: Directions;
  readonly policies: Readonly<Partial<Record<Cube, readonly Policy[]>>>;
  readonly caller: QueryCaller;
  /** Whether the query is asked of a view, whose row filter opens all rows. */
  readonly isOfView: boolean;
  readonly query: {
    readonly measures: readonly string[];
    readonly dimensions: readonly string[];
    readonly filter: { member: string; operator: string; values: readonly Cell[] } | undefined;
    readonly having: { member: string; value: number } | undefined;
  };
}

const kinds = ["x", "y", "Y", "Z%", null] as const;
const amount = fc.option(fc.integer({ min: -5, max: 20 }), { freq: 6 });
const table = (parents: readonly number[]) =>
  fc
    .array(
      fc.record({
        parent: fc.constantFrom(...parents, ...parents, null),
        kind: fc.constantFrom(...kinds),
        amount,
      }),
      { minLength: 2, maxLength: 6 },
    )
    .map((rows) => rows.map((row, index): Row => ({ id: index + 1, ...row })));

const ids = [1, 2];
const tables: fc.Arbitrary<Tables> = fc.record({
  regions: table(ids),
  customers: table(ids),
  orders: table(ids),
  items: table(ids),
});

/** The values of the switch `orders.mode`, which each joined row has. */
const modes = ["sum", "count", "none"] as const;
type ModalRow = Joined<Cube> & { readonly mode?: string };

const direction = fc.constantFrom("both", "both", "up", "down");
const measureNames = ["count", "total", "average", "least", "kinds", "some", "ratio"] as const;
/** Measures over the rows of the child, whose cube may declare the join, and over columns of the parent. */
const joinedNames = ["below", "above", "beside"] as const;
const measure = fc
  .tuple(fc.constantFrom(...cubes), fc.constantFrom(...measureNames, ...joinedNames))
  .filter(
    ([cube, name]) =>
      !joinedNames.some((one) => one === name) ||
      (name === "below" ? cube !== "items" : cube !== "regions"),
  )
  .map(([cube, name]) => `${cube}.${name}`);
/** Measures over groups that are wider than those of the query. */
const wider = ["orders.whole", "orders.of_kind"] as const;
const someMeasure = fc.oneof(
  { weight: 8, arbitrary: measure },
  fc.constantFrom("orders.chosen", "orders.scaled", "orders.unfiltered", "orders.included"),
  { weight: 3, arbitrary: fc.constantFrom(...wider) },
);
const dimension = fc
  .tuple(fc.constantFrom(...cubes), fc.constantFrom("kind", "kind", "amount", "spent"))
  .filter(([cube, name]) => name !== "spent" || cube !== "items")
  .map(([cube, name]) => `${cube}.${name}`);
const someDimension = fc.oneof(
  { weight: 6, arbitrary: dimension },
  { weight: 2, arbitrary: fc.constantFrom("orders.mode", "orders.mode_name") },
);
const condition = {
  operator: fc.constantFrom("equals", "notEquals", "in", "notIn", "contains", "notContains"),
  values: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 }),
};
/** Values of row filters are not null. */
const policyValues = fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 2 });
const policy = fc.record({
  group: fc.constantFrom("a", "b", "*"),
  member: fc.constantFrom("own", "parent"),
  operator: condition.operator,
  values: fc.oneof(policyValues, fc.constant("attribute" as const)),
});
const policies = fc.array(policy, { maxLength: 2 });
const caller = fc
  .record({
    groups: fc.subarray(["a", "b"]),
    kind: fc.option(fc.oneof(fc.constantFrom("x", "y"), fc.subarray(["x", "y"])), {
      nil: undefined,
    }),
  })
  .map(({ groups, kind }): QueryCaller => ({
    ...anyone,
    groups,
    userAttributes: kind === undefined ? {} : { kind },
  }));

const anyCase: fc.Arbitrary<Case> = fc.record({
  tables,
  directions: fc.record({ customers: direction, orders: direction, items: direction }),
  policies: fc.record({ customers: policies, orders: policies }, { requiredKeys: [] }),
  caller,
  isOfView: fc.boolean(),
  query: fc.record({
    measures: fc.uniqueArray(someMeasure, { minLength: 1, maxLength: 3 }),
    dimensions: fc.uniqueArray(someDimension, { maxLength: 2 }),
    filter: fc.option(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            member: fc.constantFrom(...cubes).map((cube) => `${cube}.kind`),
            ...condition,
          }),
        },
        fc.record({
          member: fc.constantFrom("orders.mode", "orders.mode_name"),
          operator: condition.operator,
          values: fc.subarray([...modes, "other"], { minLength: 1 }),
        }),
      ),
      { nil: undefined },
    ),
    having: fc.option(fc.record({ member: someMeasure, value: fc.integer({ min: -5, max: 10 }) }), {
      nil: undefined,
      freq: 4,
    }),
  }),
});

/** A subquery with filters would join the cube of the row filter of the view, too. */
const someCase = anyCase.map((on) => ({
  ...on,
  isOfView: on.isOfView && !on.query.dimensions.some((name) => name.endsWith(".spent")),
}));

/** The name of a member, as the query has it. */
const nameIn =
  ({ isOfView }: Case) =>
  (name: string) =>
    isOfView ? `line.${name.replace(".", "_")}` : name;

/** Returns a view of all cubes. Its row filter is about the cube of the first measure. */
function viewOf({ query: { measures } }: Case) {
  const member = `${measures[0]?.split(".")[0]}_kind`;
  const filters = [
    {
      or: [
        { member, operator: "set" },
        { member, operator: "notSet" },
      ],
    },
  ];
  return {
    name: "line",
    cubes: cubes.map((name) => ({ join_path: name, includes: "*", prefix: true })),
    access_policy: [{ group: "*", row_level: { filters } }],
  };
}

const switchDimensions = [
  { name: "mode", type: "switch", values: [...modes] },
  {
    name: "mode_name",
    type: "string",
    case: {
      switch: "{mode}",
      when: [{ value: "sum", sql: "'sum'" }],
      else: { sql: "'other'" },
    },
  },
];
const choice = {
  switch: "{mode}",
  when: [
    { value: "sum", sql: "{total}" },
    { value: "count", sql: "2 * {count}" },
  ],
};
const stageMeasures = [
  {
    name: "unfiltered",
    multi_stage: true,
    type: "number",
    sql: "{total}",
    filter: { exclude: ["kind", "mode"] },
  },
  {
    name: "included",
    multi_stage: true,
    type: "number",
    sql: "{total}",
    filter: { include: [{ member: "kind", operator: "equals", values: ["x"] }] },
  },
  { name: "whole", multi_stage: true, type: "sum", sql: "{total}", group_by: [] },
  { name: "of_kind", multi_stage: true, type: "sum", sql: "{total}", group_by: ["kind"] },
  { name: "chosen", multi_stage: true, type: "sum", case: choice },
  { name: "scaled", multi_stage: true, type: "number", case: choice },
];

function modelOf(on: Case): string {
  const { directions, policies: all, isOfView } = on;
  const cube = (name: Cube) => {
    const joins = cubes.flatMap((child) => {
      const parent = parentOf[child];
      const joinSide = directions[child];
      if (parent === undefined) return [];
      if (child === name && joinSide !== "down") {
        return [
          { name: parent, relationship: "many_to_one", sql: `{CUBE}.parent = {${parent}.id}` },
        ];
      }
      if (parent === name && joinSide !== "up") {
        return [{ name: child, relationship: "one_to_many", sql: `{CUBE}.id = {${child}}.parent` }];
      }
      return [];
    });
    return {
      name,
      sql_table: name,
      joins,
      dimensions: [
        { name: "id", sql: "id", type: "number", primary_key: true },
        { name: "kind", sql: "kind", type: "string" },
        { name: "amount", sql: "amount", type: "number" },
        ...(name === "orders" ? switchDimensions : []),
        ...(childOf[name]
          ? [
              {
                name: "spent",
                sql: `{${childOf[name]}.total}`,
                type: "number",
                sub_query: true,
                propagate_filters_to_sub_query: true,
              },
            ]
          : []),
      ],
      measures: [
        { name: "count", type: "count" },
        { name: "total", type: "sum", sql: "amount" },
        { name: "average", type: "avg", sql: "amount" },
        { name: "least", type: "min", sql: "amount" },
        { name: "kinds", type: "count_distinct", sql: "kind" },
        { name: "some", type: "sum", sql: "amount", filters: [{ sql: "{kind} = 'x'" }] },
        { name: "ratio", type: "number", sql: "1.0 * {total} / NULLIF({count}, 0)" },
        ...(name === "orders" ? stageMeasures : []),
        ...(childOf[name]
          ? [{ name: "below", type: "number", sql: `{${childOf[name]}.total}` }]
          : []),
        ...(parentOf[name]
          ? [
              { name: "above", type: "sum", sql: `{${parentOf[name]}}.amount` },
              {
                name: "beside",
                type: "number",
                sql: `{${parentOf[name]}.total} + sum({CUBE}.amount)`,
              },
            ]
          : []),
      ],
      ...(all[name] && { access_policy: all[name].map((one) => policyOf(name, one)) }),
    };
  };
  return JSON.stringify({ cubes: cubes.map(cube), views: isOfView ? [viewOf(on)] : [] });
}

function policyOf(name: Cube, { group, member, operator, values }: Policy): JsonObject {
  return {
    group,
    row_level: {
      filters: [
        {
          member: member === "own" ? "kind" : `${parentOf[name] ?? name}.kind`,
          operator,
          values: values === "attribute" ? ["{userAttributes.kind}"] : [...values],
        },
      ],
    },
  };
}

/** Returns the rows of a cube that the caller may read. */
function visibleRows(name: Cube, { tables: all, policies: every, caller: who }: Case) {
  const rows = all[name] ?? [];
  const own = every[name]?.filter(({ group }) => group === "*" || who.groups.includes(group));
  if (own === undefined) return rows;
  return rows.filter((row) =>
    own.some(({ member, operator, values }) => {
      const parent = (all[parentOf[name] ?? name] ?? []).find(({ id }) => id === row.parent);
      const value = (member === "own" ? row : parent)?.kind ?? null;
      if (values !== "attribute") return matches(value, operator, values);
      const attribute = who.userAttributes.kind;
      const list = (Array.isArray(attribute) ? attribute : [attribute]) as Cell[];
      return attribute !== undefined && list.length > 0 && matches(value, operator, list);
    }),
  );
}

/** Computes a measure over the distinct rows of its cube in the group. */
function measureValue(name: string, group: readonly ModalRow[]): number | null {
  const [cube = "", member] = name.split(".");
  const rows = [...new Set(group.map((row) => row[cube as Cube]))].filter(
    (row) => row !== undefined,
  );
  const numbers = (some: readonly Row[]) =>
    some.map((row) => row.amount).filter((value) => typeof value === "number");
  const sum = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  const total = sum(numbers(rows));
  switch (member) {
    case "count":
      return rows.length;
    case "total":
      return total;
    case "average":
      return total === null ? null : total / numbers(rows).length;
    case "least":
      return total === null ? null : Math.min(...numbers(rows));
    case "kinds":
      return new Set(rows.map(({ kind }) => kind).filter((kind) => kind !== null)).size;
    case "some":
      return sum(numbers(rows.filter(({ kind }) => kind === "x")));
    // One of them is refused unless its groups have one mode.
    case "chosen":
    case "scaled":
      return sum(
        [...new Set(group.map(({ mode }) => mode))]
          .filter((mode) => mode !== undefined)
          .map((mode) => {
            const own = group.filter((row) => row.mode === mode);
            if (mode === "sum") return measureValue(`${cube}.total`, own);
            return mode === "count" ? 2 * (measureValue(`${cube}.count`, own) ?? 0) : null;
          })
          .filter((one) => one !== null),
      );
    case "unfiltered":
      return total;
    case "included":
      return sum(numbers(rows.filter(({ kind }) => kind === "x")));
    case "below":
      return measureValue(`${childOf[cube as Cube] ?? ""}.total`, group);
    case "above": {
      const parents = new Map(
        group.map((row) => [row[cube as Cube], row[parentOf[cube as Cube] ?? "regions"]]),
      );
      const above = rows.map((row) => parents.get(row)).filter((row) => row !== undefined);
      return sum(numbers(above));
    }
    case "beside": {
      const above = measureValue(`${parentOf[cube as Cube] ?? ""}.total`, group);
      return above === null || total === null ? null : above + total;
    }
    default:
      return total === null || rows.length === 0 ? null : total / rows.length;
  }
}

/** Returns the cubes that a subquery reads: from the first of the named ones from which joins lead to all. */
function subQueryCubes(cube: Cube, { directions, query: { filter } }: Case): readonly Cube[] {
  const child = childOf[cube] ?? cube;
  const isOfRows = filter?.member.includes("mode") === false;
  const filtered = isOfRows ? [filter.member.split(".")[0] as Cube] : [];
  const named = [cube, child, ...filtered].map((one) => cubes.indexOf(one));
  const line = cubes.slice(Math.min(...named), Math.max(...named) + 1);
  const leads = (from: number, to: number) =>
    cubes.every((one, index) => {
      if (index <= Math.min(from, to) || index > Math.max(from, to)) return true;
      return directions[one] !== (from < to ? "up" : "down");
    });
  const root = named.find((one) => line.every((other) => leads(one, cubes.indexOf(other)))) ?? 0;
  return [cubes[root] ?? cube, ...line];
}

function naiveAnswer(on: Case, used: readonly string[]): readonly ResultRow[] {
  const { measures, dimensions, filter, having } = on.query;
  const line = { cubes, parentOf, rowsOf: (cube: Cube) => visibleRows(cube, on) };
  const value = (row: ModalRow, name: string): Cell => {
    const [cube = "", member = ""] = name.split(".");
    if (member === "mode") return row.mode ?? null;
    if (member === "mode_name") return row.mode === "sum" ? "sum" : "other";
    const own = row[cube as Cube];
    if (member !== "spent" || own === undefined) return own?.[member] ?? null;
    const [root = "items", ...inner] = subQueryCubes(cube as Cube, on);
    const rows = joinRows(line, root, new Set(inner)).filter(
      (one) =>
        one[cube as Cube] === own &&
        // A subquery has no modes to filter.
        (filter?.member.includes("mode") !== false ||
          matches(value(one, filter.member), filter.operator, filter.values)),
    );
    return measureValue(`${childOf[cube as Cube] ?? ""}.total`, rows);
  };
  const rows = joinRows(line, used[0] as Cube, new Set(used)).flatMap((row) =>
    modes.map((mode): ModalRow => ({ ...row, mode })),
  );
  const groupsOf = (some: readonly ModalRow[]) => {
    const groups = new Map<string, ModalRow[]>(dimensions.length === 0 ? [["[]", []]] : []);
    for (const row of some) {
      const key = JSON.stringify(dimensions.map((name) => value(row, name)));
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return groups;
  };
  const groups = groupsOf(
    rows.filter(
      (row) => !filter || matches(value(row, filter.member), filter.operator, filter.values),
    ),
  );
  const isExcluded = ["orders.kind", "orders.mode"].includes(filter?.member ?? "");
  const unfiltered = isExcluded ? groupsOf(rows) : groups;
  const all = [...measures, ...(having ? [having.member] : [])];
  // A measure that only sees some rows has only their groups.
  const isPartial = dimensions.length > 0 && all.every((name) => name === "orders.included");
  const measured = (name: string, key: string) => {
    if (!wider.some((one) => one === name))
      return measureValue(
        name,
        (name === "orders.unfiltered" ? unfiltered : groups).get(key) ?? [],
      );
    // The groups of other modes have the same rows again.
    const kept = [
      "orders.mode",
      "orders.mode_name",
      ...(name === "orders.of_kind" ? ["orders.kind"] : []),
    ];
    const cells = JSON.parse(key) as Cell[];
    const totals = [...groups]
      .filter(([other]) => {
        const others = JSON.parse(other) as Cell[];
        return dimensions.every((one, at) => !kept.includes(one) || others[at] === cells[at]);
      })
      .map(([, group]) => measureValue("orders.total", group))
      .filter((total) => total !== null);
    return totals.length === 0 ? null : totals.reduce((a, b) => a + b);
  };
  return [...groups]
    .filter(([key, group]) => {
      if (isPartial && !group.some(({ orders }) => orders?.kind === "x")) return false;
      const number = having && measured(having.member, key);
      return !having || (typeof number === "number" && number > having.value);
    })
    .map(([key]) => {
      const cells = JSON.parse(key) as Cell[];
      return Object.fromEntries([
        ...dimensions.map((name, index) => [name, cells[index]]),
        ...measures.map((name) => [name, measured(name, key)]),
      ]);
    });
}

const columns = { id: "INTEGER", parent: "INTEGER", kind: "VARCHAR", amount: "INTEGER" };
const database = useQueryDatabase([]);

const runs = propertyRuns(0.4);

describe("planned queries", () => {
  test(
    "return what a naive evaluator returns, and never a row that a policy hides",
    { timeout: 600_000 },
    async () => {
      let answered = 0;
      await assertProperty(
        fc.asyncProperty(someCase, async (on) => {
          const { measures, dimensions, filter, having } = on.query;
          const asked = nameIn(on);
          const filters = [
            ...(filter
              ? [{ ...filter, member: asked(filter.member), values: [...filter.values] }]
              : []),
            ...(having
              ? [{ member: asked(having.member), operator: "gt", values: [having.value] }]
              : []),
          ];
          const query = {
            measures: measures.map(asked),
            dimensions: dimensions.map(asked),
            filters,
            limit: 5000,
          };
          const planned = attempt(() => plan(validModel(modelOf(on)), query, on.caller));
          // Joins lead in one direction only, and a row filter reads a cube with at most one row for each row.
          if (planned instanceof Failure) {
            expect(planned.message).toMatch(
              /^Can't find join path|^You requested hidden member|^orders.(?:scaled|whole|of_kind) has a value for each orders.mode|^the SQL of \w+.beside aggregate 0 is an aggregate, and joins repeat|^\w+.spent follows the filters of the query/,
            );
          }
          // Replaces a refused query with another random one, so that chance does not decide how many are answered.
          fc.pre(!(planned instanceof Failure));
          answered++;
          await fillTables(database(), on.tables, columns);
          const found = await answer(database(), planned);
          const expected = naiveAnswer(on, planned.cubes).map((row) =>
            Object.fromEntries(Object.entries(row).map(([name, value]) => [asked(name), value])),
          );
          expect(comparable(found)).toEqual(comparable(expected));
        }),
        runs,
      );
      expect(answered).toBeGreaterThan(runs.numRuns / 4);
    },
  );
});

function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
