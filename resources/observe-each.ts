// Reads data that belongs to single objects of a deployment, such as the policies of folders: for one object, or for
// many from one list.
import {
  defineObserve,
  type ObservedObject,
  type Observe,
  type Reader,
  type ScopeKey,
} from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { ReadTogether } from "../core/kind/read-together.ts";

/** IDs of an object and of the objects that contain it, as members of a status. */
export type Place = Readonly<Record<string, number>> & { readonly deploymentId: number };

/** An object, and the scope that names it. */
export interface Owner<Of extends Place> {
  readonly scope: ScopeKey;
  readonly place: Of;
}

/** How the data of one object is read in one answer, and converted to objects of a kind. */
export interface EachRead<Of extends Place, Answer, Spec> {
  readonly needs: Observe["needs"];
  /** Returns the objects that a scope names. */
  readonly placesOf: (reader: Reader, scope: ScopeKey) => Promise<readonly Of[]>;
  /** Reads the data of one object; undefined if the object does not exist. */
  readonly one: (reader: Reader, place: Of) => Promise<Answer | undefined>;
  readonly observed: (
    reader: Reader,
    answer: Answer,
    owner: Owner<Of>,
  ) => Promise<readonly ObservedObject<Spec>[]>;
}

/** A list of the data of all objects of a deployment. Servers may lack it. */
export interface EachList<Of extends Place, Item> {
  readonly read: (
    reader: Reader,
    deploymentId: number,
    pages: number,
  ) => Promise<readonly Item[] | undefined>;
  /** The object's ID in an item and in a place. */
  readonly idOf: (item: Item) => number;
  readonly idIn: (place: Of) => number;
}

/** Declares how objects are observed that belong to others. Without a list, only one by one. */
export function observeEach<Of extends Place, Answer, Item extends Answer, Spec>(
  each: EachRead<Of, Answer, Spec>,
  list?: EachList<Of, Item>,
): Observe {
  const { needs, placesOf, one, observed } = each;
  return defineObserve<Spec>({
    cost: "perParent",
    needs,
    read: async (reader, scope) => {
      const found = (await placesOf(reader, scope)).map(async (place) => {
        const answer = await one(reader, place);
        return answer === undefined ? [] : observed(reader, answer, { scope, place });
      });
      return (await Promise.all(found)).flat();
    },
    ...(list && { together: readEach(each, list) }),
  });
}

function readEach<Of extends Place, Answer, Item extends Answer, Spec>(
  { placesOf, observed }: EachRead<Of, Answer, Spec>,
  { read, idOf, idIn }: EachList<Of, Item>,
): ReadTogether<Reader, ObservedObject<Spec>> {
  const byId = memoizePerObject(
    (items: readonly Item[]): ReadonlyMap<number, Item> =>
      new Map(items.map((item) => [idOf(item), item])),
  );
  return {
    within: ["deployment"],
    read: async (reader, _, { scopes, pagesFor }) => {
      const owners = await ownersIn(reader, scopes, placesOf);
      const [first] = owners;
      if (first === undefined) return [];
      const pages = pagesFor(owners.length);
      const items = await read(reader, first.place.deploymentId, pages);
      const itemOf = byId(items ?? []);
      const found = owners.map(async (owner) => {
        const item = itemOf.get(idIn(owner.place));
        return item && observed(reader, item, owner);
      });
      const all = await Promise.all(found);
      // The list leaves out data that the caller may not read. It is empty at a server without the list.
      return all.some((one) => one === undefined) ? undefined : all.flatMap((one) => one ?? []);
    },
  };
}

async function ownersIn<Of extends Place>(
  reader: Reader,
  scopes: readonly ScopeKey[],
  placesOf: EachRead<Of, never, never>["placesOf"],
): Promise<readonly Owner<Of>[]> {
  const found = scopes.map(async (scope) =>
    (await placesOf(reader, scope)).map((place) => ({ scope, place })),
  );
  return (await Promise.all(found)).flat();
}
