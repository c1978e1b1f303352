// A device login in a real browser: sign-in, comparison of the code, approval, with the keyboard alone.
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invite, postForm } from "../support/sign-in.ts";
import { startService, type TestService } from "../support/test-service.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const why = executablePath === undefined ? " (no Chromium is installed)" : "";

describe.skipIf(executablePath === undefined)(`the sign-in pages in a browser${why}`, () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it("set a password, sign in and approve a device", async () => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("requestfailed", (request) => problems.push(request.url()));
    const { id, url } = await invite(service, { username: "browse", isAdmin: true });
    await page.goto(url);
    await page.getByLabel("New password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Signed out" }).waitFor();

    const device = await postForm(`${service.url}/auth/device/code`, { client_id: "svc-cli" });
    const { device_code: code, ...shown } = device.body as Record<string, string>;
    await page.goto(shown["verification_uri_complete"] ?? "");
    await page.getByLabel("Username or email").fill("browse");
    await page.getByLabel("Password").fill("a wrong password");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("alert").textContent()).toContain("wrong");
    // The wrong password is not kept, the name is, and the field with the focus describes the problem.
    expect(await page.getByLabel("Username or email").inputValue()).toBe("browse");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Connect this device?" }).waitFor();
    expect(await page.getByText(shown["user_code"] ?? "", { exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Device connected" }).waitFor();

    const tokens = await postForm(`${service.url}/auth/device/token`, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: code ?? "",
      client_id: "svc-cli",
    });
    const { access_token: key = "" } = tokens.body as { access_token?: string };
    const me = await service.send("GET", "/api/v1/users/me", { key });
    expect(me.body).toMatchObject({ id });
    // Only the refused sign-in, with status 400, is reported; nothing that the content policy blocked.
    expect(problems.filter((text) => !text.includes("400"))).toEqual([]);
    const cookies = await page.context().cookies(`${service.url}/auth`);
    expect(cookies).toMatchObject([{ name: "svc_session", httpOnly: true, sameSite: "Lax" }]);
  });
});
