// Runs examples/embedding in a real browser: two customers of the quickstart see the same dashboard with rows of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelService, type ModelService } from "../contract/data-model-service.ts";
import { runSvc } from "../golden/run-cli.ts";
import { eventually, hasBrowser, openPage, startBrowser, why } from "../pages/browser.ts";

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

  /** Returns the regions in the table of stores. */
  async function regionsIn(page: Page): Promise<readonly string[]> {
    const cells = page.frameLocator("iframe").getByRole("cell");
    await cells.first().waitFor();
    const texts = await cells.allTextContents();
    return ["north", "south"].filter((region) => texts.includes(region));
  }

  it.each([
    ["ada", "north"],
    ["ines", "south"],
  ])("shows %s the rows of %s alone", async (user, region) => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${address}?user=${user}`);
    await page.getByText("6 widgets are shown.").waitFor();
    expect(await regionsIn(page)).toEqual([region]);
    expect(problems).toEqual([]);
  });

  it("takes a filter of the page", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${address}?user=ines`);
    const orders = page.frameLocator("iframe").getByRole("region", { name: "Orders of the week" });
    await orders.getByText("Dec 29").waitFor();
    const all = await orders.innerText();
    await page.getByLabel("Orders").selectOption("returned");
    await eventually(() => orders.innerText()).not.toBe(all);
    await page.frameLocator("iframe").getByRole("button", { name: "Status: returned" }).waitFor();
  });

  it("says that there is no session, and no longer once there is one", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${address}?user=ada`);
    await page.getByText("6 widgets are shown.").waitFor();
    let isDown = true;
    await page.route("**/session?*", (route) =>
      isDown ? route.fulfill({ status: 502 }) : route.continue(),
    );
    const open = await svc("embed", "sessions", "list", "--tenant", "northwind", "--json");
    const { items } = JSON.parse(open) as { readonly items: readonly { readonly id: number }[] };
    for (const { id } of items) await svc("embed", "sessions", "end", String(id), "--yes");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The backend creates no session.").waitFor();
    isDown = false;
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(() => page.locator("#status").textContent()).toBe("");
    expect(await regionsIn(page)).toEqual(["north"]);
  });

  it.each(["orders", "stores", "week"])(
    "shows viewers the rows of their region in %s",
    async (of) => {
      // Otherwise only what the dashboard queries.
      await service.done("PUT", "/api/v1/app-config", { embedding: { queryScope: "model" } });
      const session = await service.done("POST", "/api/v1/embed/generate-session", {
        deploymentId: Number(await svc("deployments", "get", "harbour-sales", "--jq", ".id")),
        embedTenantName: "northwind",
        externalId: "viewer",
        userAttributes: [{ name: "region", value: "north" }],
      });
      const { token } = await service.done("POST", "/api/v1/embed/session/token", session);
      const measures = of === "stores" ? [] : [`${of}.count`];
      const ask = async (query: object) => {
        const answer = await fetch(`${service.url}/deployments/harbour-sales/svcjs-api/v1/load`, {
          method: "POST",
          headers: { authorization: `Bearer ${String(token)}`, "content-type": "application/json" },
          body: JSON.stringify({ query }),
        });
        return (await answer.json()) as { readonly data: readonly object[] };
      };
      expect((await ask({ measures, dimensions: [`${of}.region`] })).data).toEqual([
        { [`${of}.region`]: "north", ...(of !== "stores" && { [`${of}.count`]: "155" }) },
      ]);
      if (of !== "stores")
        expect((await ask({ measures })).data).toEqual([{ [`${of}.count`]: "155" }]);
    },
  );

  it("shows nothing to a stranger, and says why", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${address}?user=constructor`);
    await page.getByText("Choose who you are.").waitFor();
    await page.getByRole("link", { name: "Ada of Northwind" }).click();
    await page.getByText("6 widgets are shown.").waitFor();
  });
});
