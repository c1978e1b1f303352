// Generated joins between three cubes, two of which reach the third: a query is refused, or answers what pairing the rows by hand does.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import {
  anyone,
  answer,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

const threads = [
  { id: 1, author: 1, editor: 2, region: 1 },
  { id: 2, author: 2, editor: 1, region: 2 },
  { id: 3, author: 1, editor: 2, region: 2 },
];
const replies = [
  { id: 10, thread: 1, other: 2, author: 1, n: 100 },
  { id: 11, thread: 2, other: 1, author: 1, n: 7 },
  { id: 12, thread: 1, other: 3, author: 2, n: 50 },
  { id: 13, thread: 3, other: 1, author: 2, n: 3 },
  { id: 14, thread: 3, other: 2, author: 1, n: 11 },
];
const rates = [0, 10, 20];
const table = (name: string, rows: readonly object[]) =>
  `CREATE TABLE ${name} AS SELECT * FROM (VALUES ${rows.map((row) => `(${Object.values(row).join()})`).join()}) AS t(${Object.keys(rows[0] ?? {}).join()})`;
const database = useQueryDatabase([
  table("threads", threads),
  table("replies", replies),
  table(
    "people",
    [1, 2].map((id) => ({ id, rate: rates[id] })),
  ),
]);

const column = (name: string) => ({
  name,
  sql: name,
  type: "number",
  public: true,
  primary_key: name === "id",
});
const join = (name: string, sql: string | undefined, relationship = "one_to_many") =>
  sql === undefined ? [] : [{ name, relationship, sql }];
const author = join("people", "{CUBE}.author = {people}.id", "many_to_one");
const view = (name: string, path: string, most?: string) => ({
  name,
  cubes: [path, `${path}.replies`].map((one) => ({ join_path: one, prefix: true, includes: "*" })),
  ...(most !== undefined && {
    access_policy: [
      {
        group: "*",
        row_level: { filters: [{ member: "threads_region", operator: "gte", values: [most] }] },
      },
    ],
  }),
});

/** Joins that the model can have beside those of the author and from a thread to its replies. */
const joins = {
  repliesToThreads: [
    undefined,
    "{CUBE}.thread = {threads}.id",
    "{threads.id} = {CUBE}.thread",
    "{CUBE}.other = {threads}.id",
  ],
  peopleToThreads: [undefined, "{threads}.author = {CUBE.id}", "{CUBE}.id = {threads}.editor"],
  peopleToReplies: [undefined, "{CUBE}.id = {replies}.author", "{CUBE}.id = {replies}.other"],
};
const anyJoins = fc.record({
  repliesToThreads: fc.constantFrom(...joins.repliesToThreads),
  peopleToThreads: fc.constantFrom(...joins.peopleToThreads),
  peopleToReplies: fc.constantFrom(...joins.peopleToReplies),
});
type Joins = typeof anyJoins extends fc.Arbitrary<infer T> ? T : never;

const modelOf = ({ repliesToThreads, peopleToThreads, peopleToReplies }: Joins) =>
  validModel(
    JSON.stringify({
      cubes: [
        {
          name: "threads",
          sql_table: "threads",
          joins: [...author, ...join("replies", "{CUBE}.id = {replies}.thread")],
          dimensions: [column("id"), column("region")],
          measures: [{ name: "cost", type: "sum", sql: "{people.rate}" }],
        },
        {
          name: "replies",
          sql_table: "replies",
          joins: [...author, ...join("threads", repliesToThreads, "many_to_one")],
          dimensions: [column("id")],
          measures: [
            { name: "total", type: "sum", sql: "{CUBE}.n" },
            { name: "cost", type: "sum", sql: "{CUBE}.n * {people.rate}" },
          ],
        },
        {
          name: "people",
          sql_table: "people",
          joins: [...join("threads", peopleToThreads), ...join("replies", peopleToReplies)],
          dimensions: [column("id"), column("rate")],
        },
      ],
      views: [
        view("open", "threads"),
        view("all", "threads", "0"),
        view("some", "threads", "2"),
        ...(peopleToThreads === undefined
          ? []
          : [view("open_people", "people.threads"), view("all_people", "people.threads", "0")]),
      ],
    }),
  );

