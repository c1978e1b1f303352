// The page of a controller in a real browser: what it shows of its sources, what one may do there, and that it is live.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  type RunningController,
} from "../controller/fixture.ts";
import { makePlatform } from "../controller/platform.ts";
import { invite, Browser as FormBrowser } from "../support/sign-in.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { newestVersion, olderVersion } from "../promotion/fixture.ts";
import { accessibilityProblems, hasBrowser, openPage, startBrowser, why } from "./browser.ts";

const folder = "stacks/northwind";
const hour = 3_600_000;
const secrets = { vera: "viewer-token-of-a-page", anna: "approver-token-of-a-page" };
const tokens = [
  { name: "vera", role: "viewer", secret: { env: "VERA" } },
  { name: "anna", role: "approver", email: "anna@example.com", secret: { env: "ANNA" } },
];
/** Where pictures are written, to look at them. */
const pictures = process.env["SVC_PAGE_PICTURES"];

describe.skipIf(!hasBrowser)(`the page of a controller${why}`, () => {
  let browser: Browser;
  let fixture: ControllerFixture;
  let running: RunningController;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    fixture = await openControllerFixture();
    Object.assign(fixture.env, { VERA: secrets.vera, ANNA: secrets.anna });
    fixture.stack(folder, [groupDocument("north", "for the north"), groupDocument("south")]);
    fixture.stack("stacks/harbour", [groupDocument("boats")], { prune: true }, "harbour");
    const sources = [
      { folder, interval: "1h" },
      { name: "harbour", folder: "stacks/harbour", interval: "1h", mode: "plan" },
      { name: "bluewater", folder: "stacks/bluewater", interval: "1h" },
    ];
    running = await fixture.start(sources, { listen: { port: 0, tokens } });
  });
  afterEach(() => fixture.close());

  async function open(secret: string, options = {}): Promise<{ page: Page; problems: string[] }> {
    const opened = await openPage(browser, options);
    await opened.page.goto(running.url());
    await opened.page.getByLabel("Token").fill(secret);
    await opened.page.getByRole("button", { name: "Sign in" }).click();
    return opened;
  }

  /** Someone edits an object on the server, and the manifests lose one. */
  async function driftAndHold(): Promise<string> {
    const listed = await fixture.service.send("GET", "/api/v1/user-groups?first=1000");
    const { items } = listed.body as { items: readonly { id: number | string; name: string }[] };
    const id = items.find(({ name }) => name === "north")?.id;
    const body = { description: "edited by hand" };
    await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body });
    fixture.stack(folder, [groupDocument("north", "for the north")]);
    const event = await running.advanceAndWait(hour);
    expect(event.result).toBe("held");
    return event.held?.plan ?? "";
  }

  async function look(page: Page, name: string): Promise<void> {
    if (pictures !== undefined) {
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    }
  }

  it("signs in, lists sources by what needs someone, and finds one", async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(running.url());
    await look(page, "sign-in");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel("Token").fill("wrong-token-of-a-page");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("the token is missing or unknown").waitFor();
    await page.getByLabel("Token").fill(secrets.vera);
    await page.keyboard.press("Enter");
    const names = page.getByRole("navigation").locator(".name");
    await names.first().waitFor();
    expect(await names.allTextContents()).toEqual(["bluewater", "harbour", "northwind"]);
    await page.getByLabel("Search sources").fill("NORTH");
    expect(await names.allTextContents()).toEqual(["northwind"]);
    await page.getByLabel("Search sources").fill("");
    await page.getByRole("button", { name: /changes/u }).click();
    expect(await names.allTextContents()).toEqual(["harbour"]);
    // A reload keeps the token of this tab; cookies have none.
    await page.reload();
    await names.first().waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.reload();
    await page.getByLabel("Token").waitFor();
    expect(problems).toEqual([]);
  });

  describe("with a sign-in at the server", () => {
    const password = "correct horse battery";
    const client = { clientId: "gitops", name: "GitOps", redirectUris: ["http://127.0.0.1/"] };

    beforeEach(async () => {
      const { service } = fixture;
      await service.send("POST", "/api/v1/oauth-clients", { body: client });
      for (const username of ["anna", "mallory"]) {
        const { url } = await invite(service, { username, isAdmin: false });
        await new FormBrowser(service.url).setPassword(url, password);
      }
      await running.stop();
      const users = [{ email: "anna@example.com", role: "approver" }];
      const login = { server: service.url, clientId: "gitops", users };
      const sources = [{ folder, interval: "1h" }];
      running = await fixture.start(sources, { listen: { port: 0, tokens, login } });
    });

    /** Signs in at the server, and approves the page. */
    async function signInThere(page: Page, username: string): Promise<void> {
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByLabel("Username or email").fill(username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("button", { name: "Approve" }).click();
    }

    const stored = (page: Page) =>
      page.evaluate(
        "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])",
      );

    it("returns to its place with a token in memory, and renews it before its end", async () => {
      const { page, problems } = await openPage(browser);
      const asked: string[] = [];
      const addresses: string[] = [];
      const bearers: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") asked.push(new URL(request.url()).pathname);
        const { authorization } = request.headers();
        if (authorization !== undefined) bearers.push(authorization);
        if (request.url().startsWith(running.url())) addresses.push(request.url());
      });
      await page.goto(`${running.url()}/#/northwind`);
      await signInThere(page, "anna");
      await page.getByText("anna@example.com, approver").waitFor();
      await page.getByRole("heading", { name: "northwind" }).waitFor();
      expect(page.url()).toBe(`${running.url()}/#/northwind`);
      expect(addresses.filter((one) => /code=|state=/u.test(one))).toEqual([]);
      expect(await stored(page)).toBe('[{},{},""]');
      const [first] = bearers;
      // All tokens until now end, as the page expects of them in an hour.
      await inTransaction(fixture.service.db, (tx) =>
        tx
          .updateTable("oauth_records")
          .set({ expires_at: "2020-01-01T00:00:00.000Z" })
          .where("model", "=", "AccessToken")
          .execute(),
      );
      await page.clock.setFixedTime(Date.now() + limits.accessTokenSeconds * 1000);
      await running.advanceClock(limits.controllerLoginMs);
      await page.getByRole("button", { name: "Reconcile now" }).click();
      await page.getByText("reconcile accepted").waitFor({ state: "attached" });
      expect(bearers.at(-1)).not.toBe(first);
      expect(asked.filter((path) => path === "/auth/oauth2/token")).toHaveLength(2);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      await expect.poll(async () => grants()).toBe(0);
      expect(problems).toEqual([]);
    });

    const grants = async () =>
      (await fixture.service.db.selectFrom("oauth_records").select("id").execute()).length;

    it("says what failed, and takes a token of the configuration", async () => {
      const { page, problems } = await openPage(browser);
      // Someone else's answer, and one that this tab has had.
      await page.goto(`${running.url()}/#code=theirs&state=theirs`);
      await page.getByText("This tab has not begun this sign-in. Sign in again.").waitFor();
      expect(page.url()).toBe(`${running.url()}/`);
      await signInThere(page, "mallory");
      await page.getByText(/mallory@example.com .* is not among listen.login.users/u).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("button", { name: "Deny" }).click();
      await page
        .getByText("The server refused the sign-in: the user denied the request.")
        .waitFor();
      await page.getByText("Use a token").click();
      await page.getByLabel("Token").fill(secrets.vera);
      await page.getByRole("button", { name: "Use token" }).click();
      await page.getByText("vera, viewer").waitFor();
      expect(problems).toEqual([]);
    });

    it.each(["light", "dark"] as const)(
      "is accessible and fits a phone: %s",
      async (colorScheme) => {
        for (const width of [1280, 360]) {
          const { page } = await openPage(browser, {
            viewport: { width, height: 800 },
            colorScheme,
          });
          await page.goto(`${running.url()}/#error=server_error&state=none`);
          await page.getByText("Use a token").click();
          await look(page, `login-${colorScheme}-${width}`);
          expect(await accessibilityProblems(page)).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        }
      },
    );
  });

  it("shows the plan with both sides of each field, and has the actions of the role only", async () => {
    await driftAndHold();
    const { page, problems } = await open(secrets.vera);
    await page.getByRole("navigation").getByText("northwind").click();
    const change = page.locator("article.change", { hasText: "UserGroup/north" });
    await change.waitFor();
    expect(await change.locator("del").textContent()).toContain("edited by hand");
    expect(await change.locator("ins").textContent()).toContain("for the north");
    expect(await change.textContent()).toContain("the server changed");
    expect(await change.locator(".hint").textContent()).toMatch(
      /^last changed by \S+@\S+ .*\d{4}-\d\d-\d\dT/u,
    );
    await page.getByLabel("Which side changed").selectOption("pending");
    expect(await page.locator("article.change h4").allTextContents()).toEqual([
      expect.stringContaining("UserGroup/south"),
    ]);
    await page.getByLabel("Which side changed").selectOption("");
    expect(await page.locator(".history > li").count()).toBe(2);
    expect(
      await page.getByRole("button", { name: /Approve|Reject|Suspend|Reconcile/u }).count(),
    ).toBe(0);
    await look(page, "source");
    expect(problems).toEqual([]);
  });

  it("approves no plan that came after the one that it asked about", async () => {
    const plan = await driftAndHold();
    const { page } = await open(secrets.anna);
    await page.getByRole("navigation").getByText("northwind").click();
    await page.getByRole("button", { name: "Approve …" }).click();
    const dialog = page.getByRole("dialog", { name: `Approve plan ${plan} of northwind` });
    await dialog.waitFor();
    fixture.stack(folder, [groupDocument("east")]);
    const { held } = await running.advanceAndWait(hour);
    await page.getByText(`Plan ${held?.plan} deletes`).waitFor();
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await dialog.getByText(/the source now holds another plan/u).waitFor();
    expect((await running.advanceAndWait(hour)).result).toBe("held");
  });

  it("suspends, approves with the keyboard alone, and shows what happens without a reload", async () => {
    const plan = await driftAndHold();
    const { page, problems } = await open(secrets.anna);
    const watching = await open(secrets.vera);
    await watching.page.getByRole("navigation").getByText("northwind").click();
    await watching.page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("navigation").getByText("northwind").click();
    expect(await page.locator(".held li").allTextContents()).toEqual([
      "delete UserGroup/south",
      "and 1 other change",
    ]);
    await page.getByRole("button", { name: "Approve …" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: `Approve plan ${plan} of northwind` }).waitFor();
    await look(page, "approve");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type("they left");
    const applied = running.nextReconciliation();
    await page.keyboard.press("Enter");
    await watching.page.getByText(/Approved by anna .*they left/u).waitFor();
    await running.advanceClock(limits.hookPauseMs);
    expect(await applied).toMatchObject({ result: "applied", approved: { by: "anna" } });
    await watching.page.getByText("approved by anna").waitFor();
    expect(await fixture.groupNames()).toEqual(["north"]);
    await page.getByRole("button", { name: "Suspend …" }).click();
    await page.getByLabel("Reason").fill("a migration");
    await page.getByLabel("Until").fill("yesterday");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByRole("dialog").getByText("yesterday is not the end").waitFor();
    await page.getByLabel("Until").fill("2h");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await watching.page.getByText(/Suspended by anna: .*, ends/u).waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await page.getByRole("button", { name: "Reconcile now" }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Suspend …" }).waitFor();
    expect([...problems, ...watching.problems]).toEqual([]);
  });

  it.each(["light", "dark"] as const)("is accessible and fits a phone: %s", async (colorScheme) => {
    await driftAndHold();
    for (const width of [1280, 360]) {
      const options = { viewport: { width, height: 800 }, colorScheme };
      const { page, problems } = await open(secrets.anna, options);
      const refused: string[] = [];
      page.on("response", (response) => response.ok() || refused.push(response.url()));
      await page.getByRole("navigation").locator(".name").first().waitFor();
      const top = await page.locator(".top").boundingBox();
      expect(top?.height).toBeLessThan(50);
      await look(page, `list-${colorScheme}-${width}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("navigation").getByText("northwind").click();
      await page.locator("article.change").first().waitFor();
      await look(page, `source-${colorScheme}-${width}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect([...problems, ...refused]).toEqual([]);
    }
  });

  it.each(["light", "dark"] as const)(
    "shows what blocks each stage of a pipeline, and approves there: %s",
    async (colorScheme) => {
      await fixture.close();
      const platform = await makePlatform();
      ({ fixture } = platform);
      Object.assign(fixture.env, { VERA: secrets.vera, ANNA: secrets.anna });
      await platform.promote();
      const source = { name: "platform", folder: platform.folder, mode: "plan", interval: "1h" };
      running = await fixture.start([source], { listen: { port: 0, tokens } });
      const { page, problems } = await open(secrets.anna, { colorScheme });
      await page.getByRole("navigation").getByText("platform").click();
      const production = page.getByRole("article", { name: /^production/u });
      await page.getByText(/Soak time began .*, ends .*, next checks/u).waitFor();
      await production.getByText(`${newestVersion} soaks in dev for another 4 h`).waitFor();
      platform.writePipeline({});
      await page.getByRole("button", { name: "Reconcile now" }).click();
      await page.getByText("reconcile accepted").waitFor({ state: "attached" });
      await running.advanceClock(limits.hookPauseMs);
      await production.getByText("needs an approval").waitFor();
      const matrix = page.getByRole("region", { name: "Versions of platform" });
      expect(await matrix.getByRole("row").first().textContent()).toBe("Versiondevproduction");
      expect(await matrix.getByRole("row", { name: newestVersion }).textContent()).toContain(
        "runs on 1 of 1",
      );
      expect(await production.textContent()).toContain(`Deployment/prod${olderVersion}`);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await look(page, `promotions-${colorScheme}-${width}`);
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
      const watching = await open(secrets.vera);
      await watching.page.getByRole("navigation").getByText("platform").click();
      const watched = watching.page.getByRole("article", { name: /^production/u });
      await watched.getByText("needs an approval").waitFor();
      expect(await watching.page.getByRole("button", { name: /Approve|Hold/u }).count()).toBe(0);
      await production.getByRole("button", { name: `Approve ${newestVersion} …` }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: `Approve ${newestVersion} for production` });
      await dialog.waitFor();
      await page.keyboard.type("tested");
      await page.keyboard.press("Enter");
      await watched.getByText(`${newestVersion} approved by anna@example.com`).waitFor();
      await production.getByRole("button", { name: "Hold …" }).click();
      await page.getByLabel("Reason").fill("a fair");
      await page.getByRole("button", { name: "Hold", exact: true }).click();
      await watched.getByText(/Held by anna@example.com .*a fair/u).waitFor();
      // Also the times in texts are relative.
      await watched
        .locator(".reasons")
        .getByText(/is held by .* ago: a fair/u)
        .waitFor();
      await page.getByRole("button", { name: "Release …" }).waitFor();
      expect([...problems, ...watching.problems]).toEqual([]);
    },
  );

  it("shows 300 sources in the order in which they wait, also for a reader and on a phone", async () => {
    await fixture.close();
    fixture = await openControllerFixture();
    Object.assign(fixture.env, { VERA: secrets.vera, ANNA: secrets.anna });
    fixture.stack("base", [groupDocument("base")], {}, "base");
    const folders = Array.from({ length: 8 }, (_, index) => `t${index}`);
    for (const name of folders)
      fixture.stack(`repository/stacks/${name}`, [groupDocument(name)], {}, name);
    const repository = join(fixture.home, "repository");
    fixture.git(repository, "init", "--quiet", "--initial-branch=main");
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", "begin");
    const suspend = { reason: "a move", owner: "ops", expires: "2027-01-01" };
    running = await fixture.start(
      [
        { name: "base", folder: "base" },
        { name: "harbour", folder: "missing", dependsOn: ["base"] },
        { name: "boats", folder: "boats", dependsOn: ["harbour"] },
        { name: "tenants", git: { url: repository, path: "stacks/*" }, dependsOn: ["base"] },
        ...Array.from({ length: 296 }, (_, index) => ({
          name: `site-${index}`,
          folder: "site",
          dependsOn: ["tenants", "base"],
          suspend,
        })),
      ],
      { listen: { port: 0, tokens } },
    );
    const { page, problems } = await open(secrets.vera);
    const link = page.getByRole("link", { name: "Order" });
    await link.focus();
    const begin = performance.now();
    await page.keyboard.press("Enter");
    const waves = page.locator(".waves > li");
    await waves.first().waitFor();
    expect(performance.now() - begin).toBeLessThan(3000);
    expect(await waves.locator("h3").allTextContents()).toEqual([
      "Wait for nothing",
      "Wave 2",
      "Wave 3",
    ]);
    const node = (name: string) =>
      page.locator(".node", { has: page.locator(".name").getByText(name, { exact: true }) });
    await node("harbour").getByText("failing").waitFor();
    await node("boats")
      .getByText(/waits for harbour/u)
      .waitFor();
    await node("site-0").getByText("after base, tenants").waitFor();
    expect(await page.locator(".node", { hasText: "ops: a move" }).count()).toBe(296);
    await page.getByText("8 of tenants").click();
    await page.getByRole("link", { name: "tenants-t7" }).last().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await look(page, `order-${width}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
    expect(problems).toEqual([]);
  });

  it("says what a reconciliation waits for while the server does not respond", async () => {
    const answered = Promise.withResolvers<void>();
    fixture.proxy.armAnyCall(
      1,
      async () => {
        await answered.promise;
        return "pass";
      },
      100,
    );
    const { page, problems } = await open(secrets.anna);
    await page.getByRole("navigation").getByText("northwind").click();
    const reconciled = running.nextReconciliation();
    await page.getByRole("button", { name: "Reconcile now" }).click();
    await page.getByText("reconcile accepted").waitFor({ state: "attached" });
    await running.advanceClock(limits.hookPauseMs);
    const { host } = new URL(fixture.proxy.url);
    await page.getByText(`reads from the server at ${host}`).waitFor();
    await look(page, "in-progress");
    answered.resolve();
    expect(await reconciled).toMatchObject({ result: "unchanged" });
    await page.getByText("In progress since").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("loads only files of the controller, under a policy that forbids all else", async () => {
    const response = await fetch(running.url());
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    const [, script = ""] = /src="([^"]+)"/u.exec(await response.text()) ?? [];
    const headers = { "accept-encoding": "br, gzip" };
    const file = await fetch(`${running.url()}${script}`, { headers });
    expect(file.headers.get("cache-control")).toContain("immutable");
    expect(file.headers.get("content-encoding")).toBe("br");
    for (const path of [
      "/assets/../manifest.json",
      "/assets/%2e%2e/manifest.json",
      "/assets/x.js",
    ]) {
      expect((await fetch(`${running.url()}${path}`)).status).toBe(404);
    }
  });
});
