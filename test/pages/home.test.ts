// The home of a signed-in viewer in a real browser: which dashboards it lists, and how they open without embedding.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardService,
  publish,
  startDashboardService,
  widgets,
} from "../contract/dashboard-service.ts";

import { accessibilityProblems, hasBrowser, openPage, startBrowser, why } from "./browser.ts";

describe.skipIf(!hasBrowser)(`the home of a viewer${why}`, () => {
  let service: DashboardService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startDashboardService();
    await publish(service, { title: "Orders", description: "Every region", widgets });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  /** Creates an administrator and returns the address at which the password is set. */
  async function invited(username: string): Promise<string> {
    const body = { username, email: `${username}@example.com`, isAdmin: true };
    const { id } = await service.done("POST", "/api/v1/users", body);
    const { url } = await service.done("POST", `/api/v1/users/${String(id)}/password-link`);
    return String(url);
  }

  it("lists dashboards, finds them by words, and opens one that nobody may embed", async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(await invited("vera"));

    await page.getByLabel("New password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Dashboards" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.getByRole("link").count()).toBe(2);
    await page.getByLabel("Search dashboards").fill("every REGION");
    expect(await page.getByRole("link").count()).toBe(1);
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page.getByText("331", { exact: true }).waitFor();
    expect(page.url()).not.toContain("session");
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByRole("heading", { name: "Dashboards" }).waitFor();
    // Views are written together, after a moment.
    const isListed = async (): Promise<number> => {
      await page.reload();
      await page.getByRole("heading", { name: "Dashboards" }).waitFor();
      return page.getByRole("heading", { name: "Recently opened" }).count();
    };
    await expect.poll(isListed, { timeout: 30_000, interval: 500 }).toBe(1);
    expect(problems).toEqual([]);
  });

  it("asks for a sign-in, and goes on to the dashboard that was asked for", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${service.url}/embed/dashboard/${service.publicId}?tab_x=y`);
    await page.getByText("Sign in to view this dashboard.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Username or email").fill("vera");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sales" }).waitFor();
    expect(page.url()).toBe(`${service.url}/embed/dashboard/${service.publicId}?tab_x=y`);
  });

  it("shows a page of its own for an address that has none", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${service.url}/no/such/page`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "Open the home page" }).click();
    await page.waitForURL(/\/auth\/sign-in/);
  });
});
