// A service with a data model, data and published dashboards, for tests of exports and notifications.
import { expect } from "vitest";
import { type ModelService, startModelService, uploadModelFile } from "./data-model-service.ts";

const model = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: region, sql: region, type: string }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount, title: Revenue }
    access_policy:
      - role: admin
      - group: north
        row_level: { filters: [{ member: region, operator: equals, values: [north] }] }
      - group: by-attribute
        row_level: { filters: [{ member: region, operator: equals, values: ["{userAttributes.region}"] }] }
  - name: tenants
    sql: "SELECT * FROM orders WHERE {SECURITY_CONTEXT.region.filter('region')}"
    measures: [{ name: revenue, type: sum, sql: amount }]
  - name: items
    sql: "SELECT 1 AS id, 'red' AS color, 'x' AS name, 'y' AS supplier, 2 AS cost, 3 AS weight, DATE '2026-01-05' AS sold_at"
    dimensions:
      - { name: color, sql: color, type: string }
      - { name: name, sql: name, type: string }
      - name: supplier
        sql: supplier
        type: string
        links:
          - { name: site, label: Site of the supplier, url: "'https://x.example/' || {name}" }
          - { name: script, label: Script, url: "'javascript:alert(1)'" }
          - { name: teams, label: Teams, dashboard: teams, params: [{ key: visits.team, value: "'team 03'" }, { key: locale, value: "'de'" }] }
          - { name: hidden, label: Hidden, dashboard: hidden }
      - { name: sold_at, sql: sold_at, type: time }
    measures:
      - { name: count, type: count, drill_members: [name] }
      - { name: cost, type: sum, sql: cost }
      - { name: weight, type: sum, sql: weight }
    segments: [{ name: cheap, sql: cost < 3 }]
  - name: visits
    sql: "SELECT i AS id, i % 2 AS kind, 'team ' || lpad(CAST(i // 30 AS VARCHAR), 2, '0') AS team, 'page ' || lpad(CAST(i AS VARCHAR), 3, '0') AS page, date_trunc('day', now()::TIMESTAMP) - CAST(i AS INTEGER) * INTERVAL 1 DAY AS at FROM range(0, 600) t(i)"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: kind, sql: kind, type: number }
      - { name: team, sql: team, type: string }
      - { name: page, sql: page, type: string }
      - { name: at, sql: at, type: time }
    measures:
      - { name: count, type: count, drill_members: [page] }
      - { name: sum, type: sum, sql: id, title: Sum of identifiers }
      - { name: most, type: max, sql: id, title: Most }
  - name: broken
    sql_table: missing_table
    measures: [{ name: count, type: count }]
views:
  - name: all_items
    cubes: [{ join_path: items, includes: [count] }]
`;
const seeds = `id,region,status,amount,created_at
1,north,paid,11,2026-01-05 10:00:00
2,north,open,20,2026-01-06 11:00:00
3,south,paid,300,2026-01-14 12:00:00
`;

/** Address of the deployment. */
export const deployment = "/api/v1/deployments/1";

/** Widgets with a figure of each kind, and one whose query fails. */
export const widgets = [
  chart("total", { chart: "number", query: { measures: ["orders.total"] } }, [0, 0, 4, 3]),
  chart(
    "by region",
    { query: { measures: ["orders.total"], dimensions: ["orders.region"] } },
    [4, 0, 8, 6],
  ),
  chart(
    "by day",
    {
      query: {
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
      },
    },
    [0, 6, 6, 6],
  ),
  chart("broken", { query: { measures: ["broken.count"] } }, [6, 6, 6, 4]),
  {
    id: "text",
    type: "TEXT",
    position: { x: 0, y: 3, w: 4, h: 2 },
    config: { text: "North & <b>" },
  },
];

function chart(
  title: string,
  config: object,
  [x, y, w, h]: readonly [number, number, number, number],
) {
  return { id: title, type: "CHART", position: { x, y, w, h }, config: { title, ...config } };
}

/** A service with a published dashboard. */
export interface DashboardService extends ModelService {
  readonly dashboardId: number;
  readonly publicId: string;
  readonly workbookId: number;
}

/** Starts the service. Close it after the test. */
export async function startDashboardService(
  options: Parameters<typeof startModelService>[0] = {},
): Promise<DashboardService> {
  const service = await startModelService(options);
  const files = { "model/orders.yml": model, "seeds/orders.csv": seeds };
  const id = await service.start();
  const at = { url: service.url, key: service.adminKey };
  for (const [path, content] of Object.entries(files)) {
    expect(await uploadModelFile(at, { id, path, content })).toBe(204);
  }
  await service.finish(id, files);
  expect(await service.buildEnded()).toMatchObject({ status: "built" });
  return { ...service, ...(await publish(service, { title: "Sales", widgets })) };
}

/** Publishes a dashboard in a separate workbook. */
export async function publish(service: Pick<ModelService, "done">, config: object) {
  const created = await service.done("POST", `${deployment}/workbooks`, { name: "Sales" });
  const workbookId = Number(created["id"]);
  const path = `${deployment}/workbooks/${workbookId}/publish`;
  const { id, publicId } = await service.done("POST", path, { workbookId, config });
  return { dashboardId: Number(id), publicId: String(publicId), workbookId };
}
