// Tests exports of dashboards: their files, whose permissions limit their figures, and their states.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { runSvc } from "../../golden/run-cli.ts";
import type { DashboardService } from "../../contract/dashboard-service.ts";
import {
  deployment,
  publish,
  startDashboardService,
  widgets,
} from "../../contract/dashboard-service.ts";
import { readPdf } from "../../support/read-pdf.ts";
import { runsInFull } from "../../support/test-database.ts";

const exports = `${deployment}/dashboard-exports`;
let service: DashboardService;
/** The offset of the service's clock. */
let aheadMs = 0;
beforeAll(async () => {
  service = await startDashboardService({ now: () => Date.now() + aheadMs });
});
afterAll(() => service.close());

async function start(body: object = {}, key = service.adminKey): Promise<string> {
  const exportRequest = { dashboardId: service.dashboardId, format: "png", ...body };
  const { status, body: job } = await service.as(key).send("POST", exports, exportRequest);
  expect([status, job]).toMatchObject([200, { jobId: expect.any(String) }]);
  return (job as { jobId: string }).jobId;
}

async function ended(jobId: string, key = service.adminKey): Promise<Record<string, unknown>> {
  return vi.waitFor(
    async () => {
      const { body } = await service.as(key).send("GET", `${exports}/${jobId}`);
      expect((body as { status: string }).status).toMatch(/^(?:completed|failed)$/);
      return body;
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function download(jobId: string, key = service.adminKey) {
  const answer = await request(`${service.url}${exports}/${jobId}/download`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, type: answer.headers["content-type"], bytes };
}

/** Returns the bytes of a complete PNG. */
async function png(body: object = {}, key = service.adminKey): Promise<Buffer> {
  const jobId = await start(body, key);
  expect(await ended(jobId, key)).toMatchObject({ status: "completed" });
  const { status, type, bytes } = await download(jobId, key);
  expect([status, type]).toEqual([200, "image/png"]);
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return bytes;
}

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("an export", () => {
  it.runIf(runsInFull)(
    "is a picture with the rows that its caller may see, changed by its controls",
    async () => {
      const { body: group } = await service.send("POST", "/api/v1/user-groups", { name: "north" });
      const key = await service.userKey("AIBIUser");
      const { body: me } = await service.as(key).send("GET", "/api/v1/users/me");
      await service.send("POST", `/api/v1/user-groups/${(group as { id: number }).id}/users`, {
        userIds: [(me as { id: number }).id],
      });
      // The footer contains the minute, which would also change pictures.
      const pictures = [
        await png(),
        await png({}, key),
        await png({ filters: [{ member: "orders.status", value: "paid" }] }),
        await png({ timeGrains: [{ member: "orders.created_at", grain: "week" }] }),
        await png({ memberSwitchers: [{ from: "orders.count", to: "orders.total" }] }),
      ];
      expect(new Set(pictures.map(digest)).size).toBe(pictures.length);
      // 1200 points at twice the resolution.
      expect(pictures.map((bytes) => bytes.readUInt32BE(16))).toEqual(pictures.map(() => 2400));
    },
  );

  it("is a file of type PDF if that format is requested", async () => {
    const jobId = await start({ format: "pdf" });
    expect(await ended(jobId)).toMatchObject({ status: "completed", format: "pdf" });
    const { type, bytes } = await download(jobId);
    expect([type, bytes.subarray(0, 5).toString()]).toEqual(["application/pdf", "%PDF-"]);
  });

  it("has what is in containers, all tabs by their titles, and the values of all controls", async () => {
    const place = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });
    const chart = (id: string, config: object = {}) => ({
      id,
      type: "CHART",
      position: place(0, 0, 6, 4),
      config: {
        title: `chart ${id}`,
        chart: "number",
        query: { measures: ["orders.count"] },
        ...config,
      },
    });
    const container = (id: string, y: number, config: object) => {
      return { id, type: "CONTAINER", position: place(0, y, 12, 5), config };
    };
    const options = [{ title: "Northern stores", set: { region: ["north"] } }];
    const { dashboardId } = await publish(service, {
      title: "Containers",
      widgets: [
        {
          id: "parent",
          type: "PARENT",
          position: place(0, 0, 3, 2),
          config: { title: "Stores", options },
        },
        {
          id: "region",
          type: "FILTER",
          position: place(3, 0, 3, 2),
          config: { title: "Region", member: "orders.region" },
        },
        container("tabs", 2, {
          tabs: [
            { title: "First tab", widget: "a" },
            { title: "Second tab", widget: "stack" },
          ],
        }),
        container("stack", 0, { widgets: ["b", "c"] }),
        container("outer", 7, { widgets: ["inner"] }),
        container("inner", 0, { widgets: ["outer", "d"] }),
        ...["a", "b", "c", "d"].map((id) => chart(id)),
      ],
    });
    const filters = [{ member: "orders.region", value: ["north"] }];
    const jobId = await start({ dashboardId, format: "pdf", filters });
    expect(await ended(jobId)).toMatchObject({ status: "completed" });
    const texts = readPdf((await download(jobId)).bytes).pages.flatMap((page) => page.texts);
    const named = ["First tab", "chart a", "Second tab", "chart b", "chart c", "chart d"];
    expect(texts.filter((text) => named.includes(text))).toEqual(named);
    // In the controls, and in the line of the header.
    expect(texts).toEqual(expect.arrayContaining(["Stores", "Northern stores"]));
    expect(texts.join(" ")).toContain("Stores is Northern stores");
    expect(texts.filter((text) => text === "2")).toHaveLength(4);
    // In place of the container that would be in itself.
    expect(texts.join(" ")).toContain("A container Containers are nested at most 4 deep");
  });

  it("begins with the values of the page if the request names no controls", async () => {
    const chart = {
      id: "count",
      type: "CHART",
      position: { x: 0, y: 2, w: 6, h: 4 },
      config: { chart: "number", query: { measures: ["orders.count"] } },
    };
    const filter = {
      id: "region",
      type: "FILTER",
      position: { x: 0, y: 0, w: 3, h: 2 },
      config: { member: "orders.region", default: ["north"] },
    };
    const { dashboardId } = await publish(service, { title: "First", widgets: [filter, chart] });
    const textsOf = async (controls: object): Promise<readonly string[]> => {
      const jobId = await start({ dashboardId, format: "pdf", ...controls });
      expect(await ended(jobId)).toMatchObject({ status: "completed" });
      return readPdf((await download(jobId)).bytes).pages.flatMap(({ texts }) => texts);
    };
    expect(await textsOf({})).toEqual(expect.arrayContaining(["Region is north", "2"]));
    expect(await textsOf({ filters: [] })).not.toContain("2");
  });

  it("has the links of a value that are pages of the web", async () => {
    const query = { measures: ["items.count"], dimensions: ["items.color", "items.supplier"] };
    const position = { x: 0, y: 0, w: 12, h: 6 };
    const config = { title: "Suppliers", chart: "table", query };
    const widget = { id: "suppliers", type: "CHART", position, config };
    const { dashboardId } = await publish(service, { title: "Suppliers", widgets: [widget] });
    const jobId = await start({ dashboardId, format: "pdf" });
    expect(await ended(jobId)).toMatchObject({ status: "completed" });
    const { links, pages } = readPdf((await download(jobId)).bytes);
    expect(links.filter((link) => !link.includes("/embed/"))).toEqual(["https://x.example/x"]);
    expect(pages.flatMap(({ texts }) => texts)).toEqual(expect.arrayContaining(["red", "y"]));
  });

  it("has the name and the colors of the account", async () => {
    const appTheme = { light: { backgroundColor: "#fffff0" } };
    const creatorMode = { workspaceTitle: "Northwind" };
    await service.done("PUT", "/api/v1/app-config", { appTheme, creatorMode });
    const jobId = await start({ format: "pdf" });
    await ended(jobId);
    const { pages, fills } = readPdf((await download(jobId)).bytes);
    expect(pages[0]?.texts).toEqual(expect.arrayContaining(["Sales", "Northwind"]));
    expect(fills).toContain("#fffff0");
    await service.done("PUT", "/api/v1/app-config", { appTheme: null, creatorMode: null });
  });

  it.runIf(runsInFull)(
    "has the time zone of the embed session, or of the account, unless it names another one",
    async () => {
      const { publicId, workbookId } = await publish(service, { title: "Zones" });
      await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
        allEmbedUsers: true,
        action: "read",
        allowEmbed: true,
      });
      const timezoneOf = async (settings: object | undefined, body: object = {}) => {
        const sessionRequest = {
          deploymentId: 1,
          externalId: "viewer",
          roles: ["AIBIUser"],
          settings,
        };
        const session = await service.done(
          "POST",
          "/api/v1/embed/generate-session",
          sessionRequest,
        );
        const { token } = await service.done("POST", "/api/v1/embed/session/token", session);
        const { body: job } = await service.as(String(token)).send("POST", exports, {
          dashboardPublicId: publicId,
          format: "png",
          ...body,
        });
        const { controls } = await service.db
          .selectFrom("dashboard_exports")
          .select("controls")
          .where("job_id", "=", String(job["jobId"]))
          .executeTakeFirstOrThrow();
        return (JSON.parse(controls) as { timezone: string }).timezone;
      };
      expect(await timezoneOf(undefined)).toBe("UTC");
      await service.send("PUT", "/api/v1/app-config", { embedding: { timezone: "Europe/London" } });
      expect(await timezoneOf({ locale: "ja-JP" })).toBe("Europe/London");
      expect(await timezoneOf({ timezone: "Asia/Tokyo" })).toBe("Asia/Tokyo");
      expect(await timezoneOf({ timezone: "Asia/Tokyo" }, { timezone: "UTC" })).toBe("UTC");
    },
  );

  it.runIf(runsInFull)("belongs to its user, who must be able to read the workbook", async () => {
    const jobId = await start();
    await ended(jobId);
    const other = await service.userKey("AIBIUser");
    expect(await service.as(other).send("GET", `${exports}/${jobId}`)).toMatchObject({
      status: 404,
    });
    expect((await download(jobId, other)).status).toBe(404);
    const exportRequest = { dashboardId: service.dashboardId, format: "png" };
    const viewer = await service.userKey("AIBIViewer");
    const refused = await service.as(viewer).send("POST", exports, exportRequest);
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { message: expect.stringContaining("EmbedExport") },
    ]);
  });

  it("is only of the dashboard of an embed session for one, while the session may view it", async () => {
    const { publicId, workbookId } = await publish(service, { title: "Embedded" });
    const access = (body: object) =>
      service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
        allEmbedUsers: true,
        ...body,
      });
    await access({ action: "read", allowEmbed: true });
    const tokenOf = async (options: object) => {
      const sessionRequest = {
        deploymentId: 1,
        externalId: "jane",
        roles: ["AIBIUser"],
        ...options,
      };
      const session = await service.done("POST", "/api/v1/embed/generate-session", sessionRequest);
      const answer = await service.done("POST", "/api/v1/embed/session/token", session);
      return String(answer["token"]);
    };
    const key = await tokenOf({ publicDashboardId: publicId });
    const own = { dashboardId: undefined, dashboardPublicId: publicId };
    const jobId = await start(own, key);
    await ended(jobId, key);
    expect((await download(jobId, key)).status).toBe(200);
    const statusOf = async (method: string, path: string, body?: object) =>
      (await service.as(key).send(method, path, body)).status;
    const exportRequest = { dashboardId: service.dashboardId, format: "png" };
    expect(await statusOf("POST", exports, exportRequest)).toBe(404);
    // The role would grant these.
    expect(await statusOf("GET", `${deployment}/workbooks`)).toBe(403);
    expect(await statusOf("GET", `${deployment}/reports`)).toBe(403);
    const second = await publish(service, { title: "Other" });
    const all = `${deployment}/workbooks/${second.workbookId}/embed-access`;
    await service.done("PUT", all, { allEmbedUsers: true, action: "read", allowEmbed: true });
    const other = { dashboardId: undefined, dashboardPublicId: second.publicId };
    const ofOther = await start(other, await tokenOf({}));
    expect(await statusOf("GET", `${exports}/${ofOther}`)).toBe(404);
    await access({ action: "read", allowEmbed: false });
    expect(await statusOf("POST", exports, { ...own, format: "png" })).toBe(403);
    await access({ action: "none" });
    expect(await statusOf("POST", exports, { ...own, format: "png" })).toBe(404);
    expect(await statusOf("GET", `${exports}/${jobId}`)).toBe(404);
    expect((await download(jobId, key)).status).toBe(404);
  });

  it.runIf(runsInFull)(
    "is refused to all but administrators while the account restricts downloads",
    async () => {
      const other = await service.userKey("AIBIUser");
      const exportRequest = { dashboardId: service.dashboardId, format: "png" };
      const created = await service.as(other).send("POST", exports, exportRequest);
      const jobId = (created.body as { jobId: string }).jobId;
      await service.accounts[0]?.runDeliveries();
      expect((await download(jobId, other)).status).toBe(200);
      const restrict = (on: boolean) =>
        service.done("PUT", "/api/v1/app-config", { restrictDataDownload: on });
      expect(await restrict(true)).toMatchObject({ restrictDataDownload: true });
      expect(await service.as(other).send("POST", exports, exportRequest)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining("only administrators may download data") },
      });
      expect((await download(jobId, other)).status).toBe(403);
      const own = await start();
      await ended(own);
      expect((await download(own)).status).toBe(200);
      await restrict(false);
      expect((await download(jobId, other)).status).toBe(200);
    },
  );
});

