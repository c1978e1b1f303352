// Measures how many users an identity provider can create, find and change in a second, with few users and with very many.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "../service/store/open.ts";
import type { Db } from "../service/store/schema.ts";
import { type BareClient, bareClient, inParallel } from "./bare-client.ts";
import { insertManaged } from "./growth-scim.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { cpuMicroseconds } from "./process-cpu.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";
import { serve, serveBare } from "./server.ts";

const base = "/api/scim/v2";
const connections = 16;
const provisioned = 10_000;
const rounds = 10;
const ofRound = provisioned / rounds;
const aim = 1 / 3;
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** How many users a store has, and how many of them are members of one group. */
interface Population {
  readonly users: number;
  readonly members: number;
}

const few: Population = { users: 1000, members: 50 };
const many: Population = { users: 100_000, members: 50_000 };
const lookups = 200;
const lookupRounds = 7;
/** Maximum ratio between a call among many users and the same call among few. */
const maxGrowth = 2;

/** Measures rates against a bare server, and single calls in a large store against the same calls in a small one. */
export async function scimBench(): Promise<void> {
  await measureRates();
  await measureGrowth();
}

async function measureRates(): Promise<void> {
  const [ours, bare] = [await serve(), await serveBare()];
  const [scim, floor] = [bareClient(ours, connections), bareClient(bare, connections)];
  try {
    await enableScim(scim);
    const ids: { readonly scim: string[]; readonly floor: string[] } = { scim: [], floor: [] };
    const creates = await ratesOf(rounds, {
      scim: async (at) => {
        ids.scim[at] = await createScimUser(scim, at);
      },
      floor: async (at) => {
        const body = { userName: userName(at) };
        ids.floor[at] = idOf(await floor.send({ method: "POST", path: "/users", body }));
      },
    });
    // Lookups never wait, so other processes on the machine would decide their rate. Therefore CPU time counts.
    const clocks = { scim: cpuClock(ours.pid), floor: cpuClock(bare.pid) };
    const finds = await ratesOf(
      lookupRounds,
      {
        scim: (at) => findUser(scim, at % provisioned),
        floor: (at) => {
          const search = encodeURIComponent(userName(at % provisioned));
          return floor.send({ method: "GET", path: `/users?userName=${search}` });
        },
      },
      clocks,
    );
    const patches = await ratesOf(lookupRounds, {
      scim: (at) => patchUser(scim, ids.scim[at % provisioned] ?? "", at),
      floor: (at) => {
        const path = `/users/${ids.floor[at % provisioned]}`;
        return floor.send({ method: "PATCH", path, body: { title: `Title ${at}` } });
      },
    });
    printTable(`SCIM per second, ${connections} connections, rounds of ${ofRound}`, [
      ["", "bare", "SCIM", "to bare", "aim"],
      rateRow(`${provisioned} users provisioned`, creates),
      rateRow("userName eq, of a core each", finds),
      rateRow("PATCH of one user", patches),
    ]);
  } finally {
    await Promise.all([scim.close(), floor.close()]);
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

type Rates = Readonly<Record<"scim" | "floor", readonly number[]>>;

/** Returns the CPU time of a process so far, in milliseconds. */
function cpuClock(pid: number): () => number {
  return () => cpuMicroseconds(pid) / 1000;
}

const wallClock = (): number => performance.now();

/** Returns the milliseconds of each round of both, by the clock of each. Round numbers include the warm-up round. */
async function ratesOf(
  count: number,
  calls: Readonly<Record<"scim" | "floor", (at: number) => Promise<unknown>>>,
  clocks: Readonly<Record<"scim" | "floor", () => number>> = { scim: wallClock, floor: wallClock },
): Promise<Rates> {
  const next = { scim: 0, floor: 0 };
  const round = (name: "scim" | "floor") => async (): Promise<number> => {
    const from = next[name];
    next[name] += ofRound;
    const numbers = Array.from({ length: ofRound }, (_, at) => from + at);
    const before = clocks[name]();
    await inParallel(numbers, connections, calls[name]);
    return clocks[name]() - before;
  };
  return interleavedRounds(count, { scim: round("scim"), floor: round("floor") });
}

function rateRow(name: string, { scim, floor }: Rates): readonly string[] {
  const rate = (took: readonly number[]): string => (ofRound / (median(took) / 1000)).toFixed(0);
  const part = medianRatio(floor, scim);
  return [name, rate(floor), rate(scim), part.toFixed(2), aim.toFixed(2)];
}

const userName = (at: number): string => `user-${String(at).padStart(6, "0")}@example.com`;

async function enableScim(client: BareClient): Promise<void> {
  const body = { scimEnabled: true };
  await client.send({ method: "PUT", path: "/api/v1/tenant/settings", body });
}

async function createScimUser(client: BareClient, at: number): Promise<string> {
  const body = {
    userName: userName(at),
    externalId: `e${at}`,
    name: { givenName: "Ada", familyName: `Number ${at}` },
    emails: [{ value: userName(at), primary: true }],
  };
  return idOf(await client.send({ method: "POST", path: `${base}/Users`, body }));
}

function idOf(answer: unknown): string {
  return String((answer as { readonly id: string | number }).id);
}

async function findUser(client: BareClient, at: number): Promise<string> {
  return findOne(client, "Users", { filter: `userName eq "${userName(at)}"` });
}

async function findOne(
  client: BareClient,
  type: "Users" | "Groups",
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const search = String(new URLSearchParams(query));
  const answer = await client.send({ method: "GET", path: `${base}/${type}?${search}` });
  const { Resources = [] } = answer as { readonly Resources?: readonly { readonly id: string }[] };
  const [one] = Resources;
  if (one === undefined || Resources.length > 1) throw new Error(`${search} did not find one`);
  return one.id;
}

function patchUser(client: BareClient, id: string, at: number): Promise<unknown> {
  const Operations = [{ op: "replace", path: "title", value: `Title ${at}` }];
  const body = { schemas: [patchSchema], Operations };
  return client.send({ method: "PATCH", path: `${base}/Users/${id}`, body });
}

/** A server whose store was filled, and the calls that are timed there. */
interface Filled {
  readonly calls: Readonly<Record<keyof typeof callNames, () => Promise<number>>>;
  stop(): Promise<void>;
}

const callNames = {
  user: "userName eq",
  member: "members eq, in one group",
  patch: "PATCH that removes a member, and one that adds it",
} as const;

async function measureGrowth(): Promise<void> {
  const small = await openFilled(few);
  const large = await openFilled(many);
  try {
    const growths: number[] = [];
    const rows = [["", `of ${few.users}`, `of ${many.users}`, "growth", "at most"]];
    for (const name of Object.keys(callNames) as (keyof typeof callNames)[]) {
      const took = await interleavedRounds(lookupRounds, {
        small: small.calls[name],
        large: large.calls[name],
      });
      const growth = medianRatio(took.large, took.small);
      growths.push(growth);
      const cells = [median(took.small), median(took.large)].map((ms) => formatMs(ms / lookups));
      rows.push([callNames[name], ...cells, formatFactor(growth), formatFactor(maxGrowth)]);
    }
    printTable(
      `SCIM in a group of ${few.members} among ${few.users} users, and of ${many.members} among ${many.users}`,
      rows,
    );
    const most = Math.max(...growths);
    if (most > maxGrowth)
      throw new Error(`a SCIM call takes ${most} times as long among many users`);
  } finally {
    await Promise.all([small.stop(), large.stop()]);
  }
}

async function openFilled(population: Population): Promise<Filled> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-scim-"));
  const options = ["--data", folder];
  await (await serve(options)).stop();
  const { group, members } = await fillStore(folder, population);
  const server = await serve(options);
  const client = bareClient(server, connections);
  const numbers = Array.from({ length: lookups }, (_, at) => at);
  const timed = (send: (at: number) => Promise<unknown>) => async (): Promise<number> => {
    const from = performance.now();
    for (const at of numbers) await send(at);
    return performance.now() - from;
  };
  // Spread over all of them, so that no page of the store serves two.
  const memberAt = (at: number) => members[Math.floor((at * members.length) / lookups)] ?? "";
  const patch = (operation: object) =>
    client.send({
      method: "PATCH",
      path: `${base}/Groups/${group}?excludedAttributes=members`,
      body: { schemas: [patchSchema], Operations: [operation] },
    });
  return {
    calls: {
      user: timed((at) => findUser(client, Math.floor((at * population.users) / lookups))),
      member: timed((at) => {
        const filter = `id eq "${group}" and members eq "${memberAt(at)}"`;
        return findOne(client, "Groups", { filter, excludedAttributes: "members" });
      }),
      patch: timed(async (at) => {
        await patch({ op: "remove", path: `members[value eq "${memberAt(at)}"]` });
        await patch({ op: "add", path: "members", value: [{ value: memberAt(at) }] });
      }),
    },
    stop: async () => {
      await client.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Inserts users, and the first of them as members of one group. Returns the IDs of the group and of its members. */
async function fillStore(
  data: string,
  { users, members }: Population,
): Promise<{ readonly group: string; readonly members: readonly string[] }> {
  const stores = await openStores(data);
  const store = await stores.open({});
  try {
    return await store.db.transaction().execute((tx) => insertUsers(tx, { users, members }));
  } finally {
    await store.close();
    await stores.close();
  }
}

async function insertUsers(tx: Db, { users, members }: Population) {
  const batch = 1000;
  const created_at = new Date().toISOString();
  await tx.updateTable("account").set({ scim_enabled: 1 }).execute();
  const { id: group } = await tx
    .insertInto("user_groups")
    .values({ name: "Everyone", name_key: "everyone", created_at })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("scim_groups")
    .values({ group_id: group, updated_at: created_at, integration_id: null })
    .execute();
  const ids: number[] = [];
  for (let from = 0; from < users; from += batch) {
    const rows = Array.from({ length: Math.min(batch, users - from) }, (_, at) => ({
      username: userName(from + at),
      name_key: userName(from + at).toLowerCase(),
      is_external: 0,
      is_admin: 0,
      created_at,
    }));
    const inserted = await tx.insertInto("users").values(rows).returning("id").execute();
    ids.push(...inserted.map(({ id }) => id));
    await insertManaged(tx, inserted);
  }
  const joined = ids.slice(0, members);
  for (let from = 0; from < joined.length; from += batch) {
    const rows = joined.slice(from, from + batch).map((user_id) => ({ group_id: group, user_id }));
    await tx.insertInto("group_members").values(rows).execute();
  }
  return { group: String(group), members: joined.map(String) };
}
