// Runs examples/embedding in a real browser: two customers of the quickstart see the same dashboard with rows of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelService, type ModelService } from "../contract/data-model-service.ts";
import { runSvc } from "../golden/run-cli.ts";
import { hasBrowser, openPage, startBrowser, why } from "../pages/browser.ts";

const examples = join(import.meta.dirname, "../../examples");

describe.skipIf(!hasBrowser)(`examples/embedding${why}`, () => {
  let service: ModelService;
  let browser: Browser;
  let backend: ChildProcess;
  let address: string;

  const svc = async (...args: readonly string[]): Promise<string> => {
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    const { code, out, err } = await runSvc(args, { env });
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    return out.trim();
  };

  beforeAll(async () => {
    service = await startModelService();
    browser = await startBrowser();
    await svc("apply", join(examples, "quickstart"), "--yes");
    const id = ".publishedDashboard.publicId";
    const env = {
      SVC_API_URL: service.url,
      SVC_API_KEY: service.adminKey,
      DEPLOYMENT_ID: await svc("deployments", "get", "harbour-sales", "--jq", ".id"),
      PUBLIC_ID: await svc("workbooks", "get", "harbour-sales", "the-week", "--jq", id),
      PORT: "0",
    };
    backend = spawn(process.execPath, [join(examples, "embedding/server.mjs")], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(backend.stdout ?? backend, "data")) as [Buffer];
    address = /http:\S+\//.exec(line.toString())?.[0] ?? "";
  });
  afterAll(async () => {
    backend.kill();
    await browser.close();
    await service.close();
  });

  /** Returns the regions that the first chart shows in its table. */
  async function regionsIn(page: Page): Promise<readonly string[]> {
    const frame = page.frameLocator("iframe");
    await frame
      .getByRole("button", { name: /^More actions/ })
      .first()
      .click();
    await frame.getByRole("menuitem", { name: "Show data" }).click();
    await frame.getByRole("cell").first().waitFor();
    const cells = await frame.getByRole("cell").allTextContents();
    return ["north", "south"].filter((region) => cells.includes(region));
  }

  it.each([
    ["ada", "north"],
    ["ines", "south"],
  ])("shows %s the rows of %s alone", async (user, region) => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${address}?user=${user}`);
    await page.getByText("3 widgets are shown.").waitFor();
    expect(await regionsIn(page)).toEqual([region]);
    expect(problems).toEqual([]);
  });

  it("shows nothing to a stranger, and says why", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${address}?user=constructor`);
    await page.getByText("Choose who you are.").waitFor();
    await page.getByRole("link", { name: "Ada of Northwind" }).click();
    await page.getByText("3 widgets are shown.").waitFor();
  });
});
