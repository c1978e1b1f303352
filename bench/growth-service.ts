// `npm run check -- growth-service`: sessions and recipients of many embed users, requests of an identity provider about a
// large group, and compilations of many cubes.
import { limits } from "../core/limits/limits.ts";
import { compileFiles } from "../service/model/compile.ts";
import type { ModelFile } from "../service/model/types.ts";
import { type BareClient, inParallel } from "./bare-client.ts";
import { batchesOf, type GrowthFixture, openFixture } from "./growth-fixture.ts";
import { checkGrowth, type GrowthScene, type GrowthStep } from "./growth-rate.ts";

const embedTenantName = "acme-inc";
const deployment = "/api/v1/deployments/1";
/** One call is too short to measure. */
const notificationCount = 5;

/** Signs in embed users, and adds them all to notifications. The large size is the limit of one call. */
const embedScene: GrowthScene = {
  title: "Embed users",
  size: limits.recipients / 4,
  open: async (size) => {
    const { client, close } = await openFixture();
    const users = Array.from({ length: size }, (_, index) => `user-${index}@example.com`);
    const notifications = await createNotifications(client);
    const session = (externalId: string) =>
      post(client, "/api/v1/embed/generate-session", {
        deploymentId: 1,
        externalId,
        embedTenantName,
      });
    const sessions = () => inParallel(users, limits.concurrency, session);
    const steps: readonly GrowthStep[] = [
      { name: "sessions of new users", run: sessions },
      { name: "sessions of known users", run: sessions },
      {
        name: "recipients in one call",
        run: async () => {
          for (const path of notifications) await subscribe(client, path, users);
        },
      },
    ];
    return { steps, close };
  },
};

async function post<Answer>(client: BareClient, path: string, body: object): Promise<Answer> {
  return (await client.send({ method: "POST", path, body })) as Answer;
}

/** Returns the paths of notifications for one dashboard. */
async function createNotifications(client: BareClient): Promise<readonly string[]> {
  const create = (path: string, body: object) => post<{ id: number }>(client, path, body);
  const { id: workbookId } = await create(`${deployment}/workbooks`, { name: "Sales" });
  const publication = { workbookId, config: {} };
  const { id } = await create(`${deployment}/workbooks/${workbookId}/publish`, publication);
  const schedule = { dashboardId: id, scheduleType: "DAILY", hour: 9 };
  const paths: string[] = [];
  for (let count = 0; count < notificationCount; count++) {
    const notification = await create(`${deployment}/notifications`, schedule);
    paths.push(`${deployment}/notifications/${notification.id}`);
  }
  return paths;
}

async function subscribe(client: BareClient, notification: string, users: readonly string[]) {
  const recipients = users.map((externalId) => {
    return { type: "EMBED_USER", embedTenantName, externalId };
  });
  const { createdRecipients } = await post<{ createdRecipients: readonly unknown[] }>(
    client,
    `${notification}/recipients`,
    { recipients },
  );
  if (createdRecipients.length !== users.length) throw new Error("not all were subscribed");
}

const scim = "/api/scim/v2";

/** Finds users, and changes the members of a group that has all of them. */
const scimScene: GrowthScene = {
  title: "SCIM",
  size: 150,
  open: async (size) => {
    const fixture = await openFixture();
    const group = await seedGroup(fixture, size);
    return { steps: scimSteps(fixture.client, group, size), close: fixture.close };
  },
};

/** Inserts users that SCIM created, each a member of one group, and returns the ID of the group. */
async function seedGroup({ server: { db }, client }: GrowthFixture, size: number) {
  await db.updateTable("account").set({ scim_enabled: 1 }).execute();
  const { id } = await post<{ id: string }>(client, `${scim}/Groups`, { displayName: "Everyone" });
  const created_at = new Date().toISOString();
  const userAt = (index: number) => {
    const name = `user-${index}`;
    return { username: name, name_key: name, is_external: 0, is_admin: 0, created_at };
  };
  for (const rows of batchesOf(size, userAt)) {
    const inserted = await db.insertInto("users").values(rows).returning("id").execute();
    const members = inserted.map((user) => ({ group_id: Number(id), user_id: user.id }));
    await db.insertInto("group_members").values(members).execute();
    const managed = inserted.map((user) => {
      return { user_id: user.id, attributes: "{}", integration_id: null };
    });
    await db.insertInto("scim_users").values(managed).execute();
  }
  return id;
}

