// Signing in with a password: pauses after wrong guesses, links, and forms of other sites.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { setPassword } from "../../service/maintenance/set-password.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { Browser, invite, postForm } from "../support/sign-in.ts";
import { password, useSignInSessions } from "../support/sign-in-sessions.ts";
import { startService } from "../support/test-service.ts";

/** The offset of the service's clock. */
let aheadMs = 0;
const { service, startDevice, poll, signedIn } = useSignInSessions({
  now: () => Date.now() + aheadMs,
});

it("extends no pause when the clock is set back", async () => {
  const { browser } = await signedIn("early");
  const attempt = async (text: string) => (await browser.signIn("early", text)).status;
  aheadMs = 86_400_000;
  for (let count = 0; count <= limits.freeSignInFailures; count++) await attempt("wrong");
  expect(await attempt(password)).toBe(400);
  const device = await startDevice();
  await poll(device.device_code);
  expect((await poll(device.device_code)).body).toMatchObject({ error: "slow_down" });
  aheadMs = 0;
  expect(await attempt(password)).toBe(303);
  expect((await poll(device.device_code)).body).toMatchObject({ error: "authorization_pending" });
});

it("delays guesses of a password, and accepts links once", async () => {
  const { url } = await invite(service(), { username: "guessed", isAdmin: false });
  const browser = new Browser(service().url);
  expect((await browser.submitPassword(url, "short")).text).toContain("12 to 256");
  await browser.setPassword(url, password);
  expect((await browser.get(new URL(url).pathname + new URL(url).search)).status).toBe(404);
  const guess = new Browser(service().url);
  const answers = async (name: string) => {
    const pages = [];
    for (let tries = 0; tries < 7; tries++) {
      const { status, text } = await guess.signIn(name, `wrong ${tries} password`);
      pages.push({ status, text: text.replaceAll(name, "NAME") });
    }
    return pages;
  };
  // The response does not reveal whether the user exists.
  const known = await answers("guessed");
  expect(known).toEqual(await answers("nowhere"));
  expect(new Set(known.map(({ status }) => status))).toEqual(new Set([400]));
  const delayed = await guess.signIn("guessed", password);
  expect(delayed).toMatchObject({ status: 400, text: expect.stringContaining("after a pause") });
  await inTransaction(service().db, (tx) =>
    tx.updateTable("user_passwords").set({ retry_at: null }).execute(),
  );
  expect((await guess.signIn("GUESSED@example.com", password)).status).toBe(303);
});

it("takes no more concurrent guesses from an address than in sequence, without debt, and right ones are free", async () => {
  const crowded = await startService({ trustedProxies: ["127.0.0.1"] });
  try {
    await setPassword(crowded.db, { username: "admin", password });
    const send = (entered: string) =>
      postForm(
        `${crowded.url}/auth/sign-in`,
        { name: "admin@svc.localhost", password: entered },
        {
          origin: crowded.url.replace("http:", "https:"),
          "x-forwarded-for": "203.0.113.9",
          "x-forwarded-proto": "https",
        },
      );
    const most = limits.addressSignInFailures;
    for (let count = 0; count <= most; count++) expect((await send(password)).status).toBe(303);
    const guesses = await Promise.all(Array.from({ length: 2 * most }, (_, n) => send(`no ${n}`)));
    expect(guesses.filter(({ status }) => status === 400)).toHaveLength(most);
    const { status, headers } = await send(password);
    const pauseSeconds = limits.addressSignInMs / most / 1000;
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeLessThanOrEqual(pauseSeconds);
  } finally {
    await crowded.close();
  }
});

it("records a password that the operator sets in the audit log, without the password", async () => {
  await setPassword(service().db, { username: "admin", password });
  const { body } = await service().send("GET", "/api/v1/audit-logs?eventName=setPassword");
  const { items } = body as { items: readonly object[] };
  expect(items).toMatchObject([
    { objectType: "users", objectIds: ["1"], after: { username: "admin" } },
  ]);
  expect(JSON.stringify(items)).not.toContain(password);
  await expect(setPassword(service().db, { username: "unknown", password })).rejects.toMatchObject({
    code: "not_found",
  });
});

it("refuses forms of other sites and continues at its own pages only", async () => {
  const { status } = await postForm(
    `${service().url}/auth/sign-in`,
    { name: "admin", password },
    { origin: "https://evil.example" },
  );
  expect(status).toBe(403);
  const page = await new Browser(service().url).get(
    "/auth/sign-in?next=//evil.example/auth/device",
  );
  expect(page.text).toContain('name="next" value="/"');
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(page.text).not.toContain("<script");
});
