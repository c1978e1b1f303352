// Decides the form of data that is both a list of one object and an object for each entry: the list, or the entries.
import { address, listContaining } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { declaresField, type DesiredObject, type LiveState } from "../model/index.ts";

/** An object that a document declares. */
export type DeclaredObject = Pick<DesiredObject, "kind" | "key" | "name" | "spec">;

/** Lists, as field names by kind and natural key of the object with the list. */
type Lists = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the lists with entries that this stack declares as objects, or that other stacks own. */
export function separateLists(
  live: LiveState,
  declared: readonly DeclaredObject[],
  ownedElsewhere: ReadonlySet<string>,
): Lists {
  const owned = [...live.values()]
    .filter(({ kind }) => kind.entryOf !== undefined)
    .flatMap(({ kind, byKey }) =>
      [...byKey]
        .filter(([key]) => ownedElsewhere.has(address(kind.name, key)))
        .map(([, { spec }]) => ({ kind, spec })),
    );
  const lists = [...declared, ...owned].flatMap(
    ({ kind, spec }) => listContaining(kind, spec) ?? [],
  );
  return new Map(
    [...Map.groupBy(lists, ({ owner }) => owner)].map(([owner, of]) => [
      owner,
      new Set(of.map(({ field }) => field)),
    ]),
  );
}

/** Returns a spec without the lists of the object whose entries have their own documents. */
export function withoutSeparateLists(lists: Lists, owner: string, spec: JsonObject): JsonObject {
  const separate = lists.get(owner);
  if (separate === undefined) return spec;
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !separate.has(field)));
}

/** The documents that can contain a list. */
interface ListOwners {
  /** By kind and natural key. */
  readonly declared: ReadonlyMap<string, DeclaredObject>;
  /** The documents of the export, by kind and natural key. */
  readonly exported: ReadonlyMap<
    string,
    { readonly spec: JsonObject; readonly missing: readonly string[] }
  >;
  readonly ownedElsewhere: ReadonlySet<string>;
}

/** Returns whether an object is an entry of a list that a document of this stack declares, or of an object of another stack. */
export function isListed(
  { declared, exported, ownedElsewhere }: ListOwners,
  kind: Kind,
  spec: JsonObject,
): boolean {
  const list = listContaining(kind, spec);
  if (list === undefined) return false;
  const { owner, field } = list;
  if (ownedElsewhere.has(owner)) return true;
  const complete = exported.get(owner)?.missing.length === 0 ? exported.get(owner) : undefined;
  const document = declared.get(owner) ?? complete;
  return document !== undefined && declaresField(document, field);
}
