// Links of dimensions: addresses that queries read beside the dimension, and that follow its access policies.
import { describe, expect, test } from "vitest";
import { errorsOf } from "../../test/support/model-errors.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { isFailure } from "../../core/errors.ts";
import type { QueryCaller } from "./access.ts";
import { describeModel } from "./meta.ts";

const database = useQueryDatabase([
  "CREATE TABLE people (id INTEGER, name VARCHAR(80), email VARCHAR(80), city VARCHAR(20))",
  `INSERT INTO people VALUES (1, 'Ann & Co', 'ann@x.example', 'Rome'), (2, 'Bo%20', NULL, 'Oslo'), (3, 'C+d=#?"é''', 'c@x.example', 'Oslo')`,
]);

const links = `[ { name: search, label: Search, url: "'https://x.example/?q=' || {CUBE}.id", icon: brand-google, target: self }, { name: mail, label: Write, url: "'mailto:' || {email}" }, { name: board, label: Board, dashboard: people-board, params: [{ key: staff.name, value: "{name}" }, { key: staff.id, value: "{id}" }] }, { name: more, label: More, url: "'https://x.example/a'", params: [{ key: n, value: "{name}" }] }, { name: yet, label: Yet, url: "'https://x.example/a?b=c'", params: [{ key: n, value: id }] }]`;

const model = validModel(`
cubes:
  - name: people
    sql_table: people
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: name, sql: name, type: string, links: ${links} }
      - { name: email, sql: email, type: string, public: false, links: [{ name: l, label: L, url: x }] }
      - { name: city, sql: city, type: string }
    measures: [{ name: count, type: count }]
    access_policy:
      - { group: hr }
      - { group: oslo, row_level: { filters: [{ member: city, operator: equals, values: [Oslo] }] } }
      - { group: "*", member_level: { includes: [city, count] }, member_masking: { includes: [name] } }
  - name: heirs
    extends: people
    dimensions: [{ name: name, sql: name, type: string }]
views:
  - name: staff
    cubes: [{ join_path: people, includes: [count, city, { name: name, alias: person, title: Who }], prefix: true }]
    access_policy:
      - { group: hr, member_level: { includes: [people_person] } }
      - { group: "*", member_level: { excludes: [people_person] } }
  - name: rest
    cubes: [{ join_path: people, includes: "*", excludes: [name] }]
`);
const hr: QueryCaller = { ...anyone, groups: ["hr"] };
const address = (link: string) => `people.name___link_${link}_url`;
const read = async (query: object, caller = hr) =>
  answer(database(), plan(model, { order: { "people.id": "asc" }, ...query }, caller));

describe("addresses", () => {
  test("are values of SQL; without a value there is none", async () => {
    const rows = await read({
      dimensions: ["people.name", "people.id", address("search"), address("mail")],
    });
    expect(rows.map((row) => [row[address("search")], row[address("mail")]])).toEqual([
      ["https://x.example/?q=1", "mailto:ann@x.example"],
      ["https://x.example/?q=2", null],
      ["https://x.example/?q=3", "mailto:c@x.example"],
    ]);
  });

  test("have parameters that a reader of addresses gets back", async () => {
    const all = ["board", "more", "yet"].map(address);
    const rows = await read({ dimensions: ["people.name", "people.id", ...all] });
    for (const row of rows) {
      const [board, more, yet] = all.map(
        (name) => new URL(String(row[name]), "https://svc.example"),
      );
      expect(board?.pathname).toBe("/dashboard/people-board");
      expect([...(board?.searchParams ?? [])]).toEqual([
        ["staff.name", row["people.name"]],
        ["staff.id", String(row["people.id"])],
      ]);
      expect(more?.searchParams.get("n")).toBe(row["people.name"]);
      expect(yet?.search).toBe(`?b=c&n=${String(row["people.id"])}`);
    }
  });
});

