// Provides the manifest of a small transformation project: customers, orders with a key and a relation, and a model without
// a cube.
export const manifest = {
  metadata: {
    manifest_schema_version: "v12",
    tool_version: "1.9.2",
    generated_at: "2026-01-05T06:00:00Z",
  },
  nodes: {
    "model.shop.customers": {
      resource_type: "model",
      name: "customers",
      schema: "analytics",
      alias: "dim_customers",
      description: "One row for each customer.",
      config: { materialized: "table" },
      columns: {
        id: { name: "id", data_type: "bigint", constraints: [{ type: "primary_key" }] },
        name: { name: "name", data_type: "character varying(200)", description: "Full name." },
        is_active: { name: "is_active", data_type: "BOOLEAN" },
      },
    },
    "model.shop.orders": {
      resource_type: "model",
      name: "orders",
      schema: "analytics",
      config: { materialized: "view" },
      columns: {
        order_id: { name: "order_id", data_type: "INT64" },
        customer_id: { name: "customer_id", data_type: "bigint" },
        amount: { name: "amount", data_type: "numeric(12,2)" },
        "ordered at": { name: "ordered at", data_type: "timestamp with time zone" },
      },
    },
    "model.shop.staged": {
      resource_type: "model",
      name: "staged",
      config: { materialized: "ephemeral" },
      columns: {},
    },
    "test.shop.unique_orders": {
      resource_type: "test",
      attached_node: "model.shop.orders",
      column_name: "order_id",
      test_metadata: { name: "unique", kwargs: { column_name: "order_id" } },
      depends_on: { nodes: ["model.shop.orders"] },
    },
    "test.shop.orders_customers": {
      resource_type: "test",
      attached_node: "model.shop.orders",
      column_name: "customer_id",
      test_metadata: { name: "relationships", kwargs: { to: "ref('customers')", field: "id" } },
      depends_on: { nodes: ["model.shop.customers", "model.shop.orders"] },
    },
  },
  sources: { "source.shop.raw.orders": { resource_type: "source", name: "orders" } },
  macros: { "macro.shop.cents": {}, "macro.shop.euros": {} },
};
