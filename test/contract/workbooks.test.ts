// Workbooks and their dashboards: when a workbook changed, and the widgets of a dashboard.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

const workbooks = "/api/v1/deployments/1/workbooks";

let service: TestService;
let now = Date.parse("2026-05-01T00:00:00.000Z");
beforeAll(async () => {
  service = await startService({ now: () => now });
});
afterAll(() => service.close());

async function create(): Promise<number> {
  const { body } = await service.send("POST", workbooks, { body: { name: "Figures" } });
  return (body as { id: number }).id;
}

const widgets = (...ids: readonly string[]) => ({
  widgets: ids.map((id) => ({ id, type: "TEXT", position: { x: 0, y: 0, w: 1, h: 1 } })),
});

it("a workbook changes with its dashboards: their draft, their publication and their embedding", async () => {
  const id = await create();
  const path = `${workbooks}/${id}`;
  const changedAt = async () => {
    const { body } = await service.send("GET", path);
    return (body as { updatedAt: string }).updatedAt;
  };
  let publicId = "";
  const publish = async () => {
    const body = { workbookId: id, title: "Figures" };
    const answer = await service.send("POST", `${path}/publish`, { body });
    ({ publicId } = answer.body as { publicId: string });
    return answer;
  };
  const draft = { config: widgets("a") };
  for (const change of [
    () => service.send("PUT", `${path}/dashboard`, { body: draft }),
    publish,
    () =>
      service.send("PATCH", `/api/v1/embed/dashboard/${publicId}`, { body: { allowEmbed: true } }),
  ]) {
    now += 60_000;
    expect((await change()).status).toBe(200);
    expect(await changedAt()).toBe(new Date(now).toISOString());
  }
  const { body } = await service.send("GET", "/api/v1/deployments/1/workspace?types=WORKBOOK");
  expect(body).toMatchObject({ items: [{ id, updatedAt: new Date(now).toISOString() }] });
});

it("a dashboard has no two widgets with one ID, neither saved nor published", async () => {
  const id = await create();
  const twice = widgets("a", "b", "b");
  for (const [method, path, body] of [
    ["PUT", "dashboard", { config: twice }],
    ["POST", "publish", { workbookId: id, config: twice }],
  ] as const) {
    const refused = await service.send(method, `${workbooks}/${id}/${path}`, { body });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: "body.config.widgets[2].id must differ from widgets[1].id",
        details: { errors: [{ path: "body.config.widgets[2].id" }] },
      },
    });
    const shown = await service.send("GET", `${workbooks}/${id}`);
    expect(shown.body).not.toHaveProperty("dashboardDraft");
    expect(shown.body).not.toHaveProperty("publishedDashboard");
  }
});

it("a dashboard names no widget and no option that it lacks, neither saved nor published", async () => {
  const id = await create();
  const position = { x: 0, y: 0, w: 3, h: 2 };
  const config = {
    widgets: [
      { id: "f-country", type: "FILTER", position, config: { member: "orders.country" } },
      {
        id: "kind",
        type: "PARENT",
        position,
        config: { options: [{ title: "Germany", set: { "f-contry": "DE" } }] },
      },
    ],
  };
  for (const [method, path, body] of [
    ["PUT", "dashboard", { config }],
    ["POST", "publish", { workbookId: id, config }],
  ] as const) {
    const refused = await service.send(method, `${workbooks}/${id}/${path}`, { body });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message:
          'body.config.widgets[1].config.options[0].set.f-contry of widget kind names f-contry, which is no control of the dashboard. Did you mean "f-country"?',
      },
    });
  }
});
