// `svc login` in a real browser: sign-in, comparison of the code, approval, with the keyboard alone.
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFolder, runSvc } from "../../golden/run-cli.ts";
import { accessibilityProblems, hasBrowser, startBrowser, why } from "../../pages/browser.ts";
import { startIssuer } from "../../support/oidc-issuer.ts";
import { issuerClient } from "../../support/oidc-sign-in.ts";
import { invite, startLogin } from "../../support/sign-in.ts";
import { startService, type TestService } from "../../support/test-service.ts";

describe.skipIf(!hasBrowser)(`the sign-in pages in a browser${why}`, () => {
  let service: TestService;
  let browser: Browser;
  const folder = makeFolder({});

  beforeAll(async () => {
    service = await startService();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
    folder.remove();
  });

  it("set a password, sign in and approve `svc login`", async () => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("requestfailed", (request) => problems.push(request.url()));
    const { id, url } = await invite(service, { username: "browse", isAdmin: true });
    const objections: string[] = [];
    const check = async (): Promise<void> => {
      objections.push(...(await accessibilityProblems(page)));
    };
    await page.goto(url);
    await check();
    await page.getByLabel("New password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Dashboards" }).waitFor();
    await check();
    await page.getByRole("button", { name: "Account: browse" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Signed out" }).waitFor();

    const env = { SVC_CONFIG_FILE: join(folder.path, "config.toml") };
    const login = await startLogin(["--url", service.url, "--name", "work"], env);
    await page.goto(login.page);
    await check();
    await page.getByLabel("Username or email").fill("browse");
    await page.getByLabel("Password").fill("a wrong password");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("alert").textContent()).toContain("wrong");
    await check();
    // The page keeps the name but not the wrong password, and the focused field describes the problem.
    expect(await page.getByLabel("Username or email").inputValue()).toBe("browse");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByLabel("Code").waitFor();
    await check();
    await page.getByLabel("Code").fill(login.code.toLowerCase());
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Connect this device?" }).waitFor();
    expect(await page.getByText(login.code, { exact: true }).count()).toBe(1);
    await check();
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Device connected" }).waitFor();
    await check();
    expect(objections).toEqual([]);

    expect(await login.ended).toMatchObject({ code: 0, err: expect.stringContaining(login.code) });
    const { out } = await runSvc(["whoami", "--json"], { env });
    expect(JSON.parse(out)).toMatchObject({ server: service.url, id });
    // Only the refused sign-in, with status 400, is reported; nothing that the content policy blocked.
    expect(problems.filter((text) => !text.includes("400"))).toEqual([]);
    const cookies = await page.context().cookies(`${service.url}/auth`);
    expect(cookies).toMatchObject([{ name: "svc_session", httpOnly: true, sameSite: "Lax" }]);
  });

  it("sign in at an identity provider, and come back", async () => {
    const issuer = await startIssuer();
    await invite(service, { username: "elsewhere", isAdmin: false });
    const provider = { name: "acme", displayName: "Acme", issuer: issuer.url, ...issuerClient };
    await service.send("POST", "/api/v1/identity-providers", { body: provider });
    const claims = { sub: "1", email: "elsewhere@example.com", email_verified: true };
    Object.assign(issuer.person, { claims, iss: issuer.url });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.url}/auth/device`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByRole("heading", { name: "Connect a device" }).waitFor();
    await page.goto(`${service.url}/auth`);
    await page.getByText("elsewhere").waitFor();
    await issuer.close();
  });
});
