// The page of a dashboard in a real browser, against the real service: what viewers see, and what they cannot do.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardService,
  deployment,
  publish,
  startDashboardService,
  widgets,
} from "../contract/dashboard-service.ts";
import { accessibilityProblems, hasBrowser, openPage, startBrowser, why } from "./browser.ts";

/** Waits for a page under load. */
const eventually = <Value>(read: () => Promise<Value> | Value) =>
  expect.poll(read, { timeout: 30_000 });

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
      control("status", "FILTER", { member: "orders.status", title: "Status" }, 0),
      control("grain", "TIME_GRAIN", { member: "orders.created_at", title: "By" }, 3),
      ...widgets.map((widget) => below(widget)),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  async function publishFor(content: readonly object[], more: object = {}): Promise<string> {
    const config = { title: "Orders", widgets: content, ...more };
    const { publicId: id, workbookId } = await publish(service, config);
    await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
      allEmbedUsers: true,
      action: "read",
      allowEmbed: true,
    });
    return id;
  }

  async function newSession(options: object = {}): Promise<string> {
    const { sessionId } = await service.done("POST", "/api/v1/embed/generate-session", {
      deploymentId: 1,
      externalId: "jane",
      embedTenantName: "acme-inc",
      groups: ["north"],
      userProfile: { displayName: "Jane Doe" },
      ...options,
    });
    return String(sessionId);
  }

  async function addressOf(id: string, search = "", options: object = {}): Promise<string> {
    const session = await newSession(options);
    return `${service.url}/embed/dashboard/${id}?session=${session}${search}`;
  }

  const loaded = (page: Page) => page.getByRole("heading", { name: "Orders" }).waitFor();

  it("shows its data without an accessibility error, and forgets the session in the address", async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(await addressOf(publicId, "&tab_x=y"));
    await loaded(page);
    await page.getByText("31").first().waitFor();
    await page.getByRole("img", { name: /Bar chart of Revenue by Region/ }).waitFor();
    await page.getByText("This data cannot be shown at the moment.").waitFor();
    expect(page.url()).toBe(`${service.url}/embed/dashboard/${publicId}?session=used&tab_x=y`);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
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
    await page.route("**/load", (route) => route.fulfill({ status: 400, json: { error: "no" } }));
    await page.getByRole("button", { name: "Apply" }).click();
    await eventually(() => page.getByText("This data cannot be shown at the moment.").count()).toBe(
      4,
    );
    expect(await page.getByText("31", { exact: true }).count()).toBe(0);
    await page.unroute("**/load");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("11", { exact: true }).first().waitFor();
  });

  it("keeps its data while the service cannot be reached, and says how old they are", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(publicId));
    await page.getByText("31", { exact: true }).first().waitFor();
    await page.route("**/load", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page
      .getByText(/^As of/)
      .first()
      .waitFor();
    await page.getByText("31", { exact: true }).first().waitFor();
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
    await eventually(() => page.getByText("This data cannot be shown at the moment.").count()).toBe(
      4,
    );
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
          html: `<b>bold</b>${hostile}<a href="javascript:window.hacked=1">go</a>`,
          query: { measures: ["orders.count"] },
        },
      },
    ]);
    const { page } = await openPage(browser);
    await page.goto(await addressOf(attacked));
    await page.getByText("bold", { exact: true }).waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(
      await page.locator('a[href^="javascript:"], script:not([src]), img[onerror]').count(),
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
    let open = 0;
    let most = 0;
    let all = 0;
    page.on("request", (request) => {
      if (!request.url().endsWith("/load")) return;
      all++;
      most = Math.max(most, ++open);
    });
    const close = (request: Request): void => {
      if (request.url().endsWith("/load")) open--;
    };
    page.on("requestfinished", close);
    page.on("requestfailed", close);
    await page.goto(await addressOf(many));
    await eventually(() => page.getByText("This data cannot be shown").count()).toBe(10);
    await eventually(() => page.getByRole("img", { name: /Bar chart/ }).count()).toBe(40);
    expect(most).toBeLessThanOrEqual(6);
    expect(all).toBe(30);
    expect(problems).toEqual([]);
  });

  describe("in a frame", () => {
    let host: Server;
    let origin: string;
    let html = "";
    beforeAll(async () => {
      host = createServer((_, response) => {
        response.setHeader("content-type", "text/html");
        response.end(html);
      });
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
      origin = `http://localhost:${(host.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      host.close();
    });

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
      const { page } = await openPage(browser);
      await page.goto(origin);
      const frame = page.frameLocator("#frame");
      await frame.getByText("31", { exact: true }).first().waitFor();
      await act(page, "set-filter", { filterUrlParameter: 'f_orders.status={"value":"open"}' });
      await frame.getByText("20", { exact: true }).first().waitFor();
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
      await page.goto(origin);
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
      await page.goto(origin);
      await eventually(async () => (await eventsOf(page)).map(([, { type }]) => type)).toContain(
        "svc:event:session-needed",
      );
      await act(page, "set-session", { sessionId: await newSession() });
      await page.frameLocator("#frame").getByText("31", { exact: true }).first().waitFor();
    });
  });
});

/** The origin of an event and its message. */
type HostEvent = readonly [string, { readonly type: string; readonly payload: object }];

function control(id: string, type: string, config: object, x: number) {
  return { id, type, position: { x, y: 0, w: 3, h: 2 }, config };
}

function text(id: string, content: string) {
  return { id, type: "TEXT", config: { text: content } };
}

function below<Widget extends { readonly position: { readonly y: number } }>(
  widget: Widget,
): Widget {
  return { ...widget, position: { ...widget.position, y: widget.position.y + 2 } };
}
