// Kills servers during many writes and an apply, and checks that acknowledged writes remain and that the next apply
// completes.
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { findFreePort } from "../../support/free-port.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  createEmbedTenantGroup,
  listEmbedTenantGroups,
  provisionEmbedUser,
} from "../../../api/embed-tenants.ts";
import { createUserAttribute, listUserAttributes } from "../../../api/user-attributes.ts";
import { createUserGroup, listUserGroups } from "../../../api/user-groups.ts";
import { setVariables, listVariables } from "../../../api/variables.ts";
import { createClient } from "../../../client/client.ts";
import type { Client } from "../../../client/types.ts";
import { Secret } from "../../../core/secret.ts";
import { prepareAccount } from "../../support/every-kind.ts";
import { withoutServerChoices } from "../../support/expected-state.ts";
import { liveState, type LiveState } from "../../support/live-state.ts";
import { spawnSvc } from "../../support/svc-program.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";
import { differences, type SoakOptions, type SoakResult } from "./apply-soak.ts";
import { type Random, seededRandom, randomStack } from "./random.ts";

/** The prefix of the names that writers use, which no stack uses. */
const prefix = "ack-";
const tenant = `${prefix}tenant`;
const stacksPerServer = 5;
/** Servers that are killed one after another while one stack is applied. */
const killsPerStack = 3;
/** A machine under load starts processes of low priority late. */
const startMs = 600_000;

/** A server in a separate process, whose address stays the same after a restart. */
interface KillableServer {
  readonly url: string;
  readonly key: string;
  kill(): Promise<void>;
}

/** Kills `count` servers. */
export async function soakServers(soak: SoakOptions): Promise<SoakResult> {
  const { count, seed, database } = soak;
  const random = seededRandom(seed);
  const total = { killed: 0, skipped: 0, wrong: [] as string[] };
  while (total.killed < count && total.skipped <= count) {
    const folder = mkdtempSync(join(tmpdir(), "svc-soak-"));
    const place = await database?.();
    const good = await startService();
    try {
      const home = { folder, database: place?.data };
      await soakOneStorage({ ...soak, storage: home, reference: good, random, total });
    } finally {
      await good.close();
      await place?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return total;
}

/** The storage of successive servers: their files, and their account unless it is in a database. */
interface ServerStorage {
  readonly folder: string;
  readonly database: string | undefined;
}

interface ServerSoak extends SoakOptions {
  readonly storage: ServerStorage;
  readonly reference: TestService;
  readonly random: Random;
  readonly total: { killed: number; skipped: number; wrong: string[] };
}

async function soakOneStorage(on: ServerSoak): Promise<void> {
  const { storage: home, reference: good, random, total, count, seed, report } = on;
  const port = await findFreePort();
  let server = await start(home, port);
  await prepareAccount(good);
  await prepareAccount({
    send: (method, path, sending) => send(server, { method, path, body: sending?.body }),
  });
  const stack = await makeStack({ url: server.url, key: server.key, name: "soak" });
  const undisturbed = await makeStack({ url: good.url, key: good.adminKey, name: "soak" });
  const acknowledged = new Set<string>();
  try {
    for (let at = 0; at < stacksPerServer && total.killed < count; at++) {
      const documents = randomStack(random);
      await undisturbed.write(documents);
      if (!(await appliesFully(undisturbed))) return void total.skipped++;
      await stack.write(documents);
      const most = Math.min(killsPerStack, count - total.killed);
      for (let kill = 0; kill < most; kill++) {
        await killDuringWrites(server, { stack, acknowledged, random, round: total.killed });
        total.killed++;
        server = await start(home, port);
      }
      const found = await compareStates(server, { stack, acknowledged, good, documents });
      const place = `seed ${seed}, server ${total.killed}`;
      for (const one of found) total.wrong.push(`${place}: ${one}`);
      for (const one of found) report(`${place}: ${one}\n${JSON.stringify(documents)}`);
      report(
        `${total.killed} of ${count} servers killed, ${acknowledged.size} writes known of this account`,
      );
      if (found.length > 0) return;
    }
  } finally {
    await server.kill();
    await stack.dispose();
    await undisturbed.dispose();
  }
}

async function appliesFully(stack: TestStack): Promise<boolean> {
  const applied = await stack.apply().catch(() => undefined);
  return applied !== undefined && applied.outcomes.every(({ result }) => result === "done");
}

async function send(
  server: KillableServer,
  { method, path, body }: { method: string; path: string; body: unknown },
) {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, headers: {}, text, body: undefined };
}

interface WriteLoad {
  readonly stack: TestStack;
  readonly acknowledged: Set<string>;
  readonly random: Random;
  readonly round: number;
}

/** Runs writers and an apply until the server is killed, within a second after the first acknowledged write. */
async function killDuringWrites(server: KillableServer, work: WriteLoad): Promise<void> {
  const client = createClient({
    url: server.url,
    credential: new Secret(server.key),
    attempts: 1,
  });
  const over = new AbortController();
  let begun = (): void => {};
  const first = new Promise<void>((resolve) => (begun = resolve));
  const writers = writeOperations.map(async (write, writer) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const name = `${prefix}${work.round}-${writer}-${count}`;
      try {
        await write(client, name);
      } catch {
        if (over.signal.aborted) return;
        await pause(5);
        continue;
      }
      work.acknowledged.add(name);
      begun();
    }
  });
  const applying = work.stack.apply().catch(() => undefined);
  await first;
  await pause(work.random.below(1000));
  await server.kill();
  over.abort();
  await Promise.all([...writers, applying]);
  await client.close();
}

