// Tests the notifications of a controller at a real receiver: what is sent, once, how it is signed, and what is tried again.
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/read-config.ts";
import type { ReconciliationEvent } from "../../controller/events.ts";
import type { DeadLetter } from "../../controller/notification-outbox.ts";
import { sendMail } from "../../controller/mail-channel.ts";
import { openNotifier } from "../../controller/notifier.ts";
import { limits } from "../../core/limits/limits.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  startTime,
} from "./fixture.ts";

const folder = "stacks/northwind";
const hour = 3_600_000;
const key = randomBytes(32);

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let fixture: ControllerFixture;
let receiver: Server;
let received: Received[];
let statusCode: number;

beforeEach(async () => {
  fixture = await openControllerFixture();
  received = [];
  statusCode = 204;
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(statusCode, statusCode === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  fixture.env["HOOK_URL"] = `http://127.0.0.1:${port}/secret-path`;
  fixture.env["HOOK_SECRET"] = `whsec_${key.toString("base64")}`;
});
afterEach(async () => {
  await fixture.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const webhook = {
  name: "ops",
  type: "webhook",
  url: { env: "HOOK_URL" },
  secret: { env: "HOOK_SECRET" },
};

async function receive(count: number): Promise<readonly Received[]> {
  while (received.length < count) await turn();
  return received;
}

const failure: ReconciliationEvent = {
  time: startTime.toISOString(),
  event: "reconciliation",
  source: "northwind",
  mode: "apply",
  result: "failed",
  seconds: 1,
};

const parsed = ({ body }: Received) => JSON.parse(body) as Record<string, unknown>;

describe("notifications of a controller", () => {
  it("go as mails over SMTP: with TLS unless told, once, and again until the server accepts them", async () => {
    const smtp = await startSmtpServer();
    const target = (more: object, to = "team@example.com") => ({
      name: "team",
      type: "mail",
      template: "{{source}} {{type}}: {{reason}}",
      on: ["failing"],
      mail: { server: smtp.url, from: "GitOps <gitops@example.com>", to, ...more },
    });
    const { runController } = await import("../../controller/controller.ts");
    const run = async (notify: object): Promise<DeadLetter[]> => {
      const failed: DeadLetter[] = [];
      const file = fixture.config([{ folder: "stacks/<absent>" }], { notify: [notify] });
      const config = readControllerConfig(file);
      const onEvent = (event: { event: string }) => {
        if (event.event === "notification-failed") failed.push(event as never);
      };
      await runController({ config, kinds: [], env: fixture.env, once: true, onEvent });
      return failed;
    };
    try {
      // The server offers no TLS: nothing is sent in the clear.
      expect([await run(target({})), smtp.mails]).toEqual([[], []]);
      smtp.rule = () => 451;
      expect([await run(target({ requireTls: false })), smtp.mails]).toEqual([[], []]);
      smtp.rule = () => undefined;
      for (let times = 0; times < 2; times++) await run(target({ requireTls: false }));
      expect(smtp.mails).toHaveLength(1);
      const [{ to, raw }] = smtp.mails as [(typeof smtp.mails)[number]];
      expect(to).toBe("team@example.com");
      expect(raw).toMatch(/^From: GitOps <gitops@example.com>\r$/mu);
      expect(raw).toMatch(/^Subject: svc: \S+ failing\r$/mu);
      expect(raw).toMatch(/^Message-ID: <msg_[\w-]+@example.com>\r$/mu);
      const unfolded = raw.replaceAll("=\r\n", "");
      expect(unfolded).toMatch(/^northwind failing: .*<absent>/mu);
    } finally {
      await smtp.close();
    }
  });

  it("tell once about each change: failing, recovered, drift, held; signed as Standard Webhooks", async () => {
    fixture.stack(folder, [groupDocument("north", "for the north"), groupDocument("south")]);
    const more = { listen: { port: 0 }, notify: [webhook] };
    const running = await fixture.start([{ folder, interval: "1h" }], more);
    fixture.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    await running.advanceAndWait(hour);
    await running.advanceAndWait(hour);
    fixture.stack(folder, [groupDocument("north", "for the north"), groupDocument("south")]);
    await running.advanceAndWait(hour);
    const listed = await fixture.service.send("GET", "/api/v1/user-groups?first=1000");
    const { items } = listed.body as { items: readonly { id: number; name: string }[] };
    const id = items.find(({ name }) => name === "north")?.id;
    const body = { description: "edited by hand" };
    await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body });
    expect(await running.advanceAndWait(hour)).toMatchObject({ result: "applied" });
    fixture.stack(folder, [groupDocument("north", "for the north")]);
    await running.advanceAndWait(hour);
    await running.advanceAndWait(hour);
    const all = await receive(4);
    expect(all.map((one) => parsed(one))).toMatchObject([
      { type: "source.failing", data: { source: "northwind", diagnostic: { severity: "error" } } },
      { type: "source.recovered", data: { result: "unchanged" } },
      { type: "source.drift", data: { result: "applied", drift: { drifted: 1 } } },
      { type: "source.held", data: { held: { deletes: 1 } } },
    ]);
    for (const { headers, body: text } of all) {
      const signed = [headers["webhook-id"], headers["webhook-timestamp"], text].join(".");
      const signature = createHmac("sha256", key).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    }
    const first = Number(all[0]?.headers["webhook-timestamp"]);
    expect(first).toBe(startTime.getTime() / 1000 + 3600);
    const status = (await (await fetch(`${running.url()}/status`)).json()) as object;
    expect(status).toMatchObject({ notifications: { pending: 0, dead: [] } });
    // A restart tells nothing again.
    await running.stop();
    const again = await fixture.start([{ folder, interval: "1h" }], more);
    await again.advanceAndWait(hour);
    expect(received).toHaveLength(4);
  });

  it("tell each reason of a failing source once, also over a restart", async () => {
    const document = "apiVersion: svc/v1\nmetadata: { name: north }\n";
    const kind = `${document}kind: UserGruop\nspec: { name: north }\n`;
    const field = `${document}kind: UserGroup\nspec: { nam: north }\n`;
    const write = (text: string) => fixture.write(`${folder}/documents.yaml`, text);
    const more = { listen: { port: 0 }, notify: [webhook] };
    fixture.stack(folder, [groupDocument("north")]);
    const before = await fixture.start([{ folder, interval: "1h" }], more);
    for (const text of [kind, field, kind]) {
      write(text);
      await before.advanceAndWait(hour);
    }
    await receive(2);
    await before.stop();
    write(field);
    const after = await fixture.start([{ folder, interval: "1h" }], more);
    fixture.stack(folder, [groupDocument("north")]);
    await after.advanceAndWait(hour);
    expect((await receive(3)).map((letter) => parsed(letter))).toMatchObject([
      {
        type: "source.failing",
        data: { diagnostic: { code: "unknown-kind" } },
      },
      { type: "source.failing", data: { diagnostic: { code: "unknown-field" } } },
      { type: "source.recovered" },
    ]);
  });

  it("are in the form of Slack, of the chosen types only, and sent by --once too", async () => {
    const slack = { name: "chat", type: "slack", url: { env: "HOOK_URL" }, on: ["failing"] };
    const file = fixture.config([{ folder: "stacks/<absent>" }], { notify: [slack] });
    const { runController } = await import("../../controller/controller.ts");
    const { env } = fixture;
    await runController({ config: readControllerConfig(file), kinds: [], env, once: true });
    expect(received).toHaveLength(1);
    const [{ headers, body }] = received as [Received];
    expect(headers["webhook-signature"]).toBeUndefined();
    expect(JSON.parse(body)).toEqual({
      text: expect.stringMatching(/^northwind fails: .*stacks\/&lt;absent&gt; cannot be read/u),
    });
  });

  it("keep nothing of what a mail server says about a sign-in, which can repeat the password", async () => {
    const server = createTcpServer((socket) => {
      socket.write("220 mail.example.com\r\n");
      socket.on("data", (data) => {
        const command = data.toString().trim();
        if (command.startsWith("EHLO")) socket.write("250-mail.example.com\r\n250 AUTH PLAIN\r\n");
        else socket.write(`535 5.7.8 bad credentials for <${command}>\r\n`);
      });
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    fixture.env["MAIL_PASSWORD"] = "mail-password";
    const mail = {
      server: `smtp://ops@127.0.0.1:${port}`,
      from: "ops@example.com",
      to: "t@example.com",
      requireTls: false,
      password: { env: "MAIL_PASSWORD" },
    };
    const file = fixture.config([{ folder }], { notify: [{ name: "team", type: "mail", mail }] });
    const config = readControllerConfig(file);
    const notifier = openNotifier({ config, env: fixture.env, onFailed: () => undefined });
    await notifier.notify(failure);
    await notifier.flush();
    const saved = readFileSync(join(fixture.home, "state/notifications.json"), "utf8");
    expect(saved).toContain("the server refused the sign-in (535)");
    expect(saved).not.toContain(Buffer.from("\0ops\0mail-password").toString("base64"));
    server.close();
  });

  it("keep no connection to a mail server that answers without an end", async () => {
    const ended = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.write("220 mail.example.com\r\n");
      const lines = setInterval(() => socket.write("250-mail.example.com\r\n"), 50);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          clearInterval(lines);
          ended.resolve();
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const sent = sendMail(
      { subject: "s", text: "t" },
      {
        url: `smtp://127.0.0.1:${port}`,
        from: "ops@example.com",
        to: "t@example.com",
        requireTls: false,
        credential: undefined,
        id: "1",
        signal: AbortSignal.timeout(500),
      },
    );
    expect(await sent).toEqual({ error: "there was no answer in time" });
    await ended.promise;
    server.close();
  });

  it("go to all targets at once with --once, and say where the first error is", async () => {
    const bodies: string[] = [];
    const responses: ServerResponse[] = [];
    receiver.removeAllListeners("request");
    receiver.on("request", (request: IncomingMessage, response: ServerResponse) => {
      responses.push(response);
      request.on("data", (chunk: Buffer) => bodies.push(chunk.toString("utf8")));
      // The first one gets its answer when the second one is there.
      if (responses.length === 2) for (const one of responses) one.writeHead(204).end();
    });
    const target = { type: "slack", url: { env: "HOOK_URL" } };
    const notify = [
      { ...target, name: "one" },
      { ...target, name: "two" },
    ];
    const config = readControllerConfig(fixture.config([{ folder }], { notify }));
    const notifier = openNotifier({ config, env: fixture.env, onFailed: () => undefined });
    const place = "g/1.yaml:4:19";
    const error = { code: "unknown-field", severity: "error", summary: "it is wrong", place };
    await notifier.notify({ ...failure, result: "invalid", diagnostics: [error] });
    await notifier.flush();
    expect(await notifier.status()).toEqual({ pending: 0, dead: [] });
    expect(bodies[0]).toContain("northwind fails: g/1.yaml:4:19: it is wrong");
  });

  it("are tried again with growing pauses, over a restart, until they are dead letters", async () => {
    const file = fixture.config([{ folder }], { notify: [webhook] });
    const config = readControllerConfig(file);
    const { env } = fixture;
    const pauses: number[] = [];
    const dead: DeadLetter[] = [];
    const clock = {
      now: () => startTime,
      monotonicMs: () => 0,
      wait: async (ms: number) => {
        pauses.push(ms);
        await turn();
      },
    };
    const open = () => openNotifier({ config, env, clock, onFailed: (one) => dead.push(one) });
    const event = failure;
    statusCode = 503;
    const before = open();
    await before.notify(event);
    await before.flush();
    await before.stop();
    expect(await before.status()).toMatchObject({ pending: 1, dead: [] });
    // A redirect could lead the content elsewhere.
    statusCode = 302;
    const after = open();
    after.start("ops");
    while (dead.length === 0) await turn();
    expect(received).toHaveLength(limits.notificationAttempts);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(pauses.slice(0, 3)).toEqual([10_000, 20_000, 40_000]);
    const letter = { target: "ops", type: "failing", attempts: 10, error: "the status was 302" };
    expect(await after.status()).toMatchObject({ pending: 0, dead: [letter] });
    expect(JSON.stringify(await after.status())).not.toContain("secret-path");
    statusCode = 204;
    await after.notify(event);
    await after.notify({ ...event, result: "suspended" });
    await after.notify(event);
    await after.notify({ ...event, result: "unchanged" });
    const all = await receive(limits.notificationAttempts + 2);
    expect(parsed(all.at(-1) as Received)).toMatchObject({ type: "source.recovered" });
    await after.stop();
    expect((await open().status()).dead).toHaveLength(1);
  });

  it("tell of folders of a pattern that are gone", async () => {
    const slack = { name: "chat", type: "slack", url: { env: "HOOK_URL" } };
    const config = readControllerConfig(fixture.config([{ folder }], { notify: [webhook, slack] }));
    const notifier = openNotifier({ config, env: fixture.env, onFailed: () => undefined });
    await notifier.notify({
      time: startTime.toISOString(),
      event: "reconciliation",
      source: "tenants",
      mode: "apply",
      result: "unchanged",
      seconds: 1,
      expanded: { sources: 1, removed: ["tenants-acme"] },
      diagnostics: [
        {
          code: "source-removed",
          severity: "warning",
          summary: "tenants-acme is no longer reconciled",
        },
      ],
    });
    await notifier.flush();
    expect(received.map((one) => parsed(one))).toMatchObject([
      { type: "source.removed", data: { source: "tenants", removed: ["tenants-acme"] } },
      { text: "tenants: tenants-acme is no longer reconciled" },
    ]);
  });

  it("have the text of a template, which names known fields only", async () => {
    const slack = { name: "chat", type: "slack", url: { env: "HOOK_URL" } };
    const template = "{{ source }} <{{type}}> {{reason}} {{commit}}|{{plan}}|{{drifted}}";
    const targets = [
      { ...slack, template },
      { ...webhook, template: "{{source}}: {{result}}" },
    ];
    const file = fixture.config([{ folder: "stacks/absent" }], { notify: targets });
    const { runController } = await import("../../controller/controller.ts");
    const { env } = fixture;
    await runController({ config: readControllerConfig(file), kinds: [], env, once: true });
    expect(received.map((one) => parsed(one))).toMatchObject([
      { text: expect.stringMatching(/^northwind &lt;failing&gt; .*absent.* \|\|0$/u) },
      { data: { text: "northwind: invalid" } },
    ]);
    for (const [wrong, message] of [
      ["{{sorce}}", /no field "sorce".*"source"/u],
      ["{{source.name}}", /no field "source.name"/u],
      ["{{#if source}}", /no field|must enclose/u],
      ["{{source}", /must enclose/u],
    ] as const) {
      const notify = [{ ...slack, template: wrong }];
      const other = fixture.config([{ folder }], { notify });
      expect(() => readControllerConfig(other)).toThrow(message);
    }
  });

  it("refuse an address in clear text, and a secret of another form", () => {
    const { env } = fixture;
    const config = readControllerConfig(fixture.config([{ folder }], { notify: [webhook] }));
    const open = (more: object) =>
      openNotifier({ config, env: { ...env, ...more }, onFailed: () => undefined });
    expect(() => open({ HOOK_URL: "http://hooks.example.com/x" })).toThrow(
      /ops must be an https URL/u,
    );
    expect(() => open({ HOOK_SECRET: "whsec_c2hvcnQ=" })).toThrow(/Standard Webhooks/u);
    const wrong = [webhook, { ...webhook, type: "slack" }];
    const file = fixture.config([{ folder }], { notify: wrong });
    expect(() => readControllerConfig(file)).toThrow(/another target is called ops/u);
    expect(() => readControllerConfig(file)).toThrow(/type slack has url, and nothing else/u);
    const mail = { server: "smtp://ops:secret@mail.example.com", from: "ops", to: "team" };
    const mails = fixture.config([{ folder }], { notify: [{ name: "m", type: "mail", mail }] });
    for (const message of [
      /or it contains a password/u,
      /a user needs a password/u,
      /this is no sender/u,
    ])
      expect(() => readControllerConfig(mails)).toThrow(message);
    expect(() => readControllerConfig(mails)).not.toThrow(/ops:secret/u);
  });
});
