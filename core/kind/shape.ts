// How objects of a kind are stored and identified, and the consequences for creating and deleting them.
import type { TObject } from "typebox";

/**
 * How objects are stored: by own ID, as part of a bulk upsert, as a plain relation, or as files by hash. A `singleton` always
 * exists, once in an account: the first apply adopts it, and when it is no longer declared, it is forgotten and keeps its values.
 */
export type Shape = "item" | "singleton" | "entry" | "link" | "tree";

/** Returns whether an object of the kind always exists, once in an account. */
export function isSingleton({ shape }: { readonly shape: Shape }): boolean {
  return shape === "singleton";
}

/** Returns whether objects of the kind have an ID of the service. Others are identified by their names only. */
export function hasServerId({ status }: { readonly status: TObject }): boolean {
  return Object.hasOwn(status.properties, "id");
}

/** The verbs that singletons do not have, with the reason shown to users. */
export const unsupportedBySingletons = {
  create: "it always exists; the first apply adopts it",
  delete:
    "it always exists; when it is no longer declared, it is not managed any more and keeps its values",
} as const;
