// Measures how requests of an identity provider grow with the number of users in one group.
import { limits } from "../core/limits/limits.ts";
import type { Db } from "../service/store/schema.ts";
import { type BareClient, inParallel } from "./bare-client.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";
import { type GrowthFixture, openFixture } from "./growth-stacks.ts";

const base = "/api/scim/v2";
const insertBatch = 100;

/** Finds users, and changes the members of a group that has all of them. */
export const scimScene: GrowthScene = {
  title: "SCIM",
  size: 150,
  open: async (size) => {
    const fixture = await openFixture("file");
    const group = await seedGroup(fixture, size);
    return { steps: scimSteps(fixture.client, group, size), close: () => fixture.close() };
  },
};

/** Inserts users into the store, each a member of one group, and returns the ID of the group. */
async function seedGroup({ server, client }: GrowthFixture, size: number): Promise<string> {
  await server.db.updateTable("account").set({ scim_enabled: 1 }).execute();
  const group = await client.send({
    method: "POST",
    path: `${base}/Groups`,
    body: { displayName: "Everyone" },
  });
  const { id } = group as { readonly id: string };
  const created_at = new Date().toISOString();
  for (let from = 0; from < size; from += insertBatch) {
    const length = Math.min(insertBatch, size - from);
    const rows = Array.from({ length }, (_, at) => ({
      username: `user-${from + at}`,
      name_key: `user-${from + at}`,
      is_external: 0,
      is_admin: 0,
      created_at,
    }));
    const inserted = await server.db.insertInto("users").values(rows).returning("id").execute();
    const members = inserted.map((user) => ({ group_id: Number(id), user_id: user.id }));
    await server.db.insertInto("group_members").values(members).execute();
    await insertManaged(server.db, inserted);
  }
  return id;
}

/** Makes users of the store users that SCIM created. */
async function insertManaged(db: Db, users: readonly { readonly id: number }[]): Promise<void> {
  const rows = users.map(({ id }) => ({ user_id: id, attributes: "{}", integration_id: null }));
  await db.insertInto("scim_users").values(rows).execute();
}

function scimSteps(client: BareClient, group: string, size: number): readonly GrowthStep[] {
  const numbers = Array.from({ length: size }, (_, at) => at);
  const ids: string[] = [];
  const patch = (operation: object) =>
    client.send({
      method: "PATCH",
      path: `${base}/Groups/${group}`,
      body: { Operations: [operation] },
    });
  return [
    {
      name: "filters by user name",
      run: () =>
        inParallel(numbers, limits.concurrency, async (at) => {
          ids.push(await idOf(client, `user-${at}`));
        }),
    },
    {
      name: "patches of one member",
      run: () =>
        inParallel(ids, limits.concurrency, async (id) => {
          await patch({ op: "remove", path: `members[value eq "${id}"]` });
          await patch({ op: "add", path: "members", value: [{ value: id }] });
        }),
    },
    {
      name: "filters by group and member",
      run: () =>
        inParallel(ids, limits.concurrency, async (id) => {
          const filter = `id eq "${group}" and members eq "${id}"`;
          await foundOne(
            client,
            `Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
          );
        }),
    },
  ];
}

async function idOf(client: BareClient, userName: string): Promise<string> {
  return foundOne(client, `Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
}

async function foundOne(client: BareClient, search: string): Promise<string> {
  const answer = await client.send({ method: "GET", path: `${base}/${search}` });
  const { totalResults, Resources } = answer as {
    readonly totalResults: number;
    readonly Resources: readonly { readonly id: string }[];
  };
  const [one] = Resources;
  if (totalResults !== 1 || one === undefined) throw new Error(`${totalResults} were found`);
  return one.id;
}