describe("access", () => {
  const refusal = async (query: object, caller = anyone) =>
    read(query, caller).then(
      (rows) => rows,
      (error: unknown) => (isFailure(error) ? error.code : error),
    );

  test("of a dimension is that of its addresses: rows, masks and hidden members", async () => {
    const dimensions = [address("search")];
    const order = { [address("search")]: "asc" };
    const oslo = { ...anyone, groups: ["oslo"] };
    expect(
      new Set((await read({ dimensions, order }, oslo)).map((row) => row[address("search")])),
    ).toEqual(new Set(["https://x.example/?q=2", "https://x.example/?q=3", null]));
    expect(await read({ dimensions, order }, anyone)).toEqual([{ [address("search")]: null }]);
    expect(await refusal({ dimensions: ["people.email___link_l_url"], order: {} }, hr)).toBe(
      "forbidden",
    );
    const person = ["staff.people_person___link_search_url"];
    expect(await refusal({ dimensions: person, order: {} })).toBe("forbidden");
    expect(await read({ dimensions: person, order: {} }, hr)).toHaveLength(3);
  });

  test("of a session is that to the dimension", async () => {
    const scoped = (name: string) => ({ ...hr, members: new Set([name]) });
    const query = { dimensions: [address("search")], order: {} };
    expect(await refusal(query, scoped("people.city"))).toBe("forbidden");
    expect(await refusal(query, scoped("people.name"))).toHaveLength(3);
  });
});

test("metadata shows links beside their dimension, and marks their addresses", () => {
  const [people, , staff, rest] = ["people", "heirs", "staff", "rest"].map((name) =>
    describeModel(model, hr).find((one) => one["name"] === name),
  ) as { dimensions: Record<string, unknown>[] }[];
  const named = (subject: typeof people, name: string) =>
    subject?.dimensions.find((one) => one["name"] === name);
  expect(named(people, "people.name")?.["links"]).toEqual([
    { name: "search", label: "Search", icon: "brand-google", target: "self" },
    { name: "mail", label: "Write" },
    {
      name: "board",
      label: "Board",
      dashboard: "people-board",
      params: ["staff.name", "staff.id"],
    },
    { name: "more", label: "More", params: ["n"] },
    { name: "yet", label: "Yet", params: ["n"] },
  ]);
  expect(named(people, address("search"))).toMatchObject({
    type: "string",
    shortTitle: "Search",
    synthetic: true,
    format: { type: "link", label: "Search" },
  });
  expect(named(staff, "staff.people_person")?.["links"]).toHaveLength(5);
  expect(named(staff, "staff.people_person___link_mail_url")).toMatchObject({
    shortTitle: "Write",
    synthetic: true,
  });
  expect(rest?.dimensions.map((one) => one["name"])).toEqual([
    "rest.id",
    "rest.email",
    "rest.email___link_l_url",
    "rest.city",
  ]);
  // A child that replaces the dimension has none of its links.
  expect(
    model.cubes.find((one) => one.name === "heirs")?.dimensions.map((one) => one.name),
  ).toEqual(["id", "name", "email", "email___link_l_url", "city"]);
});

test.each([
  ["[{ name: l, label: L }]", ["6:50 the link l needs either url or dashboard"]],
  [
    "[{ name: l, label: L, url: x, dashboard: y }]",
    ["6:50 the link l needs either url or dashboard"],
  ],
  [
    "[{ name: l, label: L, url: x }, { name: l, label: L, url: y }]",
    ["6:89 the link l is declared twice"],
  ],
  [
    "[{ name: l, label: L, url: '{nothing}' }]",
    ["6:76 {nothing} is neither a member of a nor a cube"],
  ],
  [
    "[{ name: l, label: L, url: '{count}' }]",
    ["6:76 {count} is a measure, and this SQL reads rows; use a dimension with sub_query: true"],
  ],
  [
    "[{ name: l, label: L, dashboard: a/b }]",
    ["6:82 dashboard must be a public ID, or a slug such as sales-overview"],
  ],
  [
    '[{ name: l, label: L, dashboard: a, params: [{ key: "a\'", value: x }] }]',
    ["6:101 key must be a name, such as orders.city"],
  ],
  [
    "[{ name: l, label: L, url: x }] }\n      - { name: x___link_l_url, sql: x, type: string",
    [
      "7:17 x___link_l_url contains ___link_, which only the names of links do; choose another name",
    ],
  ],
])("refuses %s", (written, expected) => {
  const content = `cubes:
  - name: a
    sql_table: a
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: x, sql: x, type: string, links: ${written} }
    measures: [{ name: count, type: count }]
`;
  expect(errorsOf(content)).toEqual(expected);
});