const dimensions = ["threads.id", "replies.id"];
const measures = ["threads.cost", "replies.total", "replies.cost"];
const anyQuery = fc.record({
  members: fc
    .uniqueArray(fc.constantFrom(...dimensions, ...measures), { minLength: 1 })
    .map((all) =>
      all.toSorted((a, b) => Number(measures.includes(a)) - Number(measures.includes(b))),
    ),
  subject: fc.constantFrom("cubes", "open", "all", "some", "open_people", "all_people"),
});

type Pair = readonly [(typeof threads)[number], (typeof replies)[number] | undefined];
const sum = <Row>(rows: Iterable<Row>, value: (row: Row) => number) =>
  [...new Set(rows)].reduce((total, row) => total + value(row), 0);
const valueOf: Readonly<Record<string, (pairs: readonly Pair[]) => number | undefined>> = {
  "threads.id": ([first]) => first?.[0].id,
  "replies.id": ([first]) => first?.[1]?.id,
  "threads.cost": (pairs) =>
    sum(
      pairs.map(([one]) => one),
      (one) => rates[one.author] ?? 0,
    ),
  "replies.total": (pairs) =>
    sum(
      pairs.flatMap(([, one]) => one ?? []),
      ({ n }) => n,
    ),
  "replies.cost": (pairs) =>
    sum(
      pairs.flatMap(([, one]) => one ?? []),
      (one) => one.n * (rates[one.author] ?? 0),
    ),
};

function expected(members: readonly string[], subject: string) {
  const hasReplies = members.some((one) => one.startsWith("replies"));
  const pairs = threads
    .filter(({ region }) => subject !== "some" || region === 2)
    .flatMap((thread): readonly Pair[] =>
      hasReplies
        ? replies.filter((one) => one.thread === thread.id).map((one) => [thread, one])
        : [[thread, undefined]],
    );
  const groups = Object.groupBy(pairs, (pair) =>
    dimensions.flatMap((one) => (members.includes(one) ? valueOf[one]?.([pair]) : [])).join(),
  );
  return Object.values(groups).map((group = []) => members.map((one) => valueOf[one]?.(group)));
}

test(
  "cubes that are reached by two ways have the pairs that the model declares",
  { timeout: 600_000 },
  async () => {
    await assertProperty(
      fc.asyncProperty(anyJoins, anyQuery, async (declared, { members, subject }) => {
        const isOverPeople = subject.endsWith("people");
        fc.pre(!isOverPeople || declared.peopleToThreads !== undefined);
        // Without a view, the first member decides which of two joins pairs the rows.
        fc.pre(subject !== "cubes" || declared.repliesToThreads !== joins.repliesToThreads.at(-1));
        const named = members.map((one) =>
          subject === "cubes" ? one : `${subject}.${one.replace(".", "_")}`,
        );
        const isMeasure = (index: number) => measures.includes(members[index] ?? "");
        const query = {
          dimensions: named.filter((_, index) => !isMeasure(index)),
          measures: named.filter((_, index) => isMeasure(index)),
        };
        // Both need the author of their own row.
        const needsTwo = ["threads.cost", "replies.cost"].every((one) => members.includes(one));
        const model = modelOf(declared);
        let planned;
        try {
          planned = plan(model, query, anyone);
        } catch (error) {
          expect(String(error)).toContain("is ambiguous");
          expect(error instanceof Failure && (needsTwo || isOverPeople)).toBe(true);
          return;
        }
        const rows = await answer(database(), planned);
        const found = rows.map((row) => named.map((one) => Number(row[one])));
        const sorted = (list: readonly unknown[]) =>
          list.map((one) => JSON.stringify(one)).toSorted();
        expect(sorted(found)).toEqual(sorted(expected(members, subject)));
      }),
      propertyRuns(2),
    );
  },
);
