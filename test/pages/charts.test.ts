// Charts on the page of a dashboard in a real browser: what fits, what is compared, and long tables.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardService,
  deployment,
  publish,
  startDashboardService,
} from "../contract/dashboard-service.ts";
import { accessibilityProblems, hasBrowser, openPage, startBrowser, why } from "./browser.ts";
import { below, control, newSession, publishEmbedded } from "./embedded-dashboards.ts";

type Place = readonly [x: number, y: number, w: number, h: number];

const chart = (title: string, [x, y, w, h]: Place, config: object) => ({
  id: title,
  type: "CHART",
  position: { x, y, w, h },
  config: { title, ...config },
});

const widgets = [
  chart("teams", [0, 0, 6, 6], {
    chart: "table",
    totals: true,
    query: { measures: ["visits.count", "visits.most"], dimensions: ["visits.team"] },
  }),
  chart("pages", [6, 0, 6, 10], {
    chart: "pivot",
    pivot: { rows: ["visits.team", "visits.page"], columns: ["visits.kind"] },
    query: {
      measures: ["visits.count", "visits.most"],
      dimensions: ["visits.team", "visits.page", "visits.kind"],
      order: { "visits.page": "asc" },
    },
  }),
  chart("small", [0, 6, 1, 2], { chart: "number", query: { measures: ["visits.count"] } }),
  chart("three", [1, 6, 2, 3], {
    chart: "number",
    query: { measures: ["visits.count", "visits.sum", "visits.most"] },
  }),
  chart("today", [3, 6, 3, 4], {
    chart: "number",
    query: {
      measures: ["visits.count"],
      timeDimensions: [{ dimension: "visits.at", granularity: "day" }],
    },
  }),
];

