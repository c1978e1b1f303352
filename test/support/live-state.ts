// Reads the live objects of a service through its kinds, to compare and count them.
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { address } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { normalizeLive } from "../../core/spec/normalize.ts";
import { Secret } from "../../core/secret.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { survey } from "../../reconciler/verbs/survey.ts";
import { kinds as allKinds } from "../../resources/index.ts";
import type { TestService } from "./test-service.ts";

/** The service to observe. */
export interface ServiceAddress {
  readonly url: string;
  readonly adminKey: string;
}

/** Every object by kind and natural key, as its normal spec; an object that exists twice counts as `"twice"`. */
export type LiveState = Readonly<Record<string, JsonObject | "twice">>;

/** The capabilities of the project's service, which offers all operations of the kinds. */
const allOperations: ApiDiscovery = {
  has: () => true,
  takesIdempotencyKey: () => false,
  takesQuery: () => false,
};

const itemKinds = allKinds.filter((kind) => !isSingleton(kind));

/**
 * Observes all objects of all kinds, including objects that no manifest declares. Singletons do not count: they always
 * exist.
 */
export async function liveState(
  { url, adminKey }: ServiceAddress,
  kinds: readonly Kind[] = itemKinds,
): Promise<LiveState> {
  const client = createClient({ url, credential: new Secret(adminKey) });
  try {
    const reader = createCachedReader(client.reader);
    const { live } = await survey({ kinds, allFields: true, apiDiscovery: allOperations, reader });
    const found: [string, JsonObject | "twice"][] = [];
    for (const { kind, byKey, ambiguous } of live.values()) {
      for (const key of ambiguous.keys()) found.push([address(kind.name, key), "twice"]);
      for (const [key, { spec }] of byKey) {
        found.push([address(kind.name, key), normalizeLive(kind, spec)]);
      }
    }
    return Object.fromEntries(found.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  } finally {
    await client.close();
  }
}

/** Returns the data of external users that the API does not show: pictures, groups and values, from the store. */
export async function hiddenState(
  db: TestService["db"],
): Promise<Readonly<Record<string, unknown>>> {
  const users = await db
    .selectFrom("users")
    .leftJoin("embed_tenants", "embed_tenants.id", "users.embed_tenant_id")
    .where("users.is_external", "=", 1)
    .select(["users.id as id", "embed_tenants.name as tenant", "external_id", "picture"])
    .execute();
  const groups = await db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select(["user_id", "name", "tenant_scope"])
    .execute();
  const values = await db
    .selectFrom("user_attribute_values")
    .innerJoin("user_attributes", "user_attributes.id", "user_attribute_values.attribute_id")
    .select(["user_id", "name", "value"])
    .execute();
  const reported = users.map(({ id, tenant, external_id, picture }): [string, unknown] => {
    const own = <T extends { user_id: number }>(rows: readonly T[], text: (row: T) => string) =>
      rows
        .filter(({ user_id }) => user_id === id)
        .map(text)
        .toSorted();
    const memberOf = own(groups, (row) => `${row.tenant_scope === 0 ? "" : "tenant "}${row.name}`);
    return [
      `${tenant}/${external_id}`,
      { picture, memberOf, values: own(values, ({ name, value }) => `${name}=${value}`) },
    ];
  });
  return Object.fromEntries(reported.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
