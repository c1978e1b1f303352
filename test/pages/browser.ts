// A real browser for tests of pages: Chromium, with everything that a page complains about.
import { existsSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Whether there is a browser. */
export const hasBrowser = executablePath !== undefined;

/** Why tests are skipped, for their title; "" if they are not. */
export const why = hasBrowser ? "" : " (no Chromium is installed)";

/**
 * Features of the browser that are off: parts of its own windows, which it would load in a process that takes the
 * processor from a page, and what Playwright turns off, because the last option of a name replaces the others.
 */
const featuresOff = [
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "BlockOriginHeaderModificationOnRedirect",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "Translate",
];

/** Starts the browser, with more of its options. */
export async function startBrowser(...more: readonly string[]): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const features = `--disable-features=${featuresOff.join(",")}`;
  return chromium.launch({
    executablePath: executablePath ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", features, ...more],
  });
}

/** A page, and the errors and blocked requests of it. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: string[];
}

/** Opens a page in a separate profile. Answers of the service with an error are not problems: pages show them. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !/status of [45]\d\d/.test(text)) problems.push(text);
  });
  return { page, problems };
}

/** Returns the accessibility errors of axe-core for the page, each with its rule and element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // The content policy blocks scripts of the page; the debugger injects this one.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () =>
    (globalThis as object as { axe: typeof axe }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** Counts the queries of a page that ended, and the most requests for them that had no answer at once. */
export async function countQueries(
  page: Page,
): Promise<{ readonly ended: number; readonly most: number }> {
  const counts = { ended: 0, most: 0 };
  let open = 0;
  await page.route("**/load", async (route) => {
    counts.most = Math.max(counts.most, ++open);
    const response = await route.fetch();
    // A query that still runs is asked for again.
    if (!(await response.text()).includes("Continue wait")) counts.ended++;
    // Before the page has the answer: it may send the next one then.
    open--;
    await route.fulfill({ response });
  });
  return counts;
}

/** Waits for a page under load. */
export const eventually = <Value>(read: () => Promise<Value> | Value) =>
  expect.poll(read, { timeout: 30_000 });
