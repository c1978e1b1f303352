// What lives on a service, as its kinds see it: for comparing the ends of two runs, and for counting.
import { createClient } from "../../client/client.ts";
import { address, nameOf, scopeOf as scopeOfKind } from "../../core/identity.ts";
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey, Sight } from "../../core/kind.ts";
import { normalizeLive } from "../../core/normalize.ts";
import { Secret } from "../../core/secret.ts";
import { observe } from "../../lifecycle/observe.ts";
import { createReader, type SharedReader } from "../../lifecycle/reader.ts";
import { kinds as allKinds } from "../../resources/index.ts";
import type { TestService } from "./service.ts";

/** Where to look. */
export interface Where {
  readonly url: string;
  readonly adminKey: string;
}

/** Every object by kind and natural key, as its normal spec; one that exists twice counts as `"twice"`. */
export type LiveState = Readonly<Record<string, JsonObject | "twice">>;

/** Observes all objects of all kinds, those that nobody declared included. */
export async function liveState(
  { url, adminKey }: Where,
  kinds: readonly Kind[] = allKinds,
): Promise<LiveState> {
  const client = createClient({ url, credential: new Secret(adminKey) });
  try {
    const reader = createReader(client.reader);
    const found: [string, JsonObject | "twice"][] = [];
    for (const kind of kinds) {
      const interest = new Set(fieldsOf(kind).map(({ name }) => name));
      const scopes = await scopesOf(kind, kinds, reader);
      const { byKey, ambiguous } = await observe(kind, scopes, { reader, interest });
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

/** The collections of a kind: the account's, or one for each object that the last field of its scope can name. */
async function scopesOf(
  kind: Kind,
  kinds: readonly Kind[],
  reader: SharedReader,
): Promise<readonly ScopeKey[]> {
  const name = kind.scope.at(-1);
  if (name === undefined) return [{}];
  const parentName = fieldsOf(kind).find((field) => field.name === name)?.traits.refersTo;
  const parent = kinds.find((one) => one.name === parentName);
  if (parent === undefined) throw new Error(`${kind.name}.${name} names no kind`);
  const scopes = await scopesOf(parent, kinds, reader);
  const { byKey } = await observe(parent, scopes, { reader, interest: new Set(parent.key) });
  return [...byKey.values()].map((sight: Sight) => {
    const inner = { ...sight.spec, [name]: nameOf(parent, sight.spec) };
    return scopeOfKind(kind, inner);
  });
}

/** What the API does not show of external users: pictures, groups and values; from the store itself. */
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
  const told = users.map(({ id, tenant, external_id, picture }): [string, unknown] => {
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
  return Object.fromEntries(told.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
