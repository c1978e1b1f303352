// Dashboards as they are drawn in Chromium: in light and dark, on phones and on the largest screens, with usual and unusual
// data. References are compared by means of blocks; what a font of the machine changes is compared by boxes alone.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelService } from "../contract/data-model-service.ts";
import { runSvc } from "../golden/run-cli.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { hasBrowser, openPage, startBrowser, why } from "./browser.ts";
import { differenceFrom } from "./compare-pictures.ts";
import { boxProblems, keepTexts, textProblems } from "./drawn-texts.ts";
import { newSession, publishEmbedded } from "./embedded-dashboards.ts";
import { everyType, multiples, rightToLeft, startSampleService, unusual } from "./sample-charts.ts";

const samples = { everyType, unusual, rightToLeft, multiples };

interface View {
  readonly width: number;
  readonly scheme: "light" | "dark";
  /** The name of its reference. */
  readonly reference?: string;
}

const views: readonly (View & { readonly sample: keyof typeof samples })[] = [
  { sample: "everyType", width: 1440, scheme: "light", reference: "every-type" },
  { sample: "everyType", width: 1440, scheme: "dark", reference: "every-type-dark" },
  { sample: "everyType", width: 360, scheme: "light", reference: "every-type-phone" },
  { sample: "everyType", width: 3840, scheme: "light" },
  { sample: "unusual", width: 1440, scheme: "light", reference: "unusual" },
  { sample: "unusual", width: 360, scheme: "dark", reference: "unusual-phone" },
  { sample: "multiples", width: 1440, scheme: "light", reference: "multiples" },
  { sample: "multiples", width: 360, scheme: "dark" },
  { sample: "rightToLeft", width: 1440, scheme: "dark" },
  { sample: "rightToLeft", width: 360, scheme: "light" },
];

describe.skipIf(!hasBrowser)(`the pictures of dashboards${why}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  async function open({ width, scheme }: View, address: string): Promise<Page> {
    // As high as any of the dashboards: a window that is resized for the picture would be drawn anew.
    const viewport = { width, height: 6000 };
    const { page } = await openPage(browser, { viewport, colorScheme: scheme });
    await keepTexts(page);
    await page.goto(`${address}&showDashboardHeader=false`);
    await expect.poll(() => page.evaluate(isDrawn), { timeout: 30_000 }).toBe(true);
    return page;
  }

  async function difference(page: Page, name: string): Promise<string> {
    const { x, y, width, height } = (await page.locator("main").boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 1,
      height: 1,
    };
    const picture = await page.screenshot({ clip: { x, y, width, height: Math.ceil(height) } });
    return differenceFrom(name, picture, browser);
  }

  describe("with sample data", () => {
    let service: ModelService;
    const ids = new Map<string, string>();
    beforeAll(async () => {
      service = await startSampleService();
      await service.done("POST", "/api/v1/user-groups", { name: "north" });
      for (const [name, widgets] of Object.entries(samples)) {
        ids.set(name, await publishEmbedded(service, { title: name, widgets }));
      }
    });
    afterAll(() => service.close());

    it.each(views)(
      "have whole texts beside each other: $sample, $width px, $scheme",
      async ({ sample, ...view }) => {
        const session = await newSession(service);
        const address = `${service.url}/embed/dashboard/${ids.get(sample)}?session=${session}`;
        const page = await open(view, address);
        expect(await textProblems(page)).toEqual([]);
        expect(await boxProblems(page)).toEqual([]);
        if (view.reference !== undefined) expect(await difference(page, view.reference)).toBe("");
        await page.context().close();
      },
    );
  });

  describe("of the example", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService();
    });
    afterAll(() => service.close());

    it("have its charts", async () => {
      const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
      const svc = async (...args: readonly string[]) => {
        const { code, out, err } = await runSvc(args, { env });
        expect([code, err]).toEqual([0, expect.any(String)]);
        return out.trim();
      };
      await svc("apply", join(import.meta.dirname, "../../examples/quickstart"), "--yes");
      const id = ".publishedDashboard.publicId";
      const publicId = await svc("workbooks", "get", "harbour-sales", "the-week", "--jq", id);
      const who = ["--external-id", "ada-1001", "--tenant", "northwind"];
      const created = await svc("embed", "sessions", "create", "harbour-sales", ...who);
      const { sessionId } = JSON.parse(created) as { readonly sessionId: string };
      const address = `${service.url}/embed/dashboard/${publicId}?session=${sessionId}`;
      const page = await open({ width: 1280, scheme: "light" }, address);
      expect(await textProblems(page)).toEqual([]);
      expect(await boxProblems(page)).toEqual([]);
      expect(await difference(page, "example")).toBe("");
    });
  });
});

/** Whether each chart is drawn, in the fonts of the page. */
const isDrawn = `document.fonts.status === "loaded" &&
  document.querySelector(".chart-body") !== null &&
  [...document.querySelectorAll(".chart-body, .chart-canvas")].every((element) => {
    const child = element.firstElementChild;
    return child !== null && !child.classList.contains("skeleton");
  })`;
