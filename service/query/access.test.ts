// Access policies in planned queries: members, masks, rows, and the values of the caller.
import { describe, expect, test } from "vitest";
import {
  answer,
  anyone,
  plan,
  type ResultRow,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { onMysql } from "../../test/support/test-database.ts";
import type { JsonObject } from "../../core/json.ts";
import type { QueryCaller } from "./access.ts";

const model = validModel(`
cubes:
  - name: accounts
    sql_table: accounts
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: region, sql: region, type: string }
    measures:
      - { name: count, type: count }
    access_policy:
      - group: "*"
        row_level:
          filters:
            - { member: region, operator: equals, values: ["{userAttributes.region}"] }
  - name: invoices
    sql: "SELECT * FROM invoices WHERE {SECURITY_CONTEXT.tenant.filter('tenant')}"
    joins:
      - { name: accounts, relationship: many_to_one, sql: "{CUBE}.account = {accounts.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: email, sql: email, type: string, mask: "***" }
      - { name: open, sql: open, type: boolean }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount, mask: -1 }
      - { name: largest, type: max, sql: amount, mask: { sql: "10 * {count} + count(*)" } }
      - { name: hint, type: string, sql: "max({email})", mask: { sql: "'hidden'" } }
      - { name: unpaid_total, type: sum, sql: amount, filters: [{ sql: "{open}" }, { sql: "{CUBE}.amount < 40" }] }
    segments:
      - { name: unpaid, sql: "{open}" }
    access_policy:
      - group: sales
        member_level: { includes: [id, open, count, unpaid] }
        member_masking: { includes: [email, total, largest, hint] }
        row_level:
          filters:
            - { member: accounts.region, operator: notEquals, values: ["{securityContext.hidden}"] }
      - role: admin
        conditions: [{ if: "{userAttributes.trusted}" }]
      - group: collectors
        row_level: { filters: [{ member: unpaid_total, operator: measureFilter }] }
  - name: payments
    sql: "SELECT 1 AS id, 1 AS account, 5 AS amount, TIMESTAMP '2026-01-01 23:30:00' AS paid_at UNION ALL SELECT 2, 2, 7, TIMESTAMP '2026-01-02 00:30:00'"
    public: false
    joins:
      - { name: branches, relationship: many_to_one, sql: "{CUBE}.account = {branches.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: paid_at, sql: paid_at, type: time }
    measures:
      - { name: paid, type: sum, sql: amount }
  - name: branches
    sql: "SELECT 1 AS id, 'Berlin' AS city UNION ALL SELECT 2, 'Paris'"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: city, sql: city, type: string }
  - name: all_invoices
    sql: "SELECT * FROM ({invoices.sql()}) AS i"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
    measures:
      - { name: count, type: count }
  - name: tenants
    sql: "SELECT CAST(id AS BIGINT) AS id FROM (VALUES ('1234567890123456788'), ('1234567890123456789'), ('1234567890123456790')) AS t(id)"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
    measures:
      - { name: count, type: count }
    access_policy:
      - group: "*"
        row_level:
          filters:
            - { member: id, operator: equals, values: ["{securityContext.tenant}"] }
views:
  - name: my_payments
    cubes:
      - { join_path: payments, includes: [id, paid, paid_at] }
    access_policy:
      - group: sales
        row_level: { filters: [{ member: id, operator: gt, values: [1] }] }
      - group: dated
        row_level: { filters: [{ member: paid_at, operator: onTheDate, values: ["2026-01-01"] }] }
  - name: billing
    cubes:
      - { join_path: invoices, includes: [id, email, count] }
      - { join_path: invoices.accounts, includes: [region] }
    access_policy:
      - group: sales
        row_level: { filters: [{ member: id, operator: gt, values: [1] }] }
`);

const database = useQueryDatabase([
  "CREATE TABLE accounts AS SELECT * FROM (VALUES (1, 'eu'), (2, 'us')) AS t(id, region)",
  `CREATE TABLE invoices AS SELECT * FROM (VALUES
      (1, 1, 't1', 'a@x', true, 10), (2, 2, 't1', 'b@x', false, 20), (3, 2, 't2', 'c@x', true, 40)) AS t(id, account, tenant, email, open, amount)`,
]);

const sales: QueryCaller = { ...anyone, groups: ["sales"], securityContext: { hidden: "eu" } };

function ask(query: JsonObject, caller: QueryCaller): Promise<readonly ResultRow[]> {
  return answer(database(), plan(model, query, caller));
}

async function count(cube: string, caller: QueryCaller): Promise<unknown> {
  const [row] = await ask({ measures: [`${cube}.count`] }, caller);
  return row?.[`${cube}.count`];
}

describe("rows", () => {
  test("of large numbers compare the exact number", async () => {
    const of = (tenant: string | number) => ({ ...anyone, securityContext: { tenant } });
    expect(await count("tenants", of("1234567890123456789"))).toBe(1);
    expect(await count("tenants", of("+1234567890123456790.0"))).toBe(1);
    expect(await count("tenants", of("12345678901234567890123456789012345678"))).toBe(0);
    await expect(count("tenants", of("9".repeat(39)))).rejects.toThrow("at most 38 digits");
    // JSON has rounded it to another number.
    await expect(count("tenants", of(Number("1234567890123456789")))).rejects.toThrow("as text");
  });

  const inRegion = (region: string | readonly string[] | undefined) => ({
    ...anyone,
    userAttributes: region === undefined ? {} : { region },
  });

  test("a value of the caller selects rows; a list selects several; a missing one or an empty list none", async () => {
    expect(await count("accounts", inRegion("eu"))).toBe(1);
    expect(await count("accounts", inRegion(["eu", "us"]))).toBe(2);
    expect(await count("accounts", inRegion([]))).toBe(0);
    expect(await count("accounts", inRegion(undefined))).toBe(0);
  });

  test.each(["contains", "startsWith", "endsWith", "equals", "notEquals", "notContains", "gt"])(
    "an empty text opens none with %s",
    async (operator) => {
      const own = validModel(`
cubes:
  - name: texts
    sql: "SELECT 'a' AS kind UNION ALL SELECT '' UNION ALL SELECT NULL"
    dimensions: [{ name: kind, sql: kind, type: string }]
    measures: [{ name: count, type: count }]
    access_policy:
      - group: "*"
        row_level: { filters: [{ member: kind, operator: ${operator}, values: ["{userAttributes.kind}"] }] }
`);
      for (const kind of ["", null, ["a", ""], [null]]) {
        const caller = { ...anyone, userAttributes: { kind } };
        const query = { measures: ["texts.count"] };
        expect(await answer(database(), plan(own, query, caller))).toEqual([{ "texts.count": 0 }]);
      }
    },
  );

  test("a negated filter without a value opens no rows", async () => {
    expect(await count("invoices", sales)).toBe(2);
    expect(await count("invoices", { ...sales, securityContext: {} })).toBe(0);
  });

  test("conditions must be true", async () => {
    const admin = (trusted: boolean | string | undefined): QueryCaller => ({
      ...anyone,
      roles: ["admin"],
      userAttributes: trusted === undefined ? {} : { trusted },
    });
    expect(await count("invoices", admin(true))).toBe(3);
    expect(() => plan(model, { measures: ["invoices.count"] }, admin(false))).toThrow("hidden");
    expect(() => plan(model, { measures: ["invoices.count"] }, admin(undefined))).toThrow("hidden");
    expect(() => plan(model, { measures: ["invoices.count"] }, admin("yes"))).toThrow(
      "is not a boolean",
    );
  });

  test("the filters of a measure select rows", async () => {
    const collector = { ...anyone, groups: ["collectors"] };
    expect(await ask({ dimensions: ["invoices.id"] }, collector)).toEqual([{ "invoices.id": 1 }]);
    expect(await count("invoices", { ...sales, groups: ["sales", "collectors"] })).toBe(3);
  });

  test("the policies of a caller are alternatives", async () => {
    const both = { ...sales, roles: ["admin"], userAttributes: { trusted: true } };
    expect(await count("invoices", both)).toBe(3);
  });

  test("a cube that reads another one reads only the rows that open all its columns", async () => {
    const admin = { ...anyone, roles: ["admin"], userAttributes: { trusted: true } };
    expect(await count("all_invoices", admin)).toBe(3);
    expect(await count("all_invoices", { ...anyone, groups: ["collectors"] })).toBe(1);
    // A mask cannot replace a column.
    expect(await count("all_invoices", sales)).toBe(0);
    expect(await count("all_invoices", anyone)).toBe(0);
  });

  test("a joined cube shows only its visible rows", async () => {
    const caller = { ...sales, userAttributes: { region: "nowhere" } };
    const query = { measures: ["invoices.count"], dimensions: ["accounts.region"] };
    expect(await ask(query, caller)).toEqual([{ "accounts.region": null, "invoices.count": 2 }]);
  });

  test("the row filters of a view and of its cubes all apply", async () => {
    const ids = await ask({ dimensions: ["billing.id"] }, sales);
    expect(ids).toEqual([{ "billing.id": 2 }, { "billing.id": 3 }]);
    const open = { ...sales, securityContext: { hidden: "us" } };
    expect(await ask({ dimensions: ["billing.id"] }, open)).toEqual([]);
    expect(() => plan(model, { dimensions: ["billing.id"] }, anyone)).toThrow("hidden");
  });

  test("a filter on a measure of a view reads the rows that the measure itself shows", async () => {
    const dimensions = ["branches.city"];
    const filters = [{ member: "my_payments.paid", operator: "gt", values: ["0"] }];
    const shown = await ask({ dimensions, filters, measures: ["my_payments.paid"] }, sales);
    expect(shown).toEqual([{ "branches.city": "Paris", "my_payments.paid": 7 }]);
    expect(await ask({ dimensions, filters }, sales)).toEqual([{ "branches.city": "Paris" }]);
    expect(await ask({ dimensions, filters: [{ or: filters }] }, sales)).toEqual([
      { "branches.city": "Paris" },
    ]);
  });

  test("the time zone of a query opens no other rows", async () => {
    const dated = { ...anyone, groups: ["dated"] };
    for (const timezone of ["UTC", "Europe/Berlin", "America/New_York"]) {
      const query = { dimensions: ["my_payments.id"], timezone };
      expect(await ask(query, dated), timezone).toEqual([{ "my_payments.id": 1 }]);
    }
  });

  test("a value of the security context filters the SQL of a cube", async () => {
    const tenant = { ...sales, securityContext: { hidden: "eu", tenant: "t1" } };
    expect(await count("invoices", tenant)).toBe(1);
  });

  test("without the value in a security context, all rows are open, but not to an external user", async () => {
    expect(await count("invoices", { ...sales, securityContext: { hidden: "eu" } })).toBe(2);
    const external = { ...sales, isEmbedded: true };
    for (const securityContext of [{}, { hidden: "eu" }, { hidden: "eu", tenant: null }]) {
      const query = { measures: ["invoices.count"] };
      expect(() => plan(model, query, { ...external, securityContext })).toThrow(
        "the security context has no tenant, which is required",
      );
    }
  });

  test("without a security context, SQL that it filters is refused", () => {
    const unknown = { ...sales, securityContext: undefined };
    expect(() => plan(model, { measures: ["invoices.count"] }, unknown)).toThrow(
      "the data model filters tenant by SECURITY_CONTEXT.tenant, and the token carries no security context",
    );
  });

  test("values of the caller are bound, never text", () => {
    const value = "'; DROP TABLE invoices; --";
    const caller: QueryCaller = {
      ...sales,
      securityContext: { hidden: value, tenant: value },
      userAttributes: { region: value },
    };
    const query = { measures: ["invoices.count"], dimensions: ["accounts.region"] };
    const { statement } = plan(model, query, caller);
    expect(statement.text).not.toContain("DROP");
    const times = onMysql ? 5 : 3;
    expect(statement.values.filter((one) => one === value)).toHaveLength(times);
  });
});

describe("members", () => {
  test("a masked member shows its mask, also where it is filtered", async () => {
    const query = { measures: ["invoices.total"], dimensions: ["invoices.email"] };
    expect(await ask(query, sales)).toEqual([{ "invoices.email": "***", "invoices.total": -1 }]);
    expect(await ask({ measures: ["invoices.total"] }, sales)).toEqual([{ "invoices.total": -1 }]);
    const filters = [{ member: "invoices.email", operator: "equals", values: ["b@x"] }];
    expect(await ask({ ...query, filters }, sales)).toEqual([]);
    expect(await ask({ dimensions: ["billing.email"] }, sales)).toEqual([
      { "billing.email": "***" },
    ]);
  });

  test("a mask in SQL replaces the whole aggregate, in groups, filters and without groups", async () => {
    const measures = ["invoices.largest", "invoices.hint"];
    expect(await ask({ measures }, sales)).toEqual([
      { "invoices.largest": 22, "invoices.hint": "hidden" },
    ]);
    const filters = [{ member: "invoices.largest", operator: "equals", values: ["11"] }];
    const order = [["invoices.id", "asc"]];
    expect(await ask({ dimensions: ["invoices.id"], measures, filters, order }, sales)).toEqual([
      { "invoices.id": 2, "invoices.largest": 11, "invoices.hint": "hidden" },
      { "invoices.id": 3, "invoices.largest": 11, "invoices.hint": "hidden" },
    ]);
    const admin = { ...anyone, roles: ["admin"], userAttributes: { trusted: true } };
    expect(await ask({ measures }, admin)).toEqual([
      { "invoices.largest": 40, "invoices.hint": "c@x" },
    ]);
    expect(() => plan(model, { measures: ["invoices.largest mask"] }, sales)).toThrow("format");
  });

  test("the filters of a masked measure restrict no rows, because they would say what the mask hides", async () => {
    const query = (member: string) => ({
      measures: ["invoices.count"],
      filters: [{ or: [{ member, operator: "measureFilter" }] }],
    });
    expect(() => plan(model, query("invoices.total"), sales)).toThrow(
      "You requested hidden member: 'invoices.total'",
    );
    expect(await ask(query("invoices.count"), sales)).toEqual([{ "invoices.count": 2 }]);
  });

  test("a hidden member is refused wherever a query names it", () => {
    const hidden = "You requested hidden member: 'accounts.id'";
    const filter = { member: "accounts.id", operator: "set" };
    expect(() => plan(model, { dimensions: ["accounts.id"] }, anyone)).toThrow(hidden);
    expect(() =>
      plan(model, { measures: ["accounts.count"], filters: [{ or: [filter] }] }, anyone),
    ).toThrow(hidden);
    expect(() => plan(model, { measures: ["invoices.count"] }, anyone)).toThrow(
      "You requested hidden member: 'invoices.count'",
    );
  });
});
