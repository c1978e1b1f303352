// The page of a dashboard in a real browser, against the real service: what viewers see, and what they cannot do.
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardService,
  deployment,
  publish,
  startDashboardService,
  widgets,
} from "../contract/dashboard-service.ts";
import {
  accessibilityProblems,
  countQueries,
  eventually,
  hasBrowser,
  openPage,
  startBrowser,
  why,
} from "./browser.ts";
import {
  below,
  control,
  type HostSite,
  newSession,
  publishEmbedded,
  startHost,
} from "./embedded-dashboards.ts";

const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

describe.skipIf(!hasBrowser)(`the page of a dashboard${why}`, () => {
  let service: DashboardService;
  let browser: Browser;
  let publicId: string;

  beforeAll(async () => {
    service = await startDashboardService();
    browser = await startBrowser();
    await service.done("POST", "/api/v1/user-groups", { name: "north" });
    publicId = await publishFor([
      control("FILTER", 0, { member: "orders.status", title: "Status" }),
      control("TIME_GRAIN", 3, { member: "orders.created_at", title: "By" }),
      ...widgets.map((widget) => below(widget)),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const publishFor = (content: readonly object[], more: object = {}): Promise<string> =>
    publishEmbedded(service, { title: "Orders", widgets: content, ...more });

  async function addressOf(id: string, search = "", options: object = {}): Promise<string> {
    const session = await newSession(service, options);
    return `${service.url}/embed/dashboard/${id}?session=${session}${search}`;
  }

  const loaded = (page: Page) => page.getByRole("heading", { name: "Orders" }).waitFor();

  it("shows its data without an accessibility error, and forgets the session in the address", async () => {
    const { page, problems } = await openPage(browser);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    await page.goto(await addressOf(publicId, "&tab_x=y"));
    await loaded(page);
    // The dashboard comes with the token.
    expect(calls.filter((path) => path.startsWith("/api/"))).toEqual([
      "/api/v1/embed/session/token",
    ]);
    await page.getByText("31").first().waitFor();
    await page.getByRole("img", { name: /Bar chart of Revenue by Region/ }).waitFor();
    // The service refuses the query of one chart, which no other attempt changes.
    await page.getByText("This widget cannot be shown.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(page.url()).toBe(`${service.url}/embed/dashboard/${publicId}?session=used&tab_x=y`);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
  });

  it("draws reports in SQL under its controls, and says of one that is wrong as of any query", async () => {
    const chart = async (title: string, sqlQuery: string, y: number) => {
      const { id } = await service.done("POST", `${deployment}/reports`, { name: title, sqlQuery });
      const position = { x: 0, y, w: 12, h: 4 };
      return { id: title, type: "CHART", position, config: { reportId: id, chart: "table" } };
    };
    const where = "SELECT status, MEASURE(total) FROM orders";
    const id = await publishFor([
      control("FILTER", 0, { member: "orders.status", title: "Status" }),
      await chart("By status", `${where} GROUP BY 1`, 2),
      await chart("Wrong", `${where} GROUP BY stats`, 6),
    ]);
    const { page } = await openPage(browser);
    await page.goto(
      await addressOf(id, `&f_orders.status=${encodeURIComponent('{"value":"paid"}')}`),
    );
    const table = page.getByRole("region", { name: "By status" });
    await table.getByRole("cell", { name: "11", exact: true }).waitFor();
    expect(await table.getByText("open").count()).toBe(0);
    const wrong = page.getByRole("region", { name: "Wrong" });
    await page.getByText("This widget cannot be shown.").waitFor();
    expect(await wrong.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.context().close();
  });

  it("keeps what viewers pick in the address, and goes back", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByRole("button", { name: "Status: All" }).click();
    await page.getByRole("checkbox", { name: "paid" }).check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("11", { exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get("f_orders.status")).toBe(
      '{"operator":"equals","value":"paid"}',
    );
    await page.goBack();
    await page.getByText("31", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Status: All" }).waitFor();
  });

  it("shows no data of an earlier filter after the query of a new one failed", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByText("31", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Status: All" }).click();
    await page.getByRole("checkbox", { name: "paid" }).check();
    await page.route("**/load", (route) => route.fulfill({ status: 500, json: { error: "no" } }));
    await page.getByRole("button", { name: "Apply" }).click();
    await eventually(() => page.getByText("This data cannot be shown at the moment.").count()).toBe(
      3,
    );
    expect(await page.getByText("31", { exact: true }).count()).toBe(0);
    await page.unroute("**/load");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("11", { exact: true }).first().waitFor();
  });

  it("says that there are no data, and of filters only if there are some", async () => {
    const query = {
      dimensions: ["orders.region"],
      filters: [{ member: "orders.region", operator: "equals", values: ["nowhere"] }],
    };
    const empty = await publishFor([
      control("FILTER", 0, { member: "orders.status", title: "Status" }),
      placed("CHART", "none", [0, 2], { chart: "table", query }),
    ]);
    const { page } = await openPage(browser);
    await page.goto(await addressOf(empty));
    await page.getByText("No data", { exact: true }).waitFor();
    const filter = encodeURIComponent('{"value":"open"}');
    await page.goto(await addressOf(empty, `&f_orders.status=${filter}`));
    await page.getByText("No data for these filters").waitFor();
  });

  it("keeps its data while the service cannot be reached, and says how old they are and why", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByText("31", { exact: true }).first().waitFor();
    await page.route("**/load", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page
      .getByText(/^As of/)
      .first()
      .waitFor();
    await page.getByText("The service cannot be reached. Check your connection.").first().waitFor();
    await page.getByText("31", { exact: true }).first().waitFor();
    // The service comes back: the charts need no click.
    await page.unroute("**/load");
    await eventually(() => page.getByText(/^As of/).count()).toBe(0);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Refresh" }).click();
    await eventually(() => page.getByText(/^As of/).count()).toBe(3);
    await page.context().setOffline(false);
    await eventually(() => page.getByText(/^As of/).count()).toBe(0);
    await page.getByText("31", { exact: true }).first().waitFor();
    // Whoever may not see the data any more does not see old ones.
    await page.route("**/load", (route) => route.fulfill({ status: 403, json: { error: "no" } }));
    await page.getByRole("button", { name: "Refresh" }).click();
    await eventually(() => page.getByText("You do not have access to this data.").count()).toBe(4);
    expect(await page.getByText("31", { exact: true }).count()).toBe(0);
  });

  it("changes its charts with fields, parents, open ranges and tabs, and keeps them in the address", async () => {
    const byRegion = { measures: ["orders.total"], dimensions: ["orders.region"] };
    const at = (id: string, more: object) =>
      placed("CHART", id, [0, 2], { title: id, query: byRegion, ...more });
    const shown = await publishFor([
      control("FIELD", 0, { member: "orders.region", options: ["orders.status"], title: "Split" }),
      control("PARENT", 3, {
        title: "Show",
        options: [{ title: "Open ones", set: { "FILTER 6": "open" } }],
      }),
      control("FILTER", 6, { member: "orders.status", title: "Status" }),
      control("FILTER", 9, { member: "orders.created_at", title: "When" }),
      at("bars", {}),
      at("total", { chart: "number", query: { measures: ["orders.total"] } }),
      at("hidden", { chart: "number", query: { measures: ["orders.count"] } }),
      placed("CONTAINER", "tabs", [6, 2], {
        tabs: [
          { id: "one", title: "One", widget: "total" },
          { id: "two", title: "Two", widget: "hidden" },
        ],
      }),
    ]);
    const { page, problems } = await openPage(browser);
    let queries: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/load")) queries.push(request.postData() ?? "");
    });
    const picked = (name: string) => new URL(page.url()).searchParams.get(name);
    await page.goto(await addressOf(shown));
    await page.getByRole("img", { name: /Revenue by Region/ }).waitFor();
    await page.getByText("31", { exact: true }).waitFor();
    expect(queries.filter((query) => query.includes("orders.count"))).toEqual([]);
    await page.getByRole("tab", { name: "One" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("2", { exact: true }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByLabel("Split").selectOption({ label: "Status" });
    await page.getByRole("img", { name: /Revenue by Status/ }).waitFor();
    await page.getByLabel("Show").selectOption({ label: "Open ones" });
    await page.getByText("20", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Status: open" }).click();
    await page.getByRole("button", { name: "Clear" }).click();
    queries = [];
    await page.getByRole("button", { name: "When: All" }).click();
    await page.getByLabel("To", { exact: true }).fill("2026-01-05");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("11", { exact: true }).waitFor();
    await page.getByRole("button", { name: "When: … – 2026-01-05" }).waitFor();
    expect(
      ["tab_tabs", "ms_orders.region", "p_PARENT 3", "f_orders.status", "f_orders.created_at"].map(
        picked,
      ),
    ).toEqual([
      "one",
      "orders.status",
      "0",
      "null",
      '{"operator":"inDateRange","value":[null,"2026-01-05"]}',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows what containers hold that hold each other, and a box for what they cannot hold", async () => {
    const holding = (id: string, ...names: readonly string[]) =>
      placed("CONTAINER", id, [0, 0], { widgets: names });
    const shown = await publishFor([
      holding("outer", "inner"),
      holding("inner", "outer", "total"),
      placed("CHART", "total", [0, 0], {
        chart: "number",
        query: { measures: ["orders.total"] },
      }),
    ]);
    const { page } = await openPage(browser);
    await page.goto(await addressOf(shown));
    await page.getByText("31", { exact: true }).waitFor();
    expect(await page.getByText("This widget cannot be shown.").count()).toBe(1);
  });

  it("shows rows behind a value, downloads them and pictures, and takes comments, in its own theme", async () => {
    await service.done("PUT", "/api/v1/app-config", {
      embedding: { enableDashboardComments: true },
    });
    const shown = await publishFor(
      [
        placed("CHART", "colors", [0, 0], {
          title: "Colors",
          query: { measures: ["items.count"], dimensions: ["items.color"] },
        }),
        placed("CHART", "untitled", [6, 0], {
          chart: "number",
          query: { measures: ["items.count"] },
        }),
      ],
      { theme: { mode: "dark", primaryColor: "#0a7d5c" } },
    );
    const { page, problems } = await openPage(browser);
    await page.goto(await addressOf(shown, "&allowExport=true", { roles: ["AIBIUser"] }));
    const chart = page.getByRole("img", { name: /Bar chart/ });
    await chart.focus();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator("html").getAttribute("data-scheme")).toBe("dark");
    const accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent')";
    expect(await page.evaluate(accent)).toBe("rgb(10, 125, 92)");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("cell", { name: "x", exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const download = async (menu: string, item: string) => {
      await page.getByRole("button", { name: menu, exact: true }).click();
      const started = page.waitForEvent("download", { timeout: 60_000 });
      await page.getByRole("menuitem", { name: item }).click();
      const file = await started;
      return [file.suggestedFilename(), await readFile(await file.path())] as const;
    };
    const [csv, rows] = await download("More actions: Colors", "Download CSV");
    expect([csv, rows.toString()]).toEqual(["Colors.csv", "\uFEFFColor,Count\r\nred,1\r\n"]);
    for (const menu of ["More actions: Colors", "Export"]) {
      const [name, png] = await download(menu, "Download PNG");
      expect([name, png.subarray(1, 4).toString()]).toEqual([
        menu === "Export" ? "Orders.png" : "Colors.png",
        "PNG",
      ]);
    }
    await page.getByRole("button", { name: "Comments" }).click();
    await page.getByLabel("Add a comment").fill(`Why red? ${hostile}`);
    await page.getByRole("button", { name: "Send" }).first().click();
    await page.getByText("Why red?").waitFor();
    await page.getByLabel("Reply").fill("It is a sample.");
    await page.getByRole("button", { name: "Send" }).last().click();
    await page.getByText("It is a sample.").waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("Resolved").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    await service.done("PUT", "/api/v1/app-config", { embedding: {} });
  });

  it("offers the people whom a comment can mention, and shows whom it mentions", async () => {
    await service.done("PUT", "/api/v1/app-config", {
      embedding: { enableDashboardComments: true },
    });
    for (const [externalId, displayName] of [
      ["kim", "Kim <i>Lee"],
      ["kit", "Kit Moss"],
    ]) {
      await newSession(service, { externalId, userProfile: { displayName } });
    }
    const { page, problems } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByRole("button", { name: "Comments" }).click();
    const box = page.getByLabel("Add a comment");
    await box.pressSequentially("Ask @ki");
    const people = page.getByRole("listbox", { name: "People" });
    await people.getByRole("option").nth(1).waitFor();
    await page.getByText("2 people found. Choose with the arrow keys.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    // The newest first.
    expect(await people.getByRole("option").allTextContents()).toEqual(["Kit Moss", "Kim <i>Lee"]);
    await page.keyboard.press("ArrowDown");
    const active = await box.getAttribute("aria-activedescendant");
    expect(await people.getByRole("option", { selected: true }).getAttribute("id")).toBe(active);
    await page.keyboard.press("Enter");
    expect(await box.inputValue()).toBe("Ask @Kim <i>Lee ");
    await box.pressSequentially("and @kit");
    await people.waitFor();
    await page.keyboard.press("Escape");
    await people.waitFor({ state: "detached" });
    await box.pressSequentially(" too");
    await page.getByRole("button", { name: "Send" }).first().click();
    const mention = page.getByRole("article").getByText("@Kim <i>Lee", { exact: true });
    await mention.waitFor();
    expect(await mention.evaluate((element) => element.nodeName)).toBe("STRONG");
    await page.getByText("and @kit too").waitFor();
    const kim = await newSession(service, { externalId: "kim" });
    const { token } = await service.done("POST", "/api/v1/embed/session/token", { sessionId: kim });
    const path = `/api/v1/embed/dashboard/${publicId}/comments?mentionsMe=true`;
    const mine = await service.as(String(token)).send("GET", path);
    expect(mine.body).toMatchObject({ items: [{ body: "Ask @Kim <i>Lee and @kit too" }] });
    expect(problems).toEqual([]);
    await service.done("PUT", "/api/v1/app-config", { embedding: {} });
  });

  it("is printed with all its charts, as wide as the paper", async () => {
    const shown = await publishFor(
      Array.from({ length: 6 }, (_, index) =>
        placed("CHART", `c${index}`, [6, index * 8], {
          title: `Chart ${index}`,
          query: { measures: ["orders.count"], dimensions: ["orders.region"], limit: index + 1 },
        }),
      ),
    );
    const { page } = await openPage(browser, { viewport: { width: 1400, height: 600 } });
    await page.goto(await addressOf(shown));
    const charts = page.getByRole("img", { name: /Bar chart/ });
    await charts.first().waitFor();
    expect(await charts.count()).toBeLessThan(6);
    await page.pdf();
    await eventually(() => charts.count()).toBe(6);
    await page.emulateMedia({ media: "print" });
    // Paper is narrower than the window for which scripts drew.
    const over = await page.evaluate(`(() => {
      document.body.style.width = "700px";
      return [...document.querySelectorAll(".cell, .chart-canvas canvas")].map(
        (element) => Math.max(0, element.getBoundingClientRect().right - 700),
      );
    })()`);
    expect(over).toEqual(Array.from({ length: 12 }, () => 0));
  });

  it("starts with the values of the address, in the language that it names", async () => {
    const { page } = await openPage(browser);
    const filter = encodeURIComponent('{"value":["open"]}');
    await page.goto(await addressOf(publicId, `&f_orders.status=${filter}&locale=de-AT`));
    await page.getByText("20", { exact: true }).first().waitFor();
    expect(await page.getAttribute("html", "lang")).toBe("de-DE");
  });

  it("shows a filter with an operator that it does not know, whose query the service refuses", async () => {
    const { page } = await openPage(browser);
    const filter = encodeURIComponent('{"value":"paid","operator":"resembles"}');
    await page.goto(await addressOf(publicId, `&f_orders.status=${filter}`));
    await page.getByRole("button", { name: "Status: resembles paid" }).waitFor();
    await eventually(() => page.getByText("This widget cannot be shown.").count()).toBe(4);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  it("can be used with the keyboard alone", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    const chart = page.getByRole("img", { name: /Bar chart/ });
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await eventually(() => page.getByRole("status").last().textContent()).toMatch(/north.*31/);
    await page.getByRole("button", { name: "Status: All" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Apply" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe(
      "Status: All",
    );
  });

  it("shows the rows of a chart as a table", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByRole("button", { name: "More actions: by region" }).click();
    await page.getByRole("menuitem", { name: "Show data" }).click();
    await page.getByRole("cell", { name: "north" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("runs nothing that texts of a dashboard contain", async () => {
    const attacked = await publishFor([
      {
        ...text("hostile", `[link](javascript:window.hacked=1) ${hostile}`),
        position: { x: 0, y: 0, w: 6, h: 2 },
      },
      {
        id: "html",
        type: "CHART",
        position: { x: 6, y: 0, w: 6, h: 4 },
        config: {
          title: hostile,
          chart: "html",
          html: `<b class="popover-panel">bold</b>${hostile}<a href="javascript:window.hacked=1">go</a><textarea></textarea>`,
          query: { measures: ["orders.count"] },
        },
      },
    ]);
    const { page } = await openPage(browser);
    await page.goto(await addressOf(attacked));
    await page.getByText("bold", { exact: true }).waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(
      await page
        .locator('a[href^="javascript:"], script:not([src]), img[onerror], textarea, b[class]')
        .count(),
    ).toBe(0);
  });

  it("says what a host can do about a session that was used, and shows no dashboard of others", async () => {
    const { page } = await openPage(browser);
    const address = await addressOf(publicId);
    await page.goto(address);
    await loaded(page);
    await page.goto(address);
    await page.getByText("The link to this dashboard was used or has expired.").waitFor();
    const secret = await publish(service, { title: "Secret", widgets: [] });
    await page.goto(await addressOf(secret.publicId));
    await page.getByText("There is no such dashboard, or you may not view it.").waitFor();
  });

  it("fits a phone, and draws nothing outside it", async () => {
    const { page } = await openPage(browser, { viewport: { width: 320, height: 700 } });
    await page.goto(await addressOf(publicId));
    await loaded(page);
    await page.getByRole("img", { name: /Bar chart/ }).waitFor();
    const root = "document.documentElement";
    const scrollWidth = await page.evaluate(`${root}.scrollWidth`);
    const clientWidth = await page.evaluate(`${root}.clientWidth`);
    expect(scrollWidth).toBe(clientWidth);
  });

  it("sends at most six queries at once, and identical ones once", async () => {
    const many = await publishFor(
      Array.from({ length: 50 }, (_, at) => ({
        id: `w${at}`,
        type: "CHART",
        position: { x: (at % 4) * 3, y: Math.floor(at / 4) * 4, w: 3, h: 4 },
        config: {
          title: `Chart ${at}`,
          query:
            at < 10
              ? { measures: ["broken.count"], limit: at + 1 }
              : { measures: ["orders.count"], limit: (at % 20) + 1, dimensions: ["orders.region"] },
        },
      })),
    );
    const { page, problems } = await openPage(browser, { viewport: { width: 1400, height: 4000 } });
    const queries = await countQueries(page);
    await page.goto(await addressOf(many));
    await eventually(() => page.getByText("This widget cannot be shown.").count()).toBe(10);
    await eventually(() => page.getByRole("img", { name: /Bar chart/ }).count()).toBe(40);
    expect(queries).toEqual({ ended: 30, most: 6 });
    expect(problems).toEqual([]);
  });

  describe("in a frame", () => {
    let host: HostSite;
    let html = "";
    beforeAll(async () => {
      host = await startHost(() => html);
    });
    afterAll(() => host.close());

    const framed = (address: string) => `<!doctype html><title>host</title>
      <iframe id="frame" src="${address}" style="width:900px;height:300px"></iframe>
      <script>
        window.events = [];
        addEventListener("message", (event) => window.events.push([event.origin, event.data]));
        window.act = (type, payload) => document.getElementById("frame").contentWindow
          .postMessage({ source: "svc-embed", direction: "action", type: "svc:action:" + type, payload }, "*");
      </script>`;
    const eventsOf = (page: Page): Promise<readonly HostEvent[]> => page.evaluate("window.events");
    const act = (page: Page, type: string, payload: object) =>
      page.evaluate(`window.act(${JSON.stringify(type)}, ${JSON.stringify(payload)})`);

    it("tells its host what happens and follows its actions", async () => {
      html = framed(await addressOf(publicId));
      const { page, problems } = await openPage(browser);
      await page.goto(host.url);
      const frame = page.frameLocator("#frame");
      await frame.getByText("31", { exact: true }).first().waitFor();
      await act(page, "set-filter", { filterUrlParameter: 'f_orders.status={"value":"open"}' });
      await frame.getByText("20", { exact: true }).first().waitFor();
      await act(page, "set-timezone", { timezone: "Mars/Phobos" });
      await act(page, "refresh", {});
      await act(page, "set-color-scheme", { scheme: "dark" });
      await eventually(() => frame.locator("html").getAttribute("data-scheme")).toBe("dark");
      await eventually(async () => (await eventsOf(page)).map(([, { type }]) => type)).toEqual(
        expect.arrayContaining([
          "svc:event:ready",
          "svc:event:view",
          "svc:event:resize",
          "svc:event:dashboard-loaded",
        ]),
      );
      const events = await eventsOf(page);
      expect(events[0]?.[1].type).toBe("svc:event:ready");
      expect(events[0]?.[1].payload).toMatchObject({
        embedTenant: "acme-inc",
        mode: "signed",
        publicId,
      });
      expect(new Set(events.map(([from]) => from))).toEqual(new Set([service.url]));
      expect(await frame.getByText("This data cannot be shown").count()).toBe(0);
      expect(problems).toEqual([]);
      // The height of the content does not depend on the height of the frame: it is sent once.
      await page.evaluate('document.getElementById("frame").style.height = "2000px"');
      await page.waitForTimeout(300);
      const heights = (await eventsOf(page)).filter(([, { type }]) => type === "svc:event:resize");
      expect(new Set(heights.map(([, { payload }]) => JSON.stringify(payload))).size).toBe(
        heights.length,
      );
    });

    it("is not shown by an origin that the account does not declare, and hears no action of one", async () => {
      await service.done("PUT", "/api/v1/app-config", {
        embedding: { allowedOrigins: ["https://app.example.com"] },
      });
      html = framed(await addressOf(publicId));
      const { page } = await openPage(browser);
      await page.goto(host.url);
      await page.waitForTimeout(700);
      expect(await page.frameLocator("#frame").getByText("31").count()).toBe(0);
      expect(await eventsOf(page)).toEqual([]);
      await service.done("PUT", "/api/v1/app-config", { embedding: {} });
    });

    it("takes another session from its host in place of one that was used", async () => {
      const address = await addressOf(publicId);
      const { page: first } = await openPage(browser);
      await first.goto(address);
      await loaded(first);
      html = framed(address);
      const { page } = await openPage(browser);
      await page.goto(host.url);
      await eventually(async () => (await eventsOf(page)).map(([, { type }]) => type)).toContain(
        "svc:event:session-needed",
      );
      await act(page, "set-session", { sessionId: await newSession(service) });
      const frame = page.frameLocator("#frame");
      await frame.getByText("31", { exact: true }).first().waitFor();
      // The page follows a session of another viewer.
      await frame.getByRole("img", { name: "Jane Doe" }).waitFor();
      const zoe = { externalId: "zoe", userProfile: { displayName: "Zoe Zimmer" }, groups: [] };
      await act(page, "set-session", { sessionId: await newSession(service, zoe) });
      await frame.getByRole("img", { name: "Zoe Zimmer" }).waitFor();
      await eventually(() => frame.getByText("31", { exact: true }).count()).toBe(0);
    });

    it("shows nothing of one embed tenant to a session of another", async () => {
      const { publicId: acmes, workbookId } = await publish(service, {
        title: "Orders",
        widgets: widgets.map((widget) => below(widget)),
      });
      await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
        embedTenantName: "acme-inc",
        action: "read",
        allowEmbed: true,
      });
      html = framed(await addressOf(acmes));
      const { page } = await openPage(browser);
      await page.goto(host.url);
      const frame = page.frameLocator("#frame");
      await frame.getByText("31", { exact: true }).first().waitFor();
      const other = await newSession(service, { embedTenantName: "other-inc" });
      await act(page, "set-session", { sessionId: other });
      await frame.getByText("There is no such dashboard, or you may not view it.").waitFor();
      expect(await frame.getByText("31", { exact: true }).count()).toBe(0);
    });

    it("goes on to another dashboard with its parameters and without its theme, and can be loaded again", async () => {
      const red = { theme: { primaryColor: "#ff0000", backgroundColor: "#ffeeee" } };
      const [first, second] = [await publishFor(widgets, red), await publishFor(widgets)];
      html = framed(await addressOf(first, "&showDashboardTitle=false&f_orders.status=null"));
      const { page } = await openPage(browser);
      await page.goto(host.url);
      const frame = page.frameLocator("#frame");
      const style = () => frame.locator("html").getAttribute("style");
      await eventually(style).toContain("--accent");
      await act(page, "navigate", { path: `/embed/dashboard/${second}?tab_a=b` });
      await eventually(style).not.toContain("--accent");
      expect(page.frames()[1]?.url()).toBe(
        `${service.url}/embed/dashboard/${second}?tab_a=b&session=used&showDashboardTitle=false`,
      );
      const sessionsNeeded = async () =>
        (await eventsOf(page)).filter(([, { type }]) => type === "svc:event:session-needed").length;
      expect(await sessionsNeeded()).toBe(0);
      await page.frames()[1]?.evaluate("location.reload()");
      await eventually(sessionsNeeded).toBe(1);
      await act(page, "set-session", { sessionId: await newSession(service) });
      await frame.getByText("31", { exact: true }).first().waitFor();
    });
  });
});

/** The origin of an event and its message. */
type HostEvent = readonly [string, { readonly type: string; readonly payload: object }];

function placed(type: string, id: string, [x, y]: readonly [number, number], config: object) {
  return { id, type, position: { x, y, w: 6, h: 5 }, config };
}

function text(id: string, content: string) {
  return { id, type: "TEXT", config: { text: content } };
}
