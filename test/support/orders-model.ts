// Provides customers, orders and order items as a data model and as data, for tests of queries.
import {
  answer,
  plan,
  type ResultRow,
  type TestDatabase,
  useQueryDatabase,
  validModel,
} from "./query-database.ts";
import type { JsonObject } from "../../core/json.ts";

export const ordersModel = validModel(`
cubes:
  - name: customers
    sql_table: customers
    joins:
      - { name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders.customer_id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
      - { name: order_count, sql: "{orders.count}", type: number, sub_query: true }
    measures:
      - { name: count, type: count }
      - { name: credit, type: sum, sql: credit }
      - { name: average_orders, type: avg, sql: "{order_count}" }
  - name: orders
    sql: "SELECT * FROM orders WHERE {FILTER_PARAMS.orders.created_at.filter('created_at')} -- all orders"
    joins:
      - { name: items, relationship: one_to_many, sql: "{CUBE}.id = {items}.order_id" }
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: customer_id, sql: customer_id, type: number }
      - { name: status, sql: status, type: string, mask: "hidden" }
      - name: size
        type: string
        case: { when: [{ sql: "{CUBE}.amount >= 50", label: large }], else: { label: small } }
      - name: created_at
        sql: created_at
        type: time
        granularities:
          - { name: fiscal_year, interval: 1 year, offset: 1 month }
          - { name: two_days, interval: 2 days, origin: "2026-01-01" }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }
      - { name: paid, type: sum, sql: amount, filters: [{ sql: "{status} = 'paid'" }] }
      - { name: cities, type: count_distinct, sql: "{customers.city}" }
      - { name: share, type: number, sql: "1.0 * {paid} / NULLIF({revenue}, 0)" }
      - { name: per_customer, type: number, sql: "1.0 * {revenue} / NULLIF({customers.count}, 0)" }
      - { name: last_two_days, type: sum, sql: amount, rolling_window: { trailing: 2 day } }
      - { name: so_far, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
    segments:
      - { name: large, sql: "{size} = 'large'" }
  - name: items
    sql_table: items
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: product, sql: product, type: string }
    measures:
      - { name: quantity, type: sum, sql: quantity }
  - name: notes
    sql_table: notes
    dimensions:
      - { name: text, sql: text, type: string, public: false }
    measures:
      - { name: count, type: count }
views:
  - name: sales
    cubes:
      - { join_path: orders, includes: [count, revenue, created_at, status] }
      - { join_path: orders.customers, includes: [{ name: city, alias: town }] }
`);

const tables = [
  "CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Berlin', 10), (2, 'Paris', 20), (3, NULL, 30)) AS t(id, city, credit)",
  `CREATE TABLE orders AS SELECT id, customer_id, amount, status, CAST(placed AS TIMESTAMP) AS created_at FROM (VALUES
    (1, 1, 10, 'paid', '2026-01-01 23:30:00'), (2, 1, 20, 'open', '2026-01-02 12:00:00'),
    (3, 2, 70, 'paid', '2026-01-04 00:30:00'), (4, NULL, 100, NULL, '2026-02-28 00:00:00')) AS t(id, customer_id, amount, status, placed)`,
  "CREATE TABLE items AS SELECT * FROM (VALUES (1, 1, 'tea', 2), (2, 1, 'cup', 3), (3, 3, 'tea', 5)) AS t(id, order_id, product, quantity)",
  "CREATE TABLE notes AS SELECT 'x' AS text",
];

/** Opens a database with the data for the tests of a file. */
export function useOrders(): {
  readonly database: () => TestDatabase;
  /** Returns the rows of a query on {@link ordersModel}. */
  readonly ask: (query: JsonObject) => Promise<readonly ResultRow[]>;
} {
  const database = useQueryDatabase(tables);
  return { database, ask: async (query) => answer(database(), plan(ordersModel, query)) };
}