describe("the state of an export", () => {
  it("is 409 while it runs, and another server continues it once its lease ends", async () => {
    const jobId = await start();
    await ended(jobId);
    const set = (columns: object) =>
      service.db
        .updateTable("dashboard_exports")
        .set(columns)
        .where("job_id", "=", jobId)
        .execute();
    const lease = (ms: number) => ({ leased_until: new Date(Date.now() + ms).toISOString() });
    await set({ status: "processing", content: null, attempts: 1, ...lease(60_000) });
    await service.accounts[0]?.runDeliveries();
    expect((await download(jobId)).status).toBe(409);
    await set(lease(-1));
    await service.accounts[0]?.runDeliveries();
    expect(await ended(jobId)).toMatchObject({ status: "completed" });
    await set({ status: "processing", content: null, attempts: 3, ...lease(-1) });
    await service.accounts[0]?.runDeliveries();
    expect(await ended(jobId)).toMatchObject({ error: "the export did not end" });
    expect((await download(jobId)).status).toBe(422);
  });

  it("is failed with its reason, and 422 for a download", async () => {
    const body = { name: "empty", region: "aws-us-east-1", creationMethod: "github" };
    const created = await service.send("POST", "/build/api/v1/deployments", body);
    const { id } = created.body as { id: number };
    const own = `/api/v1/deployments/${id}`;
    const { id: workbookId } = (await service.send("POST", `${own}/workbooks`, { name: "Empty" }))
      .body as { id: number };
    const published = await service.send("POST", `${own}/workbooks/${workbookId}/publish`, {
      workbookId,
      config: { title: "Empty", widgets },
    });
    const { id: dashboardId } = published.body as { id: number };
    const job = await service.send("POST", `${own}/dashboard-exports`, {
      dashboardId,
      format: "png",
    });
    const path = `${own}/dashboard-exports/${(job.body as { jobId: string }).jobId}`;
    await vi.waitFor(async () => {
      const { body: state } = await service.send("GET", path);
      expect(state).toMatchObject({ status: "failed", error: expect.stringMatching(/build/) });
    });
    const answer = await service.send("GET", `${path}/download`);
    expect([answer.status, answer.body]).toMatchObject([422, { code: "failed" }]);
  });

  it("is 404 once it has expired, and 429 for too many that are unfinished", async () => {
    const jobId = await start();
    await ended(jobId);
    const { expires_at, ...row } = await service.db
      .selectFrom("dashboard_exports")
      .selectAll()
      .where("job_id", "=", jobId)
      .executeTakeFirstOrThrow();
    const leased_until = new Date(Date.now() + 60_000).toISOString();
    const { id: _id, ...copied } = row;
    const running = { ...copied, expires_at, leased_until, status: "pending" as const };
    for (let count = 0; count < limits.exportsOfUser; count++) {
      const values = { ...running, job_id: `running ${count}` };
      await service.db.insertInto("dashboard_exports").values(values).execute();
    }
    const exportRequest = { dashboardId: service.dashboardId, format: "png" };
    expect((await service.send("POST", exports, exportRequest)).status).toBe(429);
    aheadMs = limits.exportMs + 1000;
    try {
      expect((await download(jobId)).status).toBe(404);
      await start();
    } finally {
      aheadMs = 0;
      await service.db.deleteFrom("dashboard_exports").execute();
    }
  });
});

it.runIf(runsInFull)("svc workbooks export --into writes the file", async () => {
  const { publicId } = await publish(service, { title: "Empty" });
  const file = join(tmpdir(), `svc-export-${process.pid}.pdf`);
  const args = ["workbooks", "export", "main", "pdf", "--dashboard-public-id", publicId];
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const { code, out, err } = await runSvc([...args, "--into", file], { env });
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toMatchObject({ file });
  expect(readFileSync(file).subarray(0, 5).toString()).toBe("%PDF-");
});
