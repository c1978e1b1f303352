// How kinds are observed whose objects are one list of the account, each readable by its `id`.
import { defineObserve, type ObservedObject, type Observe } from "../core/kind/kind.ts";
import type { Operation, RequestShape } from "../core/operation/operation.ts";

/** A read operation whose answer, or whose items, are objects of one type. */
type ReadOf<Item> = Operation<RequestShape, Item, "read">;

/** Observes the objects of `list`, and one of them through `get`. Both return the same type. */
export function observeCollection<Spec, Item>(
  list: ReadOf<Item>,
  get: ReadOf<Item>,
  toObserved: (item: Item) => ObservedObject<Spec>,
): Observe {
  return defineObserve<Spec>({
    cost: "list",
    needs: [list],
    items: list,
    read: async (reader) => (await reader.all(list, {})).map(toObserved),
    byId: {
      needs: [get],
      read: async (reader, id) => {
        const item = await reader.one(get, { params: { id } });
        return item && toObserved(item);
      },
    },
  });
}