/** One operation for each type of storage: separate rows, rows of a parent, encrypted values, and upserts. */
const writeOperations: readonly ((client: Client, name: string) => Promise<unknown>)[] = [
  (client, name) => client.call(createUserGroup, { body: { name } }),
  (client, name) =>
    client.call(createUserAttribute, { body: { name: name.replaceAll("-", "_"), type: "string" } }),
  (client, name) =>
    client.call(createEmbedTenantGroup, {
      params: { embedTenantName: tenant },
      body: { name },
    }),
  (client, name) =>
    client.call(setVariables, {
      params: { deploymentId: 1 },
      body: { env_variables: [{ name: variableName(name), value: name }] },
    }),
];

/**
 * Returns the name of one of a few variables that are set repeatedly. Each must have the last acknowledged value or a
 * later one.
 */
function variableName(name: string): string {
  return `ACK_${Number(name.split("-").at(-1)) % 7}`;
}

/** Returns the missing objects, and the differences from the undisturbed service, after the next apply. */
async function compareStates(
  server: KillableServer,
  {
    stack,
    acknowledged,
    good,
    documents,
  }: Pick<WriteLoad, "stack" | "acknowledged"> & {
    readonly good: TestService;
    readonly documents: readonly Doc[];
  },
): Promise<string[]> {
  const missing = await missingIn(server, acknowledged);
  const found = missing.length === 0 ? [] : [`lost: ${missing.slice(0, 5).join(", ")}`];
  const applied = await stack.apply().catch((error: unknown) => String(error));
  if (typeof applied === "string") {
    const errors = (await stack.diagnostics()).filter(({ severity }) => severity === "error");
    const reasons = errors.map((one) => JSON.stringify(one));
    return [...found, `the next apply failed: ${[applied, ...reasons].join("; ")}`];
  }
  const left = applied.outcomes.filter(({ result }) => result !== "done");
  for (const { address, failure } of left) {
    found.push(`the next apply left ${address}: ${failure?.code ?? "skipped"}`);
  }
  const [ours, theirs] = [
    await liveState({ url: server.url, adminKey: server.key }),
    await liveState(good),
  ].map((state) => withoutServerChoices(withoutWriters(state), documents));
  const differing = differences(ours ?? {}, theirs ?? {});
  return [...found, ...differing.map((one) => `another end state: ${one}`)];
}

function withoutWriters(state: LiveState): LiveState {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !/ack[-_]/i.test(key)));
}

async function missingIn(
  server: KillableServer,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const client = createClient({ url: server.url, credential: new Secret(server.key) });
  try {
    const existing = new Set<string>([
      ...(await client.all(listUserGroups, {})).map(({ name }) => name),
      ...(await client.all(listUserAttributes, {})).map(({ name }) => name.replaceAll("_", "-")),
      ...(await client.all(listEmbedTenantGroups, { params: { embedTenantName: tenant } })).map(
        ({ name }) => name,
      ),
    ]);
    const values = await client.all(listVariables, { params: { deploymentId: 1 } });
    const stored = new Map(values.map(({ name, value }) => [name, value]));
    return [...acknowledged].filter((name) => !existing.has(name) && !isSet(stored, name));
  } finally {
    await client.close();
  }
}

/** Returns whether the stored value is not older than the acknowledged one, because the values of a writer increase. */
function isSet(stored: ReadonlyMap<string, string>, name: string): boolean {
  if (!/-3-\d+$/.test(name)) return false;
  const value = stored.get(variableName(name));
  return value !== undefined && orderOf(value) >= orderOf(name);
}

function orderOf(name: string): number {
  const [round = 0, , count = 0] = name.slice(prefix.length).split("-").map(Number);
  return round * 1e6 + count;
}

/** Starts a server. The first start creates the tenant of the writers. */
async function start({ folder, database }: ServerStorage, port: number): Promise<KillableServer> {
  const ready = join(folder, "ready.json");
  rmSync(ready, { force: true });
  const account =
    database === undefined
      ? ["--data", join(folder, "data")]
      : ["--secret-key-file", join(folder, "secret.key")];
  // The Git server of the examples is on this host.
  const git = ["--allow-private-host", "127.0.0.1"];
  const places = [...account, ...git, "--port", String(port), "--ready-file", ready];
  const child = await spawnSvc(["serve", ...places], {
    env: { ...process.env, ...(database !== undefined && { SVC_DATABASE_URL: database }) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const until = Date.now() + startMs;
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (Date.now() > until) throw new Error("the server did not start in time");
    await pause(20);
  }
  const { url = "", apiKey = "" } = JSON.parse(readFileSync(ready, "utf8")) as Record<
    string,
    string
  >;
  const killed = once(child, "exit");
  const client = createClient({ url, credential: new Secret(apiKey) });
  await client.call(provisionEmbedUser, {
    params: { embedTenantName: tenant },
    body: { externalId: `${prefix}user`, email: "ack@example.com" },
  });
  await client.close();
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await killed;
  };
  return { url, key: apiKey, kill };
}
