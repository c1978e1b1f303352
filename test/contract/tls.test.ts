// Tests TLS and proxies with real certificates: which connections a server accepts.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from "../../service/server/server.ts";
import { type Authority, type IssuedCertificate, makeAuthority } from "../support/certificates.ts";
import { svcProgram } from "../support/svc-program.ts";
import { spawnServer } from "../wire/server-process.ts";

let authority: Authority;
let agent: Agent;
let folder: string;
let files: { certFile: string; keyFile: string };
let server: RunningServer | undefined;

beforeAll(async () => {
  await svcProgram();
  authority = await makeAuthority();
  agent = new Agent({ connect: { ca: authority.cert } });
});
afterAll(async () => agent.close());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-tls-"));
  files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  write(await authority.issue(["127.0.0.1", "first.svc.test"]));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function write({ cert, key }: IssuedCertificate): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
}

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  server = await startServer({ data: ":memory:", ...options });
  return server;
}

async function me(url: string, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `Bearer ${server?.adminKey.reveal() ?? ""}`;
  const answer = await request(`${url}/api/v1/users/me`, {
    dispatcher: agent,
    headers: { authorization, ...headers },
  });
  const body = (await answer.body.json()) as { code?: string };
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** Returns the serial number of the certificate for new connections. */
async function serial(url: string, servername?: string): Promise<string> {
  const socket = connect({
    port: Number(new URL(url).port),
    host: "127.0.0.1",
    ca: authority.cert,
    ...(servername === undefined ? {} : { servername, rejectUnauthorized: false }),
  });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe("a server with a certificate", () => {
  it("speaks TLS to those who trust its authority, and nothing else", async () => {
    const { url } = await start({ tls: [files] });
    expect(url).toMatch(/^https:/);
    expect((await me(url)).status).toBe(200);
    await expect(request(`${url}/livez`)).rejects.toThrow();
    const plain = request(url.replace("https:", "http:")).then(({ statusCode }) => statusCode);
    await expect(plain).rejects.toThrow();
  });

  it("speaks no TLS older than 1.2", async () => {
    const { url } = await start({ tls: [files] });
    const socket = connect({
      port: Number(new URL(url).port),
      host: "127.0.0.1",
      ca: authority.cert,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toMatch(/protocol|alert|version/i);
  });

  it("accepts AEAD cipher suites only, and requires browsers to use HTTPS", async () => {
    const { url } = await start({ tls: [files] });
    const socket = connect({
      port: Number(new URL(url).port),
      host: "127.0.0.1",
      ca: authority.cert,
      maxVersion: "TLSv1.2",
      ciphers:
        "ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES128-SHA:AES128-GCM-SHA256",
    });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toMatch(/handshake|alert|cipher/i);
    expect((await me(url)).headers["strict-transport-security"]).toMatch(/^max-age=\d{8}/);
  });

  it("may listen beyond loopback", async () => {
    const { url } = await start({ tls: [files], host: "0.0.0.0" });
    expect((await me(url.replace("0.0.0.0", "127.0.0.1"))).status).toBe(200);
  });

  it("takes a new certificate while it runs, and keeps the one before where the new one is bad", async () => {
    const running = await start({ tls: [files] });
    const { url } = running;
    const before = await serial(url);
    write(await authority.issue(["127.0.0.1"]));
    running.reloadCertificate();
    const after = await serial(url);
    expect(after).not.toBe(before);
    const { cert } = await authority.issue(["127.0.0.1"]);
    writeFileSync(files.certFile, cert);
    running.reloadCertificate();
    expect(await serial(url)).toBe(after);
    writeFileSync(files.certFile, "incomplete");
    running.reloadCertificate();
    expect(await serial(url)).toBe(after);
    rmSync(files.keyFile);
    running.reloadCertificate();
    expect(await serial(url)).toBe(after);
  });

  it("shows the one that is for the host, else the first, and exchanges each by itself", async () => {
    const other = { certFile: join(folder, "other.pem"), keyFile: join(folder, "other.key") };
    const issue = async (): Promise<void> => {
      const { cert, key } = await authority.issue(["second.svc.test", "*.third.test"]);
      writeFileSync(other.certFile, cert);
      writeFileSync(other.keyFile, key);
    };
    await issue();
    const running = await start({ tls: [files, other] });
    const { url } = running;
    const first = await serial(url);
    const second = await serial(url, "second.svc.test");
    expect(second).not.toBe(first);
    expect(await serial(url, "a.third.test")).toBe(second);
    expect(await serial(url, "first.svc.test")).toBe(first);
    expect(await serial(url, "unknown.svc.test")).toBe(first);
    await issue();
    writeFileSync(files.certFile, "incomplete");
    running.reloadCertificate();
    expect(await serial(url)).toBe(first);
    expect(await serial(url, "SECOND.svc.test")).not.toBe(second);
  });

  it.each([
    ["nothing", () => rmSync(files.certFile)],
    ["what is no certificate", () => writeFileSync(files.certFile, "hello")],
    ["what is no key", () => writeFileSync(files.keyFile, "hello")],
  ])("refuses to start with %s", async (_, spoil) => {
    spoil();
    await expect(start({ tls: [files] })).rejects.toMatchObject({ code: "usage" });
  });

  it("refuses to start with the key of another certificate, and does not show the key", async () => {
    const { key } = await authority.issue(["127.0.0.1"]);
    writeFileSync(files.keyFile, key);
    const failure = await start({ tls: [files] }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "usage" });
    expect(String(failure)).not.toContain(key.split("\n")[1]);
  });

  it(
    "takes the new certificate on SIGHUP, from the command line",
    { timeout: 30_000 },
    async () => {
      const options = ["--tls-cert", files.certFile, "--tls-key", files.keyFile, "--log", "info"];
      const { child, url } = await spawnServer(folder, { options });
      try {
        let output = "";
        child.stderr?.on("data", (text) => (output += String(text)));
        const before = await serial(url);
        write(await authority.issue(["127.0.0.1"]));
        child.kill("SIGHUP");
        await expect.poll(() => output, { timeout: 60_000 }).toContain("reloaded");
        expect(await serial(url)).not.toBe(before);
      } finally {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
    },
  );
});

it("logs SIGHUP without a certificate and keeps serving", { timeout: 30_000 }, async () => {
  const { child, url } = await spawnServer(folder);
  let output = "";
  child.stderr?.on("data", (text) => (output += String(text)));
  const ended = once(child, "exit");
  child.kill("SIGHUP");
  await expect.poll(() => output, { timeout: 60_000 }).toContain("no certificate to reload");
  expect((await request(`${url}/livez`)).statusCode).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

describe("a server behind proxies", () => {
  const proxied = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9" };

  it("uses what a trusted proxy reports about its client", async () => {
    const { url } = await start({ trustedProxies: ["127.0.0.0/8"] });
    expect((await me(url, proxied)).status).toBe(200);
    const plain = await me(url, { ...proxied, "x-forwarded-proto": "http" });
    expect([plain.status, plain.body.code]).toEqual([403, "forbidden"]);
  });

  it("ignores what other proxies report", async () => {
    const { url } = await start({ trustedProxies: ["10.0.0.0/8"] });
    // A request from loopback is a request of this machine, regardless of its headers.
    expect((await me(url, { ...proxied, "x-forwarded-proto": "http" })).status).toBe(200);
  });

  it.each(["0.0.0.0/0", "::/0", "10.0.0.0/33", "proxy.example", "10.0.0.0/8/8", ""])(
    "cannot trust the proxy range %j",
    async (range) => {
      await expect(start({ trustedProxies: [range] })).rejects.toMatchObject({ code: "usage" });
    },
  );

  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;

  it.skipIf(outside === undefined)(
    "refuses plain HTTP from beyond loopback, except health checks",
    async () => {
      const { url } = await start({ host: "0.0.0.0", trustedProxies: ["192.0.2.1"] });
      const from = url.replace("0.0.0.0", outside ?? "");
      for (const headers of [{}, proxied]) {
        expect((await me(from, headers)).body).toMatchObject({ code: "forbidden" });
      }
      const health = await request(`${from}/readyz`);
      await health.body.dump();
      expect(health.statusCode).toBe(200);
    },
  );
});