describe.skipIf(!hasBrowser)(`charts${why}`, () => {
  let service: DashboardService;
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];
  beforeAll(async () => {
    service = await startDashboardService();
    await service.done("POST", "/api/v1/user-groups", { name: "north" });
    browser = await startBrowser();
    const id = await publishEmbedded(service, { title: "Visits", widgets });
    ({ page, problems } = await openPage(browser, { viewport: { width: 1200, height: 900 } }));
    const session = await newSession(service);
    await page.goto(`${service.url}/embed/dashboard/${id}?session=${session}`);
    await page.locator(".number-value").nth(4).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const widget = (title: string) => page.getByRole("region", { name: title, exact: true });
  const boxOf = async (element: Locator) => {
    const box = await element.boundingBox();
    if (box === null) throw new Error("it is not drawn");
    return box;
  };

  it("add up what the service says can be added up", async () => {
    const cells = widget("teams").locator("tfoot td");
    await cells.first().waitFor();
    expect(await cells.allTextContents()).toEqual(["Total", "600", ""]);
  });

  it("show whole numbers in small tiles, and their labels where there is room", async () => {
    const body = await boxOf(widget("small").locator(".chart-body"));
    const number = await boxOf(widget("small").locator(".number-value"));
    expect(number.y).toBeGreaterThanOrEqual(body.y - 0.5);
    expect(number.y + number.height).toBeLessThanOrEqual(body.y + body.height + 0.5);
    const space = await boxOf(widget("three").locator(".chart-body"));
    const labels = await widget("three").locator(".number-label").all();
    expect(labels).toHaveLength(3);
    for (const label of labels) {
      const box = await boxOf(label);
      expect(box.y + box.height).toBeLessThanOrEqual(space.y + space.height + 0.5);
    }
  });

  it("compare no day that still runs", async () => {
    await widget("today").getByText("The period is still running, so it is not compared").waitFor();
    expect(await widget("today").locator(".number-comparison").count()).toBe(0);
  });

  it("keep the values of a long pivot under their headings, and its groups in view", async () => {
    const scroll = widget("pages").locator(".table-scroll");
    await scroll.locator("tbody th").first().waitFor();
    await scroll.evaluate((element) => {
      Object.assign(element, { scrollTop: 32 * 310 });
    });
    const row = scroll.locator("tbody tr", { hasText: "page 318" });
    await row.waitFor();
    // Of identifier 318, whose kind is 0, the largest is itself.
    expect((await row.locator("td").allTextContents()).slice(0, 2)).toEqual(["1", "318"]);
    const head = await boxOf(scroll.locator("thead th", { hasText: "Most" }).first());
    const value = await boxOf(row.locator("td").nth(1));
    expect(Math.abs(head.x - value.x)).toBeLessThan(2);
    const name = await boxOf(scroll.locator("tbody .row-name", { hasText: "team 10" }).first());
    const space = await boxOf(scroll);
    expect(name.y).toBeGreaterThanOrEqual(space.y + 2 * 32 - 1);
    expect(name.y).toBeLessThan(space.y + 4 * 32);
  });

  it("show the rows behind a value of a table with the keyboard", async () => {
    await widget("teams").getByRole("button", { name: "30", exact: true }).first().focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("cell", { name: "page 000" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(problems).toEqual([]);
  });

  it("show the links of a value, without those that are hostile or hidden, and go on to another dashboard", async () => {
    const named = async (slug: string, { workbookId }: { readonly workbookId: number }) =>
      service.done("PUT", `${deployment}/workbooks/${workbookId}`, { slug });
    await named("hidden", await publish(service, { title: "Hidden", widgets: [] }));
    const teams = {
      title: "Teams",
      widgets: [
        control("FILTER", 0, { member: "visits.team", title: "Team" }),
        below(chart("teams", [0, 0, 6, 6], widgets[0]?.config ?? {})),
      ],
    };
    const target = await publish(service, teams);
    await named("teams", target);
    await service.done("PUT", `${deployment}/workbooks/${target.workbookId}/embed-access`, {
      allEmbedUsers: true,
      action: "read",
      allowEmbed: true,
    });
    const query = { measures: ["items.cost"], dimensions: ["items.supplier", "items.color"] };
    const rows = {
      measures: ["items.count"],
      dimensions: ["items.supplier___link_site_url", "items.color"],
    };
    const pivot = { rows: ["items.supplier"], columns: ["items.color"] };
    const id = await publishEmbedded(service, {
      title: "Suppliers",
      widgets: [
        chart("table", [0, 0, 6, 4], { chart: "table", query }),
        chart("pivot", [6, 0, 6, 4], { chart: "pivot", pivot, query }),
        chart("addresses", [0, 4, 6, 4], { chart: "table", query: rows }),
      ],
    });
    const session = await newSession(service);
    await page.goto(`${service.url}/embed/dashboard/${id}?session=${session}`);
    const site = widget("addresses").getByRole("link", { name: "Site of the supplier" });
    expect(await site.getAttribute("href")).toBe("https://x.example/x");
    for (const title of ["pivot", "table"]) {
      await widget(title).getByRole("button", { name: "y", exact: true }).focus();
      await page.keyboard.press("Enter");
      const links = page.getByRole("dialog").getByRole("link");
      await links.first().waitFor();
      expect(await links.allTextContents()).toEqual(["Site of the supplier", "Teams"]);
      expect(await links.first().getAttribute("href")).toBe("https://x.example/x");
      expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer");
      expect(await accessibilityProblems(page)).toEqual([]);
      if (title === "pivot") await page.keyboard.press("Escape");
    }
    await page.getByRole("dialog").getByRole("link", { name: "Teams" }).click();
    await widget("teams").locator("tbody tr").first().waitFor();
    expect(await widget("teams").locator("tbody td").first().textContent()).toBe("team 03");
    expect(await widget("teams").locator("tbody tr").count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe(`/embed/dashboard/${target.publicId}`);
    expect(new URL(page.url()).searchParams.has("locale")).toBe(false);
    expect(problems).toEqual([]);
  });
});
