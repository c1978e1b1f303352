// The target of a read: an object of a collection, by its natural key or its ID.
import { Failure } from "../../core/errors.ts";
import { keyForm, keyOf, parseKey, scopeOf, scopeText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ScopeKey } from "../../core/kind/kind.ts";
import { hasServerId } from "../../core/kind/shape.ts";

/** An object to read. */
export interface ReadTarget {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  /** The natural key; undefined if only the id is known. */
  readonly key: string | undefined;
  readonly id: string | undefined;
  /** Spec fields that the caller needs. */
  readonly requestedFields: ReadonlySet<string>;
  /** Whether the object was just created. */
  readonly isNew: boolean;
}

/** Returns the read target for the object that a spec identifies. */
export function readTargetFor(
  kind: Kind,
  spec: JsonObject,
  {
    id,
    requestedFields,
    isNew,
  }: Partial<Pick<ReadTarget, "id" | "requestedFields" | "isNew">> = {},
): ReadTarget {
  return {
    kind,
    scope: scopeOf(kind, spec),
    key: keyOf(kind, spec),
    id,
    requestedFields:
      requestedFields ?? new Set(Object.keys(spec).filter((name) => spec[name] !== undefined)),
    isNew: isNew ?? false,
  };
}

/**
 * Returns the read target for an import id: a natural key, or a scope and `id=` with the server's id. Fails with `usage` for
 * any other text.
 */
export function readTargetForImport(kind: Kind, text: string): ReadTarget {
  const requestedFields = new Set(Object.keys(kind.spec.properties));
  const parts = text.split("/");
  const idMatch = /^id=(.+)$/u.exec(parts.at(-1) ?? "");
  if (idMatch !== null && hasServerId(kind)) {
    const scoped = parseKey({ ...kind, key: kind.scope }, parts.slice(0, -1).join("/"));
    const isScoped = kind.scope.length === 0 ? parts.length === 1 : scoped !== undefined;
    if (isScoped) {
      const scope = scopeOf(kind, scoped ?? {});
      return { kind, scope, key: undefined, id: idMatch[1], requestedFields, isNew: false };
    }
  }
  const spec = text === "" ? undefined : parseKey(kind, text);
  if (spec !== undefined) return readTargetFor(kind, spec, { requestedFields });
  const form = importFormById(kind);
  const byId = form === undefined ? "" : `, or ${form} with the server's id`;
  throw new Failure("usage", `${JSON.stringify(text)} is not an import id of ${kind.name}.`, {
    remedy: `Use ${keyForm(kind)}${byId}.`,
  });
}

/** Returns the form of import ids with the server's id; undefined for a kind that has none. */
export function importFormById(kind: Kind): string | undefined {
  return hasServerId(kind) ? [...kind.scope, "id=ID"].join("/") : undefined;
}

/** Returns a name of a collection. */
export function collectionName({ kind, scope }: Pick<ReadTarget, "kind" | "scope">): string {
  return `${kind.name} ${scopeText(scope)}`;
}
