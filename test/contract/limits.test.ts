// Tests how many objects an account, a deployment or a workbook can have: the last one within the limit is created, the next
// one refused.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import type { Tables } from "../../service/store/schema.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampleOf } from "./sample-requests.ts";

let service: ResettableService;
beforeAll(async () => {
  service = await startResettableService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

/** Number of rows that SQLite and PostgreSQL accept in one statement. */
const rowsPerQuery = 500;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Inserts rows without the API, which would take minutes. */
async function insert(table: keyof Tables, rows: Rows): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerQuery) {
    const some = rows.slice(from, from + rowsPerQuery);
    await service.db.insertInto(table).values(some).execute();
  }
}

/** Returns copies of the newest row of a table with other values in the columns that are unique. */
async function copies(
  table: keyof Tables,
  columns: readonly string[],
  count: number,
): Promise<Rows> {
  const newest = service.db.selectFrom(table).selectAll().orderBy("id", "desc");
  const { id: _, ...row }: Record<string, unknown> = await newest.executeTakeFirstOrThrow();
  return Array.from({ length: count }, (_none, index) => ({
    ...row,
    ...Object.fromEntries(columns.map((column) => [column, `${String(row[column])}-${index}`])),
  }));
}

/** Operations that create an object, its table, the columns with its name, its member of the request, and the limit. */
const cases = [
  ["createWorkloadTrust", "workload_trusts", ["name"], "name", limits.workloadTrusts],
  ["createIdentityProvider", "identity_providers", ["name"], "name", limits.identityProviders],
  ["createOAuthClient", "oauth_clients", ["client_id"], "clientId", limits.oauthClients],
  [
    "createScimIntegration",
    "scim_integrations",
    ["name", "token_hash"],
    "name",
    limits.scimIntegrations,
  ],
  ["createOAuthIntegration", "oauth_integrations", ["name"], "name", limits.oauthIntegrations],
  ["createRole", "roles", ["name", "name_key"], "name", limits.roles],
  ["createBranch", "branches", ["name"], "name", limits.branches],
] as const;

it.each(cases)("%s", async (id, table, columns, member, most) => {
  const { path, body } = await sampleOf(id, service);
  const make = (name: string) => service.send("POST", path, { body: { ...body, [member]: name } });
  expect((await make("first")).status).toBe(200);
  const { count } = await service.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  await insert(table, await copies(table, columns, most - Number(count) - 1));
  expect((await make("last")).status).toBe(200);
  const refused = await make("one-too-many");
  expect([refused.status >= 400 && refused.status < 500, refused.text]).toEqual([
    true,
    expect.stringContaining(String(most)),
  ]);
});

it("createOidcTokenConfig is refused above the most configurations of an account", async () => {
  const { path } = await sampleOf("createOidcTokenConfig", service);
  const make = (index: number) => {
    const body = { audienceType: "Custom", customAudience: "a", name: `own-${index}` };
    return service.send("POST", path, { body });
  };
  for (let index = 0; index < limits.oidcConfigs; index++) {
    expect((await make(index)).status).toBe(200);
  }
  expect((await make(limits.oidcConfigs)).status).toBe(429);
});

it("embed access of a workbook is refused for one tenant above the limit", async () => {
  const { path, body } = await sampleOf("setEmbedAccess", service);
  expect((await service.send("PUT", path, { body })).status).toBe(200);
  await insert("embed_tenants", await copies("embed_tenants", ["name"], limits.embedAccess));
  const tenants = await service.db
    .selectFrom("embed_tenants")
    .select(["id", "name"])
    .where("name", "like", "%-%-%")
    .orderBy("id")
    .execute();
  const workbookId = Number(/workbooks\/(\d+)/.exec(path)?.[1]);
  const named = tenants.slice(0, limits.embedAccess - 2);
  const access = named.map(({ id }) => ({ workbook_id: workbookId, embed_tenant_id: id }));
  await insert("workbook_embed_access", access);
  const [last, next] = tenants.slice(-2);
  const give = (embedTenantName: string | undefined) =>
    service.send("PUT", path, { body: { embedTenantName, action: "read" } });
  expect((await give(last?.name)).status).toBe(200);
  expect(await give(next?.name)).toMatchObject({
    status: 429,
    text: expect.stringContaining(String(limits.embedAccess)),
  });
  // Access that already exists does not count again.
  expect((await give(last?.name)).status).toBe(200);
});
