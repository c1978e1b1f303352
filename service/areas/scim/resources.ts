// The operations on one type of resource, shared by single requests and `/Bulk`.
import { parseId } from "../../../api/schemas.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { projectionOf, type Selection } from "../../scim/projection.ts";
import type { Db } from "../../store/schema.ts";
import { groupStore, groupVersion, selectScimGroups } from "./group-store.ts";
import { createGroup, deleteGroup, groupNotFound, patchGroup, replaceGroup } from "./groups.ts";
import type { ResourceStore } from "./resource-store.ts";
import { type ScimCall, type ScimReply, scimBase } from "./scim-call.ts";
import { userStore } from "./user-store.ts";
import { createUser, deleteUser, patchUser, replaceUser, userNotFound } from "./users.ts";

/** Reads and writes the resources of one type. Writes return the ID of the resource. */
export interface Resources {
  readonly store: ResourceStore;
  readonly notFound: (id: string) => Error;
  /** Returns the version of a resource whose content does not include it; undefined if there is no resource. */
  readonly version?: (db: Db, id: number) => Promise<string | undefined>;
  readonly create: (call: ScimCall, input: JsonObject) => Promise<number>;
  readonly replace: (call: ScimCall, id: string, input: JsonObject) => Promise<number>;
  readonly patch: (call: ScimCall, id: string, body: JsonObject) => Promise<number>;
  readonly remove: (call: ScimCall, id: string) => Promise<void>;
}

/** Users. */
export const users: Resources = {
  store: userStore,
  notFound: userNotFound,
  create: createUser,
  replace: replaceUser,
  patch: patchUser,
  remove: deleteUser,
};

/** Groups. */
export const groups: Resources = {
  store: groupStore,
  notFound: groupNotFound,
  version: async (db, id) => {
    const row = await selectScimGroups(db).where("user_groups.id", "=", id).executeTakeFirst();
    return row && groupVersion(db, row);
  },
  create: createGroup,
  replace: replaceGroup,
  patch: patchGroup,
  remove: deleteGroup,
};

/** Returns the reply with one resource. Throws `not_found`. */
export async function replyWith(
  call: ScimCall,
  { store, notFound, version: versionAt }: Resources,
  {
    id,
    status = 200,
    selection = {},
  }: { readonly id: string; readonly status?: 200 | 201; readonly selection?: Selection },
): Promise<ScimReply> {
  const base = scimBase(call);
  const projection = projectionOf(store.type, selection);
  const number = parseId(id) ?? 0;
  // Before the content: a version must never be newer than the content that a client gets with it.
  const separate = await versionAt?.(call.db, number);
  const read = await store.read(call.db, base, { ids: [number], count: 1 });
  const found =
    projection.includes(store.costly) && read.length > 0
      ? await store.attach(call.db, read, { base, whole: false })
      : read;
  const [one] = found;
  if (one === undefined) throw notFound(id);
  const meta = isObject(one.resource["meta"]) ? one.resource["meta"] : {};
  const version = separate ?? versionIn(meta);
  const resource = { ...one.resource, meta: { ...meta, ...(version && { version }) } };
  const location = `${base}${store.type.endpoint}/${one.id}`;
  return { id, status, body: projection.apply(resource), version, location };
}

function versionIn({ version }: JsonObject): string | undefined {
  return typeof version === "string" ? version : undefined;
}

/** The response of a bulk request for a resource that it wrote. Omits a version that needs a separate query. */
export async function writtenResource(
  call: ScimCall,
  { store, notFound }: Resources,
  id: number,
): Promise<JsonObject> {
  const base = scimBase(call);
  const [one] = await store.read(call.db, base, { ids: [id], count: 1 });
  if (one === undefined) throw notFound(String(id));
  const meta = isObject(one.resource["meta"]) ? one.resource["meta"] : {};
  const version = versionIn(meta);
  const location = `${base}${store.type.endpoint}/${id}`;
  return { location, ...(version === undefined ? {} : { version }) };
}
