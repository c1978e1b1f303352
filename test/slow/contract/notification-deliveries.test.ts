// Tests mails of notifications: the figures that each recipient may see, when and how often they are sent, and after a
// killed server.
import Database from "better-sqlite3";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { startSvc } from "../../golden/run-cli.ts";
import { onPostgres, runsInFull } from "../../support/test-database.ts";
import { partsOf, startSmtpServer, type TestSmtpServer } from "../../support/smtp-server.ts";
import {
  type DashboardService,
  deployment,
  publish,
  startDashboardService,
} from "../../contract/dashboard-service.ts";

const notifications = `${deployment}/notifications`;
const from = "Reports <reports@example.com>";
const minute = 60_000;
let smtp: TestSmtpServer;
let service: DashboardService;
/** The clock of the service. */
let time = Date.parse("2026-03-02T05:00:00.000Z");
beforeAll(async () => {
  smtp = await startSmtpServer();
  const options = { url: smtp.url, from, password: undefined };
  const publicUrl = "https://mail.svc.example";
  service = await startDashboardService({ now: () => time, smtp: options, publicUrl });
});
afterEach(() => {
  smtp.rule = () => undefined;
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

/** Sends the notifications that are due at a time, and returns the mails. */
async function mailsAt(at: string | number): Promise<readonly (readonly [string, string])[]> {
  time = typeof at === "number" ? at : Date.parse(at);
  const before = smtp.mails.length;
  await service.accounts[0]?.runDeliveries();
  const sent = smtp.mails.slice(before).map(({ to, raw }) => [to, raw] as const);
  return sent.toSorted(([one], [other]) => one.localeCompare(other));
}

async function notification(recipients: readonly object[], more: object = {}): Promise<number> {
  const body = { dashboardId: service.dashboardId, scheduleType: "DAILY", hour: 9, ...more };
  const { id } = await service.done("POST", notifications, body);
  await service.done("POST", `${notifications}/${String(id)}/recipients`, { recipients });
  return Number(id);
}

const guest = (name: string, more: object = {}) => ({
  type: "EMBED_USER",
  embedTenantName: "northwind",
  externalId: `${name}@example.com`,
  ...more,
});

async function deliveries(id: number): Promise<readonly object[]> {
  const { items } = await service.done("GET", `${notifications}/${id}/deliveries`);
  return items as readonly object[];
}

/** Returns the revenue in the text of a mail. */
const revenueIn = (raw: string) =>
  /Revenue\r?\n([\d.,–]+)/u.exec(partsOf(raw, "text/plain")[0]?.toString() ?? "")?.[1];

describe("a scheduled notification", () => {
  it.runIf(runsInFull)(
    "brings each recipient the figures that it may see, once for each time of its schedule",
    async () => {
      await service.done("POST", "/api/v1/user-groups", { name: "north" });
      await service.done("POST", "/api/v1/user-groups", { name: "by-attribute" });
      await service.done("POST", "/api/v1/user-attributes", { name: "region", type: "string" });
      const userAttributes = [{ name: "region", value: "south" }];
      const id = await notification(
        [
          { type: "USER", userId: 1 },
          guest("a", { groups: ["north"] }),
          guest("b", { groups: ["by-attribute"], userAttributes }),
          guest("c", { groups: ["north"] }),
        ],
        { timezone: "Europe/Berlin", notificationAiSummary: true },
      );
      expect(await mailsAt("2026-03-02T07:59:59.000Z")).toEqual([]);
      const sent = await mailsAt("2026-03-02T08:00:05.000Z");
      const figures = sent.map(([to, raw]) => [to, revenueIn(raw)]);
      expect(Object.fromEntries(figures)).toMatchObject({
        "a@example.com": "31",
        "b@example.com": "300",
        "c@example.com": "31",
      });
      expect(figures.map(([, figure]) => figure)).toContain("331");
      const summary = (to: string) =>
        /by region: [^\r\n]*?\./u.exec(
          partsOf(sent.find(([other]) => other === to)?.[1] ?? "", "text/plain")[0]?.toString() ??
            "",
        )?.[0];
      expect(summary("a@example.com")).toBe("by region: Revenue is 31 for north.");
      expect(summary("b@example.com")).toBe("by region: Revenue is 300 for south.");
      const pictures = sent.map(([, raw]) => partsOf(raw, "image/png")[0]?.toString("base64"));
      expect(new Set(pictures).size).toBe(3);
      expect(pictures.every((picture) => picture?.startsWith("iVBORw0KGgo"))).toBe(true);
      // The address of a recipient is only in its own mail, and text from the data is escaped.
      expect(sent.every(([to, raw]) => raw.match(/^To: (.*)\r$/m)?.[1] === to)).toBe(true);
      expect(partsOf(sent[0]?.[1] ?? "", "text/html")[0]?.toString()).toContain(
        "North &amp; &lt;b&gt;",
      );
      expect(await deliveries(id)).toMatchObject(
        sent.map(() => ({ status: "sent", attempts: 1, scheduledAt: "2026-03-02T08:00:00.000Z" })),
      );
      // Neither another run of the job nor a clock that is set back repeats it.
      expect(await mailsAt("2026-03-02T08:00:10.000Z")).toEqual([]);
      expect(await mailsAt("2026-03-02T06:00:00.000Z")).toEqual([]);
      expect(await mailsAt("2026-03-02T08:01:00.000Z")).toEqual([]);
      // After days without a server, it is sent once, and then at its next scheduled time.
      expect(await mailsAt("2026-03-05T12:00:00.000Z")).toHaveLength(4);
      expect(await mailsAt("2026-03-05T12:01:00.000Z")).toEqual([]);
      await service.done("PUT", `${notifications}/${id}`, { notificationEnabled: false });
      expect(await mailsAt("2026-03-06T09:00:00.000Z")).toEqual([]);
      await service.done("PUT", `${notifications}/${id}`, { notificationEnabled: true });
      expect(await mailsAt("2026-03-06T10:00:00.000Z")).toEqual([]);
      expect(await mailsAt("2026-03-07T08:00:00.000Z")).toHaveLength(4);
      const { items } = await service.done(
        "GET",
        "/api/v1/audit-logs?eventName=deliverNotification",
      );
      const objectType = "notification-deliveries";
      expect(items).toMatchObject([
        { objectType, objectIds: [String(id)], after: { sent: 4 } },
        {},
        {},
      ]);
      // Deliveries do not count as the last change of the notification.
      const query = `objectType=notifications&objectId=${id}&first=1`;
      const last = await service.done("GET", `/api/v1/audit-logs?${query}`);
      expect(last.items).toMatchObject([{ eventName: "updateNotification" }]);
      await service.send("DELETE", `${notifications}/${id}`);
    },
  );

  it("goes on after a clock that jumped ahead and back", async () => {
    const began = time;
    const id = await notification([guest("traveler")], { timezone: "UTC" });
    // While the clock is a year ahead, the mail fails, and the next attempt is planned there.
    smtp.rule = () => 451;
    expect(await mailsAt(began + 365 * 86_400_000)).toEqual([]);
    expect(await deliveries(id)).toMatchObject([{ status: "pending", attempts: 1 }]);
    smtp.rule = () => undefined;
    expect(await mailsAt(began)).toMatchObject([["traveler@example.com", expect.anything()]]);
    // The mail of its next scheduled time is the one that was sent.
    expect(await mailsAt(began + 86_400_000)).toEqual([]);
    expect(await mailsAt(began + 2 * 86_400_000)).toHaveLength(1);
    expect(await mailsAt(began + 3 * 86_400_000)).toHaveLength(1);
    await service.send("DELETE", `${notifications}/${id}`);
    time = began;
  });

  it("is tried again after an error that passes, and fails after one that stays", async () => {
    const controls = { filters: [{ member: "orders.region", value: "south" }] };
    const id = await notification(
      ["later", "never", "now"].map((name) => guest(name)),
      controls,
    );
    const { status, body } = await service.send("POST", `${notifications}/${id}/send`);
    expect([status, body]).toMatchObject([202, { deliveries: 3 }]);
    const rules: Readonly<Record<string, number>> = { later: 451, never: 550 };
    smtp.rule = (to) => rules[to.split("@")[0] ?? ""];
    const byName = async () =>
      Object.fromEntries(
        (await deliveries(id)).map((one) => {
          const { email, ...rest } = one as { readonly email: string };
          return [email.split("@")[0], rest];
        }),
      );
    await vi.waitFor(async () => {
      expect(await byName()).toMatchObject({
        later: { status: "pending", attempts: 1, error: expect.stringContaining("451") },
        never: { status: "failed", attempts: 1, error: expect.stringContaining("550") },
        now: { status: "sent", trigger: "manual" },
      });
    }, 15_000);
    expect(await mailsAt(time + limits.deliveryRetryMs - 1000)).toEqual([]);
    smtp.rule = () => undefined;
    const [later] = await mailsAt(time + minute);
    expect(later?.[0]).toBe("later@example.com");
    // It has no policy that permits any data. The mail explains this to its reader, and the delivery to a developer.
    const text = partsOf(later?.[1] ?? "", "text/plain").join("");
    expect(text).toContain("You do not have access to this data.");
    expect(text).toContain("Region is south");
    expect(text).toContain("As of 2026-");
    expect(text).not.toMatch(/orders|hidden member|data model/u);
    expect(await byName()).toMatchObject({
      later: { status: "sent", attempts: 2, error: expect.stringContaining("hidden member") },
    });
    await service.send("DELETE", `${notifications}/${id}`);
  });
});

it("shows no figures if a filter concerns no chart, as they would look filtered", async () => {
  const filters = [{ member: "order.region", operator: "equals", value: "south" }];
  const id = await notification([{ type: "USER", userId: 1 }], { filters });
  await service.send("POST", `${notifications}/${id}/send`);
  await vi.waitFor(async () => {
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({
      status: "sent",
      error: expect.stringContaining("The filter on order.region concerns no chart") as string,
    });
  }, 15_000);
  await service.send("DELETE", `${notifications}/${id}`);
});

describe("a notification that is sent again", () => {
  it("is refused while it is being sent, and replaces attempts that wait", async () => {
    const id = await notification([guest("busy"), guest("ready")]);
    const path = `${notifications}/${id}/send`;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    smtp.rule = (to) => (to.startsWith("busy") ? 451 : held);
    const outcome = async () =>
      (await deliveries(id))
        .map((one) => one as { email: string; status: string; error?: string })
        // The error of a sent mail names the charts without figures.
        .map(({ email, status, error = "" }) => [email.split("@")[0], status, error])
        .map(([name, status, error]) => `${name} ${status} ${status === "sent" ? "" : error}`)
        .toSorted();
    expect((await service.send("POST", path)).status).toBe(202);
    await vi.waitFor(async () => {
      expect(await outcome()).toContainEqual(expect.stringMatching(/^busy pending .*451/u));
    }, 15_000);
    expect((await service.send("POST", path)).status).toBe(409);
    release?.();
    const ended = ["ready sent "];
    await vi.waitFor(async () => expect(await outcome()).toEqual(expect.arrayContaining(ended)));
    smtp.rule = () => undefined;
    time += 1000;
    await vi.waitFor(async () => expect((await service.send("POST", path)).status).toBe(202));
    await vi.waitFor(async () => {
      expect(await outcome()).toEqual([
        "busy sent ",
        "busy skipped a later request sends it again",
        "ready sent ",
        "ready skipped an earlier request sent it",
      ]);
    }, 15_000);
    // The attempt that waited sends nothing.
    expect(await mailsAt(time + 10 * minute)).toEqual([]);
    const query = `objectType=notification-deliveries&objectId=${id}`;
    const { items } = await service.done("GET", `/api/v1/audit-logs?${query}`);
    expect(items).toMatchObject([
      { after: { trigger: "manual", sent: 1, skipped: 1 } },
      { after: { trigger: "manual", sent: 1, skipped: 1 } },
    ]);
    await service.send("DELETE", `${notifications}/${id}`);
  });

  it("shows a recipient in a group of its embed tenant nothing of the account's group of that name", async () => {
    await service.send("POST", "/api/v1/user-groups", { name: "north" });
    const tenant = "/api/v1/embed-tenants/southwind";
    await service.done("POST", `${tenant}/user`, { externalId: "of-tenant@example.com" });
    await service.done("POST", `${tenant}/groups`, { name: "north" });
    const groups = ["north"];
    const id = await notification([
      guest("of-account", { groups }),
      guest("of-tenant", { groups, embedTenantName: "southwind" }),
    ]);
    time += 1000;
    const before = smtp.mails.length;
    expect((await service.send("POST", `${notifications}/${id}/send`)).status).toBe(202);
    await vi.waitFor(() => expect(smtp.mails.length).toBe(before + 2), 60_000);
    const figures = smtp.mails.slice(before).map(({ to, raw }) => [to, revenueIn(raw)]);
    expect(Object.fromEntries(figures)).toMatchObject({ "of-account@example.com": "31" });
    expect(figures.map(([, figure]) => figure)).not.toEqual(["31", "31"]);
    await service.send("DELETE", `${notifications}/${id}`);
  });

  it("reaches each recipient once, however often it is repeated, and everyone when all was sent", async () => {
    const id = await notification(["busy", "never", "ready"].map((name) => guest(name)));
    const path = `${notifications}/${id}`;
    let rules: Readonly<Record<string, number>> = { busy: 451, never: 550 };
    smtp.rule = (to) => rules[to.split("@")[0] ?? ""];
    const before = smtp.mails.length;
    const sentTo = () =>
      smtp.mails
        .slice(before)
        .map(({ to }) => to.split("@")[0] ?? "")
        .toSorted();
    const states = async () =>
      (await deliveries(id))
        .map((one) => one as { email: string; status: string; scheduledAt: string })
        .filter(({ scheduledAt }) => scheduledAt === new Date(time).toISOString())
        .map(({ email, status }) => `${email.split("@")[0]} ${status}`)
        .toSorted();
    const send = async (expected: readonly string[]) => {
      time += 1000;
      await vi.waitFor(async () => {
        expect((await service.send("POST", `${path}/send`)).status).toBe(202);
      }, 15_000);
      await vi.waitFor(async () => expect(await states()).toEqual(expected), 15_000);
    };
    await send(["busy pending", "never failed", "ready sent"]);
    await send(["busy pending", "never failed", "ready skipped"]);
    expect(sentTo()).toEqual(["ready"]);
    rules = { busy: 451 };
    await send(["busy pending", "never sent", "ready skipped"]);
    const late = { recipients: [guest("late")] };
    await service.done("POST", `${path}/recipients`, late);
    rules = {};
    await send(["busy sent", "late sent", "never skipped", "ready skipped"]);
    expect(sentTo()).toEqual(["busy", "late", "never", "ready"]);
    await send(["busy sent", "late sent", "never sent", "ready sent"]);
    await service.send("DELETE", path);
  });
});

describe("a notification that is sent again after a change", () => {
  const smtpAnswers = (rules: Readonly<Record<string, number>>) => {
    smtp.rule = (to) => rules[to.split("@")[0] ?? ""];
  };
  const change = (id: number) =>
    ({
      "of the dashboard": () =>
        service.done("POST", `${deployment}/workbooks/${service.workbookId}/publish`, {
          workbookId: service.workbookId,
          title: "Corrected",
        }),
      "of the notification": () =>
        service.done("PUT", `${notifications}/${id}`, {
          filters: [{ member: "orders.region", value: "north" }],
        }),
      "of what a recipient sees": () =>
        service.done("POST", `${notifications}/${id}/recipients`, {
          recipients: [guest("first", { securityContext: { region: "north" } })],
        }),
    }) as const;

  it.each([
    ["of the dashboard", ["busy", "first", "second"]],
    ["of the notification", ["busy", "first", "second"]],
    ["of what a recipient sees", ["busy", "first"]],
  ] as const)("%s reaches everyone who has what was sent before", async (what, expected) => {
    const id = await notification(["busy", "first", "second"].map((name) => guest(name)));
    const send = async () => {
      time += 1000;
      return vi.waitFor(async () => {
        const { status, body } = await service.send("POST", `${notifications}/${id}/send`);
        expect(status).toBe(202);
        return (body as { deliveries: number }).deliveries;
      }, 15_000);
    };
    const sentSince = (first: number) =>
      smtp.mails
        .slice(first)
        .map(({ to }) => to.split("@")[0] ?? "")
        .toSorted();
    smtpAnswers({ busy: 451 });
    let before = smtp.mails.length;
    expect(await send()).toBe(3);
    await vi.waitFor(() => expect(sentSince(before)).toEqual(["first", "second"]), 15_000);
    const isTried = () =>
      vi.waitFor(async () => {
        const tried = { email: "busy@example.com", status: "pending", attempts: 1 };
        expect(await deliveries(id)).toContainEqual(
          expect.objectContaining({ ...tried, scheduledAt: new Date(time).toISOString() }),
        );
      }, 15_000);
    await isTried();
    // Without a change, only to the recipient who is waiting.
    expect(await send()).toBe(1);
    await isTried();
    await change(id)[what]();
    smtpAnswers({});
    before = smtp.mails.length;
    expect(await send()).toBe(expected.length);
    await vi.waitFor(() => expect(sentSince(before)).toEqual(expected), 15_000);
    await service.send("DELETE", `${notifications}/${id}`);
  });
});

describe("the link in a mail", () => {
  it("unsubscribes its recipient, with one click of a mail program or on the page, and subscribes again", async () => {
    const id = await notification([{ type: "USER", userId: 1 }, guest("a"), guest("b")]);
    const path = `${notifications}/${id}`;
    const day = 24 * 60 * minute;
    const sent = await mailsAt(time + day);
    const raw = sent.find(([to]) => to === "a@example.com")?.[1].replaceAll("\r\n ", "") ?? "";
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    const [, link = ""] = /^List-Unsubscribe: ?<(https:[^>]+)>\r$/mu.exec(raw) ?? [];
    for (const type of ["text/plain", "text/html"]) {
      expect(partsOf(raw, type).join("").replaceAll("&amp;", "&")).toContain(link);
    }
    expect(new URL(link).origin).toBe("https://mail.svc.example");
    const page = `${service.url}${link.slice("https://mail.svc.example".length)}`;
    const subscribed = async () => {
      const { items } = await service.done("GET", `${path}/recipients`);
      return (items as { email: string; unsubscribedAt?: string }[])
        .filter(({ unsubscribedAt }) => unsubscribedAt === undefined)
        .map(({ email }) => email);
    };
    const everyone = await subscribed();
    // A program that follows links changes nothing.
    expect(await (await fetch(page)).text()).toContain("Unsubscribe?");
    expect(await subscribed()).toEqual(everyone);
    const form = new FormData();
    form.set("List-Unsubscribe", "One-Click");
    for (const body of [new URLSearchParams({ "List-Unsubscribe": "One-Click" }), form]) {
      const answer = await fetch(page, { method: "POST", body, headers: { origin: "null" } });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining("Unsubscribed"),
      ]);
    }
    expect(await subscribed()).toEqual(everyone.filter((email) => email !== "a@example.com"));
    // Neither the same declaration nor another run sends a mail to it.
    const recipients = [guest("a", { securityContext: { region: "north" } })];
    await service.done("POST", `${path}/recipients`, { recipients });
    expect((await mailsAt(time + day)).map(([to]) => to)).not.toContain("a@example.com");
    expect(await deliveries(id)).toContainEqual(
      expect.objectContaining({
        email: "a@example.com",
        status: "skipped",
        error: "the recipient unsubscribed",
      }),
    );
    const { items } = await service.done("GET", "/api/v1/audit-logs?eventName=unsubscribe");
    expect(items).toMatchObject([
      { objectType: "notification-recipients", after: { isSubscribed: false } },
    ]);
    expect((items as { objectIds: string[] }[])[0]?.objectIds[0]).toMatch(
      RegExp(`^${String(id)}/`),
    );
    await fetch(page, { method: "POST", body: new URLSearchParams({ action: "subscribe" }) });
    expect(await subscribed()).toEqual(everyone);
    const forged = page.replace(/.{8}$/u, "AAAAAAAA");
    expect((await fetch(forged, { method: "POST" })).status).toBe(404);
    await service.send("DELETE", path);
    expect((await fetch(page, { method: "POST" })).status).toBe(404);
  });
});

