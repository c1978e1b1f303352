// One call of each operation on exports and deliveries of dashboards that succeeds.
import type { TestService } from "../support/test-service.ts";
import type { PrepareSample } from "./sample.ts";

const base = "/api/v1/deployments/1";

async function dashboardId(service: TestService): Promise<number> {
  const created = await service.send("POST", `${base}/workbooks`, { body: { name: "Figures" } });
  const { id: workbookId } = created.body as { id: number };
  const body = { workbookId, config: { title: "Sales" } };
  const path = `${base}/workbooks/${workbookId}/publish`;
  return ((await service.send("POST", path, { body })).body as { id: number }).id;
}

/** Creates a completed export, whose job is not part of the sample. */
async function completeExport(service: TestService): Promise<string> {
  const job_id = "complete";
  const at = Date.now();
  const columns = {
    deployment_id: 1,
    dashboard_id: await dashboardId(service),
    status: "completed",
    content: Buffer.from("%PDF-1.7\n").toString("base64"),
    expires_at: new Date(at + 300_000).toISOString(),
  } as const;
  const fixed = { user_id: 1, job_id, format: "pdf", controls: "{}", viewer: "{}" } as const;
  await service.db
    .insertInto("dashboard_exports")
    .values({ ...columns, ...fixed, attempts: 1, created_at: new Date(at).toISOString() })
    .onConflict((on) => on.column("job_id").doUpdateSet(columns))
    .execute();
  return `${base}/dashboard-exports/${job_id}`;
}

/** Returns the address of a notification without recipients. */
async function notification(service: TestService): Promise<string> {
  const body = { dashboardId: await dashboardId(service), scheduleType: "DAILY" };
  const created = await service.send("POST", `${base}/notifications`, { body });
  return `${base}/notifications/${(created.body as { id: number }).id}`;
}

/** Samples by operation id. */
export const exportSamples: Readonly<Record<string, PrepareSample>> = {
  startDashboardExport: async (service) => ({
    path: `${base}/dashboard-exports`,
    body: {
      dashboardId: await dashboardId(service),
      format: "png",
      filters: [{ member: "orders.status", operator: "equals", value: ["done"] }],
      timeGrains: [{ member: "orders.created_at", grain: "week" }],
      memberSwitchers: [{ from: "orders.count", to: "orders.total" }],
      timezone: "Europe/Berlin",
    },
  }),
  getDashboardExport: async (service) => ({ path: await completeExport(service) }),
  downloadDashboardExport: async (service) => ({
    path: `${await completeExport(service)}/download`,
  }),
  sendNotification: async (service) => ({ path: `${await notification(service)}/send` }),
  listDeliveries: async (service) => ({
    path: `${await notification(service)}/deliveries?first=1`,
  }),
};
