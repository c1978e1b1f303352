// Reports in HTML in a real browser: they need no other file, are readable by everyone, and contain text from outside only as text.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderReport } from "../../reconciler/report/render.ts";
import type { Report } from "../../reconciler/report/report.ts";
import { sampleChange, sampleField, samplePlan } from "../support/sample-plans.ts";
import { planReport, sampleReports } from "../support/sample-reports.ts";
import { accessibilityProblems, hasBrowser, openPage, startBrowser, why } from "./browser.ts";

describe.skipIf(!hasBrowser)(`a report in HTML${why}`, () => {
  let browser: Browser;
  let folder: string;
  const requests: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    folder = await mkdtemp(join(tmpdir(), "svc-report-"));
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  async function open(report: Report, options = {}): Promise<{ page: Page; problems: string[] }> {
    const file = join(folder, "report.html");
    await writeFile(file, renderReport("html", report));
    const { page, problems } = await openPage(browser, options);
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, problems };
  }

  it.each(["updates", "chain", "unmanaged", "diagnostics", "applied", "failure"] as const)(
    "is accessible, fits a phone and loads nothing: %s",
    async (name) => {
      requests.length = 0;
      const { page, problems } = await open(sampleReports[name], {
        viewport: { width: 360, height: 700 },
      });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityProblems(page)).toEqual([]);
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      expect(requests).toEqual([expect.stringMatching(/^file:/)]);
      expect(problems).toEqual([]);
    },
  );

  it("contains text from outside only as text", async () => {
    const hostile =
      '</pre></style><script>document.title = "run"</script><img src=x onerror="1">"&';
    const change = sampleChange("update", `Plain/${hostile}`, {
      fields: [
        sampleField({ path: `/${hostile}`, before: hostile, after: `${hostile}\n${hostile}` }),
      ],
    });
    const plan = samplePlan([change]);
    const basis = { ...plan.basis, stack: hostile, origin: hostile };
    const { page, problems } = await open(planReport({ ...plan, basis }));
    expect(await page.title()).toContain(hostile);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("article").textContent()).toContain(hostile);
    expect(problems).toEqual([]);
  });

  it("finds changes, and leads to what a change needs", async () => {
    const changes = [
      sampleChange("create", "Plain/north"),
      sampleChange("create", "Plain/south", { dependsOn: ["Plain/north"], layer: 1 }),
      sampleChange("delete", "Plain/old"),
    ];
    const { page } = await open(planReport(samplePlan(changes)));
    const isShown = (address: string) =>
      page.locator(`[id="${encodeURIComponent(address).replaceAll("%", ".")}"]`).isVisible();
    // Deletes are open, creates are folded.
    expect(await Promise.all(["Plain/old", "Plain/south"].map(isShown))).toEqual([true, false]);
    await page.getByLabel("Search changes and messages").fill("SOUTH");
    expect(await Promise.all(["Plain/old", "Plain/south"].map(isShown))).toEqual([false, true]);
    await page.getByText("1 of 3").waitFor();
    await page.getByLabel("Search changes and messages").fill("");
    await page.getByText("dependencies of the changes").click();
    await page.getByRole("img", { name: "Dependencies" }).getByText("Plain/north").click();
    expect(await isShown("Plain/north")).toBe(true);
  });
});