function scimSteps(client: BareClient, group: string, size: number): readonly GrowthStep[] {
  const ids: string[] = [];
  const forEachUser = (send: (id: string) => Promise<unknown>) => async () =>
    inParallel(ids, limits.concurrency, send);
  const path = `${scim}/Groups/${group}`;
  const patch = (operation: object) =>
    client.send({ method: "PATCH", path, body: { Operations: [operation] } });
  const names = Array.from({ length: size }, (_, index) => `user-${index}`);
  return [
    {
      name: "filters by user name",
      run: () =>
        inParallel(names, limits.concurrency, async (name) => {
          ids.push(await idOf(client, "Users", `userName eq "${name}"`));
        }),
    },
    {
      name: "patches of one member",
      run: forEachUser(async (id) => {
        await patch({ op: "remove", path: `members[value eq "${id}"]` });
        await patch({ op: "add", path: "members", value: [{ value: id }] });
      }),
    },
    {
      name: "filters by group and member",
      run: forEachUser((id) => idOf(client, "Groups", `id eq "${group}" and members eq "${id}"`)),
    },
  ];
}

/** Returns the ID of the only object that a filter finds. */
async function idOf(client: BareClient, type: "Users" | "Groups", filter: string): Promise<string> {
  const search = new URLSearchParams({ excludedAttributes: "members", filter }).toString();
  const path = `${scim}/${type}?${search}`;
  const { totalResults, Resources } = (await client.send({ method: "GET", path })) as {
    readonly totalResults: number;
    readonly Resources: readonly { readonly id: string }[];
  };
  const [only] = Resources;
  if (totalResults !== 1 || only === undefined) throw new Error(`${totalResults} ${type}`);
  return only.id;
}

/** Compiles cubes that join each other. The large size is 2,000. */
const modelScene: GrowthScene = {
  title: "Data models",
  size: 500,
  open: async (size) => ({
    steps: [
      compilation("YAML", size, "yml", (cube) => JSON.stringify({ cubes: [cube] })),
      compilation("JavaScript", size, "js", scriptOf),
    ],
  }),
};

type Members = readonly Readonly<Record<string, unknown>>[];
type Cube = Readonly<Record<"name" | "sql_table", string>> &
  Readonly<Record<"joins" | "dimensions" | "measures", Members>>;

function compilation(
  name: string,
  size: number,
  extension: string,
  textOf: (cube: Cube) => string,
): GrowthStep {
  const files = Array.from({ length: size }, (_, index): ModelFile => ({
    path: `model/c${index}.${extension}`,
    content: textOf(cubeAt(index)),
  }));
  const run = async (): Promise<void> => {
    const { model, errors } = await compileFiles(files);
    if (model === undefined) throw new Error(errors[0]?.message);
  };
  return { name, run };
}

const columns = Array.from({ length: 10 }, (_, index) => `d${index}`);

function cubeAt(index: number): Cube {
  const name = `c${index}`;
  const other = `c${index - 1}`;
  const join = { name: other, sql: `{CUBE}.p = {${other}.id}`, relationship: "many_to_one" };
  return {
    name,
    sql_table: name,
    joins: index < 2 ? [] : [join],
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true },
      ...columns.map((column) => ({ name: column, sql: `{CUBE}.${column}`, type: "number" })),
    ],
    measures: columns.map((column) => ({ name: `${column}_sum`, sql: `{${column}}`, type: "sum" })),
  };
}

/** Returns a cube in JavaScript: lists are objects by name, and SQL is a template with `${}`. */
function scriptOf({ name, ...members }: Cube): string {
  const byName = Object.entries(members).map(([key, value]) => [
    key,
    typeof value === "string"
      ? value
      : Object.fromEntries(value.map(({ name: member, ...rest }) => [member, rest])),
  ]);
  const json = JSON.stringify(Object.fromEntries(byName));
  const text = json.replaceAll(
    /"sql":"(.*?)"/gu,
    (_, sql: string) => `"sql":\`${sql.replaceAll("{", "${")}\``,
  );
  return `cube(\`${name}\`, ${text});`;
}

await checkGrowth([embedScene, scimScene, modelScene]);
