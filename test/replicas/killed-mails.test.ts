// Tests servers on one database that are killed while they send the mails of a notification.
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type DashboardService, deployment, publish } from "../contract/dashboard-service.ts";
import { runSql } from "../support/postgres-server.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import { type Cluster, type Replica, startCluster } from "./cluster.ts";

const notifications = `${deployment}/notifications`;
const names = ["one", "two", "three", "four", "five"];
let smtp: TestSmtpServer;
let cluster: Cluster;
let options: readonly string[];
beforeAll(async () => {
  smtp = await startSmtpServer();
  cluster = await startCluster(0);
  options = ["--smtp-url", smtp.url, "--smtp-from", "Reports <reports@example.com>"];
});
afterEach(() => {
  smtp.rule = () => undefined;
});
afterAll(async () => {
  await cluster.stop();
  await smtp.close();
});

/** Returns the member of a service that helpers use. */
function withDone(server: Replica): Pick<DashboardService, "done"> {
  return { done: async (method, path, body) => (await server.send(method, path, body)).body };
}

/** Starts to mail a dashboard to everyone, and kills the server after two mails. Returns who got one since. */
async function killInMidSend(
  server: Replica,
  label: string,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<() => readonly string[]> {
  const { done } = withDone(server);
  const { dashboardId } = await publish(withDone(server), { title: label, widgets: [] });
  const { id } = await done("POST", notifications, { dashboardId, scheduleType: "DAILY" });
  const path = `${notifications}/${String(id)}`;
  const recipients = names.map((name) => ({
    type: "EMBED_USER",
    embedTenantName: "northwind",
    externalId: `${name}-${label}@example.com`,
  }));
  await done("POST", `${path}/recipients`, { recipients });
  const sentTo = () =>
    smtp.mails.flatMap(({ to }) => (to.includes(`-${label}@`) ? (to.split("-")[0] ?? "") : []));
  smtp.rule = () => (sentTo().length < 2 ? undefined : new Promise<void>(() => undefined));
  await done("POST", `${path}/send`);
  await vi.waitFor(async () => {
    const { items } = await done("GET", `${path}/deliveries`);
    const recorded = (items as { status: string }[]).filter(({ status }) => status === "sent");
    expect(recorded).toHaveLength(2);
  }, 20_000);
  await before();
  const exit = once(server.child, "exit");
  server.child.kill("SIGKILL");
  await exit;
  smtp.rule = () => undefined;
  return sentTo;
}

it("are followed at once by the next start, which sends the other mails once each", async () => {
  const sentTo = await killInMidSend(await cluster.start({ options }), "next");
  const next = await cluster.start({ options });
  await vi.waitFor(() => expect(sentTo()).toHaveLength(names.length), 10_000);
  expect(sentTo().toSorted()).toEqual(names.toSorted());
  next.child.kill("SIGTERM");
  await once(next.child, "exit");
}, 60_000);

it("are followed by another server as soon as it looks for work, which takes nothing from one that runs", async () => {
  const [first, other] = [await cluster.start({ options }), await cluster.start({ options })];
  const { dashboardId } = await publish(withDone(other), { title: "Wake", widgets: [] });
  // Who asks for an export makes the server look for waiting notifications too.
  const wake = async () => {
    const order = { dashboardId, format: "png" };
    const { body } = await other.send("POST", `${deployment}/dashboard-exports`, order);
    const path = `${deployment}/dashboard-exports/${String(body["jobId"])}`;
    await vi.waitFor(async () => {
      expect((await other.send("GET", path)).body).not.toMatchObject({ status: "running" });
    }, 20_000);
  };
  const sentTo = await killInMidSend(first, "other", async () => {
    await wake();
    const runs = await runSql(
      cluster.database,
      "select claims, status from svc.notification_runs order by id desc limit 1",
    );
    expect(runs).toEqual([{ claims: 1, status: "running" }]);
  });
  await wake();
  await vi.waitFor(() => expect(sentTo()).toHaveLength(names.length), 10_000);
  expect(sentTo().toSorted()).toEqual(names.toSorted());
}, 60_000);
