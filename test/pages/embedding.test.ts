// svc-embed in the pages of hosts, in a real browser against the real service.
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardService,
  startDashboardService,
  widgets,
} from "../contract/dashboard-service.ts";
import {
  below,
  control,
  type HostSite,
  newSession,
  publishEmbedded,
  startHost,
} from "./embedded-dashboards.ts";
import { eventually, hasBrowser, openPage, startBrowser, why } from "./browser.ts";

/** What a script of a test finds in the page of the host. */
interface HostWindow {
  readonly dashboard: {
    readonly iframe: { readonly offsetHeight: number; readonly src: string };
    readonly on: (type: string, listener: () => void) => () => void;
    readonly setFilter: (member: string, value: unknown) => void;
    readonly setLocale: (locale: string) => void;
    readonly setColorScheme: (scheme: string) => void;
    readonly navigate: (path: string) => void;
    readonly refresh: () => void;
    readonly destroy: () => void;
  };
  readonly events: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> }[];
  readonly sessionsFetched: number;
}

declare const window: HostWindow & typeof globalThis;

describe.skipIf(!hasBrowser)(`svc-embed in the page of a host${why}`, () => {
  let service: DashboardService;
  let browser: Browser;
  let host: HostSite;
  let orders: string;
  let publicId: string;
  /** The body of the host's page, for the next request. */
  let body = "";

  beforeAll(async () => {
    service = await startDashboardService();
    // Frames need no cookies of other sites, which browsers are about to block.
    browser = await startBrowser("--test-third-party-cookie-phaseout");
    await service.done("POST", "/api/v1/user-groups", { name: "north" });
    orders = await publishFor("Orders");
    publicId = orders;
    host = await startHost(({ url }) =>
      url === "/session"
        ? newSession(service)
        : `<!doctype html><body><div id="place"></div><script src="${service.url}/embed/svc-embed.js"></script>${body}`,
    );
  });
  afterAll(async () => {
    await browser.close();
    host.close();
    await service.close();
  });

  const publishFor = (title: string): Promise<string> =>
    publishEmbedded(service, {
      title,
      widgets: [
        control("FILTER", 0, { member: "orders.status", title: "Status" }),
        ...widgets.map((widget) => below(widget)),
      ],
    });

  /** Opens the page of a host that embeds the dashboard, with more options of `embedDashboard`. */
  async function openHost(
    options: object = {},
    fetchSession = 'fetch("/session").then((answer) => answer.text())',
    { hasClock = false } = {},
  ): Promise<{ readonly page: Page; readonly frame: FrameLocator; readonly problems: string[] }> {
    const all = { url: service.url, publicId, mountPoint: "#place", ...options };
    body = `<script>
      var events = [], sessionsFetched = 0;
      var dashboard = svcEmbed.embedDashboard({
        fetchSession: () => { sessionsFetched++; return ${fetchSession}; },
        onEvent: (event) => events.push(event),
        ...${JSON.stringify(all)},
      });
    </script>`;
    const { page, problems } = await openPage(browser);
    // The test sets the time of the browser.
    if (hasClock) await page.clock.install();
    await page.goto(host.url);
    return { page, frame: page.frameLocator("#place iframe"), problems };
  }

  /** What the console says of the widget whose query fails. */
  const broken = expect.stringMatching(/^svc-embed: query: broken: /) as string;
  const typesIn = (page: Page) => page.evaluate(() => window.events.map(({ type }) => type));
  const reached = (page: Page, type: string) =>
    page.waitForFunction((name) => window.events.some((one) => one.type === name), type);

  it("shows the dashboard as high as its content, and tells the host what happens", async () => {
    const { page, frame, problems } = await openHost();
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    await reached(page, "dashboard-loaded");
    const types = await typesIn(page);
    expect(types[0]).toBe("ready");
    expect(types).toEqual(expect.arrayContaining(["ready", "view", "resize", "dashboard-loaded"]));
    const [ready] = await page.evaluate(() => window.events);
    expect(ready?.payload).toMatchObject({ embedTenant: "acme-inc", mode: "signed", publicId });
    const heights = await page.evaluate(() => [
      window.dashboard.iframe.offsetHeight,
      window.events.findLast(({ type }) => type === "resize")?.payload["height"],
    ]);
    expect(heights[0]).toBe(heights[1]);
    expect(heights[0]).toBeGreaterThan(400);
    // The frame does not jump: its first height is the last one.
    expect((await typesIn(page)).filter((type) => type === "resize")).toHaveLength(1);
    expect(problems).toEqual([broken]);
  });

  it("is as high as a panel that is open at its end", async () => {
    publicId = await publishEmbedded(service, {
      title: "Filters",
      widgets: [control("FILTER", 0, { member: "orders.status", title: "Status" })],
    });
    const { page, frame } = await openHost();
    await frame.getByRole("button", { name: "Status: All" }).click();
    await frame.getByRole("checkbox", { name: "paid" }).waitFor();
    const panel = await frame.getByRole("dialog").boundingBox();
    const end = (panel?.y ?? Infinity) + (panel?.height ?? 0);
    const height = () => page.evaluate(() => window.dashboard.iframe.offsetHeight);
    await expect.poll(height).toBeGreaterThan(end);
    const high = await height();
    await page.keyboard.press("Escape");
    await expect.poll(height).toBeLessThan(high - 100);
    publicId = orders;
  });

  it("lets viewers sign in without cookies in the frame, and hands the token to nobody else", async () => {
    const user = { username: "vera", email: "vera@example.com", isAdmin: true };
    const { id } = await service.done("POST", "/api/v1/users", user);
    const { url } = await service.done("POST", `/api/v1/users/${String(id)}/password-link`);
    const allowed = { allowedOrigins: [new URL(host.url).origin] };
    await service.done("PUT", "/api/v1/app-config", { embedding: allowed });
    const { page, frame } = await openHost({ fetchSession: null });
    await page.context().addInitScript(`window.addEventListener("message", ({ data }) => {
      if (data?.token) (window.tokens ??= []).push(location.pathname);
    })`);
    const signIn = async () => {
      const opened = page.context().waitForEvent("page");
      await frame.getByRole("link", { name: "Sign in" }).click();
      return opened;
    };
    const popup = await signIn();
    await popup.getByLabel("Username or email").waitFor();
    await popup.goto(String(url));
    await popup.getByLabel("New password").fill("correct horse battery");
    await popup.keyboard.press("Enter");
    await popup.getByRole("heading", { name: "Dashboards" }).waitFor();
    await popup.close();
    // The viewer has signed in now: the window closes by itself.
    const second = await signIn();
    await eventually(() => second.isClosed()).toBe(true);
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    await frame.getByText("331", { exact: true }).first().waitFor();
    const [ready] = await page.evaluate(() => window.events.filter(({ type }) => type === "ready"));
    expect(ready?.payload).toMatchObject({ mode: "private", publicId });
    expect(await page.evaluate("window.tokens")).toBeUndefined();
    // The cookie of the sign-in is not in the frame, so a reload asks again.
    await page.frames()[1]?.evaluate("location.reload()");
    await frame.getByText("Sign in to view this dashboard.").waitFor();
    await page.context().clearCookies();
    const third = await signIn();
    await third.getByLabel("Username or email").fill("vera");
    await third.getByLabel("Password").fill("correct horse battery");
    await third.keyboard.press("Enter");
    await eventually(() => third.isClosed()).toBe(true);
    await frame.getByText("331", { exact: true }).first().waitFor();
    await service.done("PUT", "/api/v1/app-config", { embedding: {} });
  });

  it("starts with filters of the host, and takes filters, language and colors later", async () => {
    const { page, frame } = await openHost({
      filters: { "orders.status": ["open"] },
      colorScheme: "dark",
    });
    // Before the dashboard is shown: the action waits.
    await page.evaluate(() => window.dashboard.setLocale("de-DE"));
    await frame.getByText("20", { exact: true }).first().waitFor();
    const root = frame.locator("html");
    await expect.poll(() => root.getAttribute("lang")).toBe("de-DE");
    expect(await root.getAttribute("data-scheme")).toBe("dark");
    await page.evaluate(() => window.dashboard.setFilter("orders.status", "paid"));
    await frame.getByText("11", { exact: true }).first().waitFor();
    await page.evaluate(() => window.dashboard.setFilter("orders.status", null));
    await frame.getByText("31", { exact: true }).first().waitFor();
    await frame.getByRole("button", { name: "Status: All" }).waitFor();
    await page.evaluate(() => window.dashboard.setColorScheme("sepia"));
    await page.evaluate(() => window.dashboard.setFilter("orders.status", "paid"));
    await frame.getByText("11", { exact: true }).first().waitFor();
    expect(await root.getAttribute("data-scheme")).toBe("dark");
    await page.evaluate(() => window.dashboard.setFilter("orders.status", undefined));
    await frame.getByText("31", { exact: true }).first().waitFor();
    await page.evaluate(() => window.dashboard.setColorScheme("light"));
    await expect.poll(() => root.getAttribute("data-scheme")).toBe("light");
  });

  it("shows another dashboard in the same session, with the colors of the host", async () => {
    const other = await publishFor("Returns");
    const { page, frame } = await openHost({ colorScheme: "dark" });
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    await page.evaluate((path) => window.dashboard.navigate(path), `/embed/dashboard/${other}`);
    await frame.getByRole("heading", { name: "Returns" }).waitFor();
    await expect.poll(() => frame.locator("html").getAttribute("data-scheme")).toBe("dark");
    expect(await page.evaluate(() => window.sessionsFetched)).toBe(1);
  });

  it("fetches another session if the first was used already", async () => {
    const used = await newSession(service);
    await service.done("POST", "/api/v1/embed/session/token", { sessionId: used });
    const { page, frame } = await openHost(
      {},
      `sessionsFetched > 1 ? fetch("/session").then((answer) => answer.text()) : ${JSON.stringify(used)}`,
    );
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    expect(await page.evaluate(() => window.sessionsFetched)).toBe(2);
  });

  it("fetches another session before the token ends, without loading the frame again", async () => {
    const { page, frame } = await openHost({}, undefined, { hasClock: true });
    await reached(page, "dashboard-loaded");
    const exchanged = page.waitForResponse((answer) => answer.url().endsWith("/session/token"));
    await page.clock.setSystemTime(Date.now() + 23.5 * 3_600_000);
    await page.evaluate(() => window.dashboard.refresh());
    expect((await exchanged).status()).toBe(200);
    await frame.getByText("31", { exact: true }).first().waitFor();
    expect(await page.evaluate(() => window.sessionsFetched)).toBe(2);
    expect((await typesIn(page)).filter((type) => type === "ready")).toHaveLength(1);
  });

  it("fetches another session if the viewer loads the frame again", async () => {
    const { page, frame } = await openHost();
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    await page.frames()[1]?.evaluate("location.reload()");
    await page.waitForFunction(() => window.sessionsFetched === 2);
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
  });

  it("says that a backend creates no session, to the host and to viewers, and shows the dashboard once it creates one", async () => {
    const { page, frame, problems } = await openHost(
      { texts: { unavailable: "Nicht verfügbar." } },
      `window.isUp ? fetch("/session").then((answer) => answer.text()) : Promise.reject(new Error("no backend"))`,
    );
    await reached(page, "error");
    // Also without a listener, the console says why there is nothing.
    expect(problems[0]).toBe("svc-embed: fetchSession: no backend");
    const [error] = await page.evaluate(() => window.events);
    const payload = { message: "no backend", context: "fetchSession", fatal: true };
    expect(error).toEqual({ type: "error", payload });
    expect(await page.evaluate(() => window.dashboard.iframe.src)).toBe("");
    const notice = page.getByRole("alert");
    expect(await notice.innerText()).toBe("Nicht verfügbar. Try again");
    await page.evaluate("window.isUp = true");
    await notice.getByRole("button").click();
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  it("recovers from a session that ended while the backend was down, and says so", async () => {
    const first = await newSession(service);
    const { page, frame } = await openHost(
      {},
      `sessionsFetched === 1 ? "${first}" : window.isDown ? Promise.reject(new Error("down"))
        : fetch("/session").then((answer) => answer.text())`,
    );
    await frame.getByText("31", { exact: true }).first().waitFor();
    await page.evaluate("window.isDown = true");
    await service.send("POST", "/api/v1/embed/session/revoke", { sessionId: first });
    await page.evaluate(() => window.dashboard.refresh());
    await reached(page, "error");
    await page.waitForFunction(() => window.sessionsFetched > 3);
    await page.evaluate("window.isDown = false");
    expect(await typesIn(page)).not.toContain("session-renewed");
    await page.evaluate(() => window.dashboard.refresh());
    await reached(page, "session-renewed");
    await frame.getByText("31", { exact: true }).first().waitFor();
    await expect.poll(() => frame.getByText(/^As of/).count()).toBe(0);
    expect((await typesIn(page)).filter((type) => type === "ready")).toHaveLength(1);
  });

  it("shows data again after a page waited in vain for a session", async () => {
    const first = await newSession(service);
    const { page, frame } = await openHost(
      {},
      `sessionsFetched === 1 ? "${first}" : window.isDown ? Promise.reject(new Error("down"))
        : fetch("/session").then((answer) => answer.text())`,
      { hasClock: true },
    );
    await frame.getByText("31", { exact: true }).first().waitFor();
    await page.evaluate("window.isDown = true");
    await service.send("POST", "/api/v1/embed/session/revoke", { sessionId: first });
    await page.evaluate(() => window.dashboard.refresh());
    await page.waitForFunction(() => window.sessionsFetched > 2);
    await seenWhileTimeRuns(page, frame.getByText("Your session has ended."));
    await page.evaluate("window.isDown = false");
    await seenWhileTimeRuns(page, frame.getByText("31", { exact: true }));
    await expect
      .poll(() => frame.getByText("Your session has ended.").count(), { timeout: 15_000 })
      .toBe(0);
  });

  it("says that a page does not answer, which is another origin or a service that is down", async () => {
    for (const [options, condition] of [
      [{ url: "http://127.0.0.1:1" }, " if that is set"],
      [{ fetchSession: null }, ""],
    ] as const) {
      const { page } = await openHost(options, undefined, { hasClock: true });
      await page.locator("iframe").waitFor({ state: "attached" });
      await page.clock.runFor(16_000);
      await reached(page, "error");
      const [error] = await page.evaluate(() => window.events);
      expect(error?.payload).toMatchObject({ context: "frame", fatal: true });
      expect(error?.payload["message"]).toContain(
        `embedding.allowedOrigins of the account needs ${new URL(host.url).origin}${condition}, and`,
      );
      expect(await page.locator("iframe").isVisible()).toBe(false);
      await page.getByText("The dashboard cannot be loaded.").waitFor();
    }
  });

  it("loads the frame again if the host refreshes one without a page", async () => {
    const { page, frame } = await openHost({}, undefined, { hasClock: true });
    await frame.getByRole("heading", { name: "Orders" }).waitFor();
    await page.route("**/embed/dashboard/**", (route) => route.abort());
    await page.goto(host.url);
    await page.locator("iframe").waitFor({ state: "attached" });
    await page.clock.runFor(16_000);
    await reached(page, "error");
    await page.unroute("**/embed/dashboard/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await seenWhileTimeRuns(page, frame.getByRole("heading", { name: "Orders" }), 50);
    expect(await page.locator("iframe").isVisible()).toBe(true);
    expect(await page.evaluate(() => window.sessionsFetched)).toBe(2);
  });

  it("names each option of the host that has no effect, and goes on", async () => {
    const { page, frame } = await openHost({
      filters: { "orders.state": "open" },
      theme: { primaryColor: "green", primaryColour: "#0a7d5c" },
      locale: "klingon",
      timezone: "Mars/Olympus",
    });
    await frame.getByText("31", { exact: true }).first().waitFor();
    await page.evaluate(() => {
      window.dashboard.setFilter("orders.region", "north");
      window.dashboard.setFilter("orders.status", { operator: "gt" });
      window.dashboard.setFilter("orders.status", { operator: "bogus", value: "paid" });
      window.dashboard.setLocale("nl-NL");
      window.dashboard.setColorScheme("sepia");
      window.dashboard.navigate("/elsewhere");
    });
    await page.waitForFunction(
      () =>
        window.events.filter(
          ({ type, payload }) => type === "error" && payload["context"] !== "query",
        ).length >= 11,
    );
    const errors = await page.evaluate(() =>
      window.events.flatMap(({ type, payload }) => (type === "error" ? [payload] : [])),
    );
    expect(errors.every(({ fatal }) => fatal === false)).toBe(true);
    const texts = errors.map(({ context, message }) => `${String(context)}: ${String(message)}`);
    expect(texts.filter((text) => !text.startsWith("query: "))).toEqual([
      expect.stringContaining('address: the locale "klingon" has no texts; there are en-US, de-DE'),
      'address: the time zone "Mars/Olympus" is not known; Europe/Berlin is one',
      "address: f_orders.state sets nothing: no FILTER of the dashboard is for orders.state",
      'set-theme: primaryColor must be a hexadecimal color such as #0a7d5c: "green"',
      "set-theme: primaryColour is not a member of a theme",
      "set-filter: f_orders.region sets nothing: no FILTER of the dashboard is for orders.region",
      'set-filter: f_orders.status sets nothing: the FILTER does not take {"operator":"gt"}',
      "set-filter: f_orders.status sets nothing: bogus is not an operator of filters",
      expect.stringContaining('set-locale: the locale "nl-NL" has no texts'),
      'set-color-scheme: the scheme "sepia" is none of light, dark, auto',
      'navigate: the path "/elsewhere" is not /embed/dashboard/{publicId}',
    ]);
  });

  it("refuses options that there are not, and a dashboard without a public ID", async () => {
    for (const [options, message] of [
      [{ filter: {} }, "there is no option filter. Options are url, publicId, mountPoint, "],
      [{ publicId: undefined, publicID: "x" }, "there is no option publicID"],
      [{ publicId: "" }, "the option publicId is missing"],
    ] as const) {
      const { page, problems } = await openHost(options);
      await expect.poll(() => problems[0]).toContain(message);
      expect(await page.locator("iframe").count()).toBe(0);
    }
  });

  it("takes no message of another frame or of the host itself", async () => {
    const { page } = await openHost();
    await reached(page, "dashboard-loaded");
    const message = JSON.stringify({
      source: "svc-embed",
      direction: "event",
      type: "svc:event:resize",
      payload: { height: 9, forged: true },
    });
    await page.evaluate(`new Promise((resolve) => {
      const stranger = document.createElement("iframe");
      stranger.srcdoc = \`<script>parent.postMessage(${message}, "*")</script>\`;
      addEventListener("message", ({ source }) => source === stranger.contentWindow && resolve());
      window.postMessage(${message}, "*");
      document.body.append(stranger);
    })`);
    const events = await page.evaluate(() => window.events);
    expect(events.filter(({ payload }) => "forged" in payload)).toEqual([]);
    expect(await page.evaluate(() => window.dashboard.iframe.offsetHeight)).toBeGreaterThan(9);
  });

  it("ends without a trace, also while a session is fetched", async () => {
    const { page } = await openHost();
    await page.evaluate(() => window.dashboard.destroy());
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => window.events)).toEqual([]);
    expect(await page.locator("iframe").count()).toBe(0);
  });

  it("keeps two customers on one page apart", async () => {
    const [acme, zenith] = [
      await newSession(service),
      await newSession(service, { externalId: "zoe", embedTenantName: "zenith", groups: [] }),
    ];
    body = `<div id="other"></div><script>
      var tenants = {};
      for (const [mountPoint, session] of [["#place", "${acme}"], ["#other", "${zenith}"]]) {
        svcEmbed.embedDashboard({
          url: "${service.url}", publicId: "${publicId}", mountPoint, fetchSession: async () => session,
        }).on("ready", ({ embedTenant }) => { tenants[mountPoint] = embedTenant; });
      }
    </script>`;
    const { page } = await openPage(browser);
    await page.goto(host.url);
    const tenants = "Object.keys(tenants).length === 2 && tenants";
    expect(await (await page.waitForFunction(tenants)).jsonValue()).toEqual({
      "#place": "acme-inc",
      "#other": "zenith",
    });
    await page.frameLocator("#place iframe").getByText("31", { exact: true }).first().waitFor();
    expect(await page.frameLocator("#other iframe").getByText("31", { exact: true }).count()).toBe(
      0,
    );
  });

  it("is an element too, which waits for its property fetchSession", async () => {
    body = `<svc-dashboard url="${service.url}" public-id="${publicId}" color-scheme="dark"></svc-dashboard>
      <script>
        var events = [];
        const element = document.querySelector("svc-dashboard");
        element.addEventListener("svc-event", ({ detail }) => events.push(detail));
        setTimeout(() => {
          element.filters = { "orders.status": ["open"] };
          element.fetchSession = () => fetch("/session").then((answer) => answer.text());
        }, 50);
      </script>`;
    const { page, problems } = await openPage(browser);
    await page.goto(host.url);
    const frame = page.frameLocator("svc-dashboard iframe");
    await frame.getByText("20", { exact: true }).first().waitFor();
    await expect.poll(() => frame.locator("html").getAttribute("data-scheme")).toBe("dark");
    expect((await typesIn(page)).filter((type) => type === "ready")).toHaveLength(1);
    await page.evaluate(
      `Object.assign(document.querySelector("svc-dashboard"), { title: "Sales" })`,
    );
    const loaded = page.waitForRequest(
      (request) => request.postData()?.includes("America/New_York") ?? false,
    );
    await page.evaluate(
      `document.querySelector("svc-dashboard").setAttribute("timezone", "America/New_York")`,
    );
    await loaded;
    expect(await page.locator("iframe").getAttribute("title")).toBe("Sales");
    expect((await typesIn(page)).filter((type) => type === "ready")).toHaveLength(1);
    await eventually(() => problems).toEqual([broken]);
    await page.evaluate('document.querySelector("svc-dashboard").remove()');
    expect(await page.locator("iframe").count()).toBe(0);
    await page.evaluate(`{
      const element = document.createElement("svc-dashboard");
      element.setAttribute("url", "${service.url}");
      element.fetchSession = () => fetch("/session").then((answer) => answer.text());
      document.body.append(element);
    }`);
    await expect.poll(() => problems.slice(1)).toEqual(["the option publicId is missing"]);
  });
});

/** Waits for an element while a clock that the test holds goes on: timers that a slow answer sets later run too. */
async function seenWhileTimeRuns(page: Page, element: Locator, stepMs = 5000): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.runFor(stepMs);
        return element.count();
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);
}