it("without an SMTP server, deliveries are skipped and say why", async () => {
  const plain = await startDashboardService();
  try {
    const body = { dashboardId: plain.dashboardId, scheduleType: "DAILY" };
    const { id } = await plain.done("POST", notifications, body);
    const path = `${notifications}/${String(id)}`;
    await plain.done("POST", `${path}/recipients`, { recipients: [guest("a")] });
    await plain.send("POST", `${path}/send`);
    const { items } = await plain.done("GET", `${path}/deliveries`);
    expect(items).toMatchObject([
      { status: "skipped", error: expect.stringMatching(/--smtp-url/) },
    ]);
  } finally {
    await plain.close();
  }
});

// The data folder belongs to a separate store.
it.skipIf(onPostgres)(
  "a server that is killed in mid-send repeats no mail that it recorded, and loses none",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-mail-"));
    const ready = join(folder, "ready.json");
    const args = ["serve", "--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
    const publicUrl = "https://svc.example.com/";
    const mail = ["--smtp-url", smtp.url, "--smtp-from", from, "--public-url", publicUrl];
    const start = async () => {
      rmSync(ready, { force: true });
      const running = await startSvc([...args, ...mail]);
      const found = await vi.waitFor(
        () => JSON.parse(readFileSync(ready, "utf8")) as { url: string; apiKey: string },
        { timeout: 60_000, interval: 50 },
      );
      const send = async (method: string, path: string, body?: object) => {
        const answer = await fetch(`${found.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${found.apiKey}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
        return (await answer.json()) as Record<string, unknown>;
      };
      return { running, send, done: send };
    };
    const names = ["one", "two", "three", "four", "five"];
    const before = smtp.mails.length;
    const sentTo = () => smtp.mails.slice(before).map(({ to }) => to.split("@")[0] ?? "");
    const first = await start();
    const { dashboardId } = await publish(first, { title: "Text", widgets: [] });
    const { id } = await first.send("POST", notifications, { dashboardId, scheduleType: "DAILY" });
    const path = `${notifications}/${String(id)}`;
    const recipients = names.map((name) => guest(name));
    await first.send("POST", `${path}/recipients`, { recipients });
    // The third mail and later ones are held.
    smtp.rule = () => (sentTo().length < 2 ? undefined : new Promise<void>(() => undefined));
    await first.send("POST", `${path}/send`);
    await vi.waitFor(async () => {
      const { items } = await first.send("GET", `${path}/deliveries`);
      const recorded = (items as { status: string }[]).filter(({ status }) => status === "sent");
      expect(recorded).toHaveLength(2);
    }, 20_000);
    first.running.child.kill("SIGKILL");
    await first.running.ended;
    smtp.rule = () => undefined;
    const raw = new Database(join(folder, "data", "account.db"));
    // A mail that ends the server each time is not retried forever.
    const sql = "update notification_deliveries set attempts = ? where email = 'five@example.com'";
    expect(raw.prepare(sql).run(limits.deliveryAttempts).changes).toBe(1);
    raw.close();
    const second = await start();
    await vi.waitFor(async () => {
      const { items } = await second.send("GET", `${path}/deliveries`);
      const error = expect.stringContaining("during each attempt");
      expect(items).toContainEqual(
        expect.objectContaining({ email: "five@example.com", status: "failed", error }),
      );
      expect(sentTo()).toHaveLength(names.length - 1);
    }, 20_000);
    expect(sentTo().toSorted()).toEqual(names.slice(0, -1).toSorted());
    expect(smtp.mails.at(-1)?.raw.includes("<https://svc.example.com/notifications/")).toBe(true);
    second.running.child.kill("SIGTERM");
    await second.running.ended;
    rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);

it.skipIf(onPostgres)(
  "end with the mail in flight when a server stops, also if a job waits for all",
  async () => {
    const options = { url: smtp.url, from, password: undefined };
    const stopping = await startDashboardService({ jobs: true, smtp: options });
    const body = { dashboardId: stopping.dashboardId, scheduleType: "DAILY", hour: 9 };
    const path = `${notifications}/${String((await stopping.done("POST", notifications, body))["id"])}`;
    const contexts = ["north", "south", "east"];
    const recipients = contexts.map((region) => guest(region, { securityContext: { region } }));
    await stopping.done("POST", `${path}/recipients`, { recipients });
    const before = smtp.mails.length;
    const held = Promise.withResolvers<void>();
    const arrived = new Promise<void>((resolve) => {
      smtp.rule = () => {
        resolve();
        return held.promise;
      };
    });
    expect(await stopping.send("POST", `${path}/send`)).toMatchObject({ status: 202 });
    await arrived;
    const job = stopping.db.updateTable("jobs").where("name", "=", "deliveries");
    await job.set({ run_at: "2026-01-01T00:00:00.000Z" }).execute();
    await vi.waitFor(async () => {
      const jobs = stopping.db.selectFrom("jobs").select("leased_until");
      const { leased_until } = await jobs
        .where("name", "=", "deliveries")
        .executeTakeFirstOrThrow();
      expect(leased_until).not.toBeNull();
    }, 20_000);
    const closed = stopping.close();
    held.resolve();
    await closed;
    expect(smtp.mails.length - before).toBe(1);
  },
);
