// The state of a controller: JSON documents by name, such as `sources/shop/history`.
import type { Static, TSchema } from "typebox";
import type { JsonValue } from "../core/json.ts";
import { validator } from "../core/schema/validate.ts";
import type { Durability } from "../files/atomic-files.ts";

/** Where the documents are. Calls fail with `forbidden` or `unavailable`. */
export interface StateStore {
  /** Returns the text of a document; undefined if there is none. */
  load(name: string): Promise<string | undefined>;
  /** Returns the texts of those documents that exist. */
  loadAll(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Replaces a document by what `change` returns for its text. May call it again, after another writer was first. */
  change(
    name: string,
    change: (text: string | undefined) => string,
    durability?: Durability,
  ): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A kind of document. */
export interface DocumentType<T extends TSchema> extends Durability {
  /** The last part of its name. */
  readonly name: string;
  readonly schema: T;
}

/** The documents of a source, or of the controller. */
export interface Documents {
  /** Invalid content counts as a missing document: the next reconciliation writes it again. */
  read<T extends TSchema>(type: DocumentType<T>): Promise<Static<T> | undefined>;
  write(type: DocumentType<TSchema>, value: unknown): Promise<void>;
  /** Replaces a document by what `change` returns for it, with no other writer between. */
  change<T extends TSchema>(
    type: DocumentType<T>,
    change: (value: Static<T> | undefined) => unknown,
  ): Promise<void>;
  remove(type: DocumentType<TSchema>): Promise<void>;
}

/** Returns the documents of a source. */
export function documentsOf(
  { store }: { readonly store: StateStore },
  { name }: { readonly name: string },
): Documents {
  return documentsBelow(store, folderOfDocuments(name));
}

function folderOfDocuments(source: string): string {
  return `sources/${source}/`;
}

/** Returns a store that has documents of sources as they are now, read at once. */
export async function loadedStore(
  store: StateStore,
  sources: readonly { readonly name: string }[],
  types: readonly DocumentType<TSchema>[],
): Promise<StateStore> {
  const names = sources.flatMap(({ name }) =>
    types.map((type) => folderOfDocuments(name) + type.name),
  );
  const [texts, loaded] = [await store.loadAll(names), new Set(names)];
  return {
    load: async (name) => (loaded.has(name) ? texts.get(name) : store.load(name)),
    loadAll: (others) => store.loadAll(others),
    change: (...args) => store.change(...args),
    remove: (name) => store.remove(name),
  };
}

/** Returns the documents of the controller itself. */
export function controllerDocuments({ store }: { readonly store: StateStore }): Documents {
  return documentsBelow(store, "");
}

function documentsBelow(store: StateStore, prefix: string): Documents {
  return {
    read: async (type) => parseDocument(type, await store.load(prefix + type.name)),
    write: (type, value) => store.change(prefix + type.name, () => JSON.stringify(value), type),
    change: (type, change) =>
      store.change(
        prefix + type.name,
        (text) => JSON.stringify(change(parseDocument(type, text))),
        type,
      ),
    remove: (type) => store.remove(prefix + type.name),
  };
}

/** Returns the content of a document; undefined if it is missing or invalid. */
export function parseDocument<T extends TSchema>(
  { schema }: DocumentType<T>,
  text: string | undefined,
): Static<T> | undefined {
  const value = parseJson(text ?? "null");
  return validator(schema)(value).length === 0 ? (value as Static<T>) : undefined;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
