// How a dashboard comes to the screen in a real browser: nothing that is drawn moves, slow data hold nothing else up, and what
// nobody sees asks for nothing. Also what it says to whoever points at a mark.
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Frame, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelService } from "../contract/data-model-service.ts";
import { tooLongFailure } from "../../service/engine/engine.ts";
import { eventually, hasBrowser, openPage, startBrowser, why } from "./browser.ts";
import { type HostSite, newSession, publishEmbedded, startHost } from "./embedded-dashboards.ts";
import { everyType, hostile, startSampleService, unusual } from "./sample-charts.ts";

describe.skipIf(!hasBrowser)(`a dashboard that loads${why}`, () => {
  let service: ModelService;
  let browser: Browser;
  let every: string;
  beforeAll(async () => {
    service = await startSampleService();
    browser = await startBrowser();
    await service.done("POST", "/api/v1/user-groups", { name: "north" });
    every = await publishEmbedded(service, { title: "Every type", widgets: everyType });
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const addressOf = async (id: string) =>
    `${service.url}/embed/dashboard/${id}?session=${await newSession(service)}`;
  const drawn = (page: Page | Frame) => page.locator(".chart-canvas:has(canvas)").count();
  const queriesOf = (page: Page): string[] => {
    const queries: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/load")) queries.push(request.postData() ?? "");
    });
    return queries;
  };

  it.each([360, 1440])("moves nothing that is drawn, on %i pixels", async (width) => {
    const id = await publishEmbedded(service, { title: "Unusual", widgets: [...unusual] });
    const { page } = await openPage(browser, { viewport: { width, height: 900 } });
    await page.addInitScript(keepShifts);
    // Answers come one after the other, each much later than the frame that waits for it.
    let turn = 0;
    await page.route("**/load", async (route) => {
      await sleep(60 * ++turn);
      await route.continue();
    });
    await page.goto(await addressOf(id));
    await eventually(() => drawn(page)).toBeGreaterThan(3);
    await page.getByText(/^Data as of/).waitFor();
    await eventually(() => page.locator(".skeleton").count()).toBe(0);
    await page.getByRole("button", { name: "Refresh" }).click();
    await eventually(() => page.locator("[aria-busy=true]").count()).toBe(0);
    expect(await page.evaluate("globalThis.shifts")).toEqual([]);
    await page.context().close();
  });

  it("waits for a slow query without holding up others, and repeats it until it ends", async () => {
    const { page } = await openPage(browser, { viewport: { width: 1440, height: 2000 } });
    const slow: string[] = [];
    const held: Route[] = [];
    await page.route("**/load", async (route) => {
      const query = route.request().postData() ?? "";
      if (!query.includes("steps.size")) return route.continue();
      slow.push(query);
      if (slow.length < 3) return route.fulfill({ json: { error: "Continue wait" } });
      return void held.push(route);
    });
    await page.goto(await addressOf(every));
    const steps = page.getByRole("region", { name: "Steps" });
    await eventually(() => drawn(page)).toBe(11);
    await steps.getByRole("status", { name: "Loading Steps" }).waitFor();
    await eventually(() => held.length).toBe(1);
    expect(new Set(slow).size).toBe(1);
    // Tables and numbers have no canvas.
    await eventually(() => page.getByRole("status", { name: /^Loading / }).count()).toBe(1);
    await held[0]?.continue();
    await steps.getByRole("img").waitFor();
    await page.context().close();
  });

  it("offers to try a query again that took too long, although the service answers it as a wrong one", async () => {
    const { page } = await openPage(browser);
    const { message } = tooLongFailure(30_000, undefined);
    await page.route("**/load", (route) =>
      route.fulfill({ status: 400, json: { error: `Error: ${message}` } }),
    );
    await page.goto(await addressOf(every));
    const bars = page.getByRole("region", { name: "Bars" });
    await bars.getByText("The data takes longer than usual.").waitFor();
    await page.unroute("**/load");
    await bars.getByRole("button", { name: "Try again" }).click();
    await bars.getByRole("img").waitFor();
    await page.context().close();
  });

  it("says what is behind a mark to whoever points at it, inside the chart", async () => {
    const id = await publishEmbedded(service, {
      title: "Tooltips",
      widgets: [...everyType.slice(0, 1), hostile],
    });
    const { page, problems } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
    await page.goto(await addressOf(id));
    for (const [name, texts] of [
      ["Bars", ["Mail: €4,410.00", "Shop: €4,507.00"]],
      ["Hostile", ["<img src=x onerror=window.hacked=1>"]],
    ] as const) {
      const chart = page.getByRole("region", { name }).getByRole("img");
      const box = await chart.boundingBox();
      if (box === null) throw new Error("it is not drawn");
      await page.mouse.move(box.x + box.width * 0.28, box.y + box.height * 0.6);
      await page.mouse.move(box.x + box.width * 0.25, box.y + box.height * 0.6);
      for (const text of texts) {
        const tip = chart.getByText(text);
        await tip.waitFor();
        const own = await tip.boundingBox();
        expect(own?.x).toBeGreaterThanOrEqual(box.x);
        expect((own?.x ?? 0) + (own?.width ?? 0)).toBeLessThanOrEqual(box.x + box.width + 1);
      }
      await page.mouse.move(0, 0);
      await eventually(() => chart.getByText(texts[0]).isVisible()).toBe(false);
      await chart.focus();
      await page.keyboard.press("ArrowRight");
      await chart.getByText(texts[0]).waitFor();
      await page.keyboard.press("Escape");
      await eventually(() => chart.getByText(texts[0]).isVisible()).toBe(false);
    }
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("tells no time of data that a viewer may no longer see", async () => {
    const { page } = await openPage(browser);
    await page.goto(await addressOf(every));
    const time = page.getByText(/^Data as of/);
    await time.waitFor();
    const body = { error: "Error: not allowed" };
    await page.route("**/load", (route) => route.fulfill({ status: 403, json: body }));
    await page.getByRole("button", { name: "Refresh" }).click();
    await eventually(() => time.isVisible()).toBe(false);
    await page.context().close();
  });

  it("asks for nothing while its tab is hidden, and goes on when the tab is shown", async () => {
    const { page } = await openPage(browser);
    await page.addInitScript(`globalThis.setHidden = (hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    };`);
    const queries = queriesOf(page);
    await page.goto(await addressOf(every));
    await eventually(() => drawn(page)).toBeGreaterThan(1);
    await eventually(() => page.locator(".skeleton").count()).toBe(0);
    await page.route("**/load", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The service cannot be reached.").first().waitFor();
    await page.evaluate("setHidden(true)");
    const { length } = queries;
    await page.waitForTimeout(4000);
    expect(queries.length).toBe(length);
    await page.unroute("**/load");
    await page.evaluate("setHidden(false)");
    await eventually(() => page.getByText("The service cannot be reached.").count()).toBe(0);
    expect(queries.length).toBeGreaterThan(length);
    await page.context().close();
  });

  describe("in a frame that is not shown", () => {
    let host: HostSite;
    let html = "";
    beforeAll(async () => {
      host = await startHost(() => html);
    });
    afterAll(() => host.close());

    it("asks for nothing until it is shown, and then has the size of its frame", async () => {
      html = `<!doctype html><title>host</title><div id="tab" style="display: none">
        <iframe src="${await addressOf(every)}" style="width: 900px; height: 1600px; border: 0"></iframe></div>`;
      const { page, problems } = await openPage(browser, {
        viewport: { width: 1000, height: 1700 },
      });
      const queries = queriesOf(page);
      await page.goto(host.url);
      const [, frame] = page.frames();
      if (frame === undefined) throw new Error("there is no frame");
      await eventually(() => frame.locator("main.dashboard").count()).toBe(1);
      await page.waitForTimeout(500);
      expect(queries).toEqual([]);
      await page.evaluate(`document.getElementById("tab").style.display = "block"`);
      await eventually(() => drawn(frame)).toBe(12);
      const sizes = `[...document.querySelectorAll(".chart-canvas")].map((box) => {
        const canvas = box.querySelector("canvas");
        return [canvas.clientWidth - box.clientWidth, canvas.clientHeight - box.clientHeight];
      })`;
      const widest = `Math.max(...[...document.querySelectorAll("canvas")].map((one) => one.clientWidth))`;
      expect(await frame.evaluate(sizes)).toEqual(Array.from({ length: 12 }, () => [0, 0]));
      expect(await frame.evaluate(widest)).toBeGreaterThan(300);
      // Hidden and shown again, in another width.
      await page.evaluate(`document.getElementById("tab").style.display = "none"`);
      await page.evaluate(`document.querySelector("iframe").style.width = "700px"`);
      await page.evaluate(`document.getElementById("tab").style.display = "block"`);
      await eventually(() => frame.evaluate(sizes)).toEqual(
        Array.from({ length: 12 }, () => [0, 0]),
      );
      expect(problems).toEqual([]);
      await page.context().close();
    });
  });
});

/** Keeps what moved, with the elements that did. */
const keepShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      globalThis.shifts.push(value.toFixed(4) + " " + sources.map(({ node, previousRect, currentRect }) =>
        (node?.className ?? node?.nodeName) + " " + JSON.stringify(previousRect) + JSON.stringify(currentRect)).join(", "));
    }
  }).observe({ type: "layout-shift", buffered: true });`;
