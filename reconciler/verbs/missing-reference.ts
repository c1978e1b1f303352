// Suggests a replacement for a key that no live object has: the key of the intended object, or the form of the key.
import { fieldsOf } from "../../core/kind/fields.ts";
import { nameOf, ownKey, readableKey, scopeOf, scopeText } from "../../core/kind/identity.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { didYouMean, quoted, sentences, withArticle } from "../../core/text/naming.ts";
import { member } from "../../core/schema/schema.ts";
import type { ObserveRequest } from "../engine/observe.ts";
import type { LiveState } from "../model/index.ts";

/** The objects of one collection by the names that people use. */
interface KnownNames {
  /** The keys, as `external` takes them. */
  readonly keys: Set<string>;
  /** Other texts that name an object, with the field and the key; undefined if several objects have it. */
  readonly others: Map<string, { readonly field: string; readonly key: string } | undefined>;
}

/** Returns the remedy for a value that is the key of no observed object. `isCompared` permits to look for a similar key. */
export function missingKeyRemedy(
  value: string,
  { request, live, isCompared }: { request: ObserveRequest; live: LiveState; isCompared: boolean },
): string {
  const { kind, scope } = request;
  const collection = live.get(kind.name);
  const names = (collection && namesByScope(collection).get(scopeText(scope))) ?? noNames();
  return (
    keyWithoutParent(value, request) ??
    keyOfOther(value, request, names) ??
    (isCompared ? similarKey(value, request, names) : undefined) ??
    `Declare it, create it first, or correct the key. The key ${isKey(kind)}.`
  );
}

function noNames(): KnownNames {
  return { keys: new Set(), others: new Map() };
}

const namesByScope = memoizePerObject(
  ({ kind, byId }: { kind: Kind; byId: ReadonlyMap<string, ObservedObject> }) => {
    const byKind = new Map<string, KnownNames>();
    const fields = fieldsOf(kind).filter(({ traits }) => traits.refersTo === undefined);
    for (const [id, { spec }] of byId) {
      const scope = scopeText(scopeOf(kind, spec));
      const names = byKind.get(scope) ?? noNames();
      byKind.set(scope, names);
      const [keyField, ...moreFields] = ownKey(kind);
      const key = nameOf(kind, spec);
      if (typeof key !== "string") continue;
      names.keys.add(key);
      const texts = fields.map(({ name }) => [name, member(spec, name)] as const);
      const shown = moreFields.length === 0 ? undefined : readableKey(key);
      for (const [field, text] of [...texts, ["ID", id], ["form in plans", shown]] as const) {
        if (typeof text !== "string" || field === keyField || text === key) continue;
        const known = names.others.get(text);
        const isOfAnother = names.others.has(text) && known?.key !== key;
        names.others.set(text, isOfAnother ? undefined : { field, key });
      }
    }
    return byKind;
  },
);

/** Returns the correction of a key that repeats the key of the parent, which the spec already names. */
function keyWithoutParent(value: string, { kind, scope }: ObserveRequest): string | undefined {
  for (const name of kind.scope) {
    const start = `${member(scope, name) ?? ""}/`;
    if (start !== "/" && value.startsWith(start) && value.length > start.length) {
      const rest = value.slice(start.length);
      return `${write(rest)}: the key is the part below ${name}, which the document names already.`;
    }
  }
  return undefined;
}

/** Returns the correction of a path that ends in a key, and of another name than the key. */
function keyOfOther(
  value: string,
  { kind }: ObserveRequest,
  { keys, others }: KnownNames,
): string | undefined {
  const last = lastSegment(value);
  if (last !== value && keys.has(last))
    return `${write(last)}: the key ${isKey(kind)}, not a path.`;
  for (const text of new Set([value, last])) {
    const other = others.get(text);
    if (other !== undefined)
      return `${write(other.key)}: the key ${isKey(kind)}, not its ${other.field}.`;
  }
  return undefined;
}

function similarKey(
  value: string,
  { kind }: ObserveRequest,
  { keys }: KnownNames,
): string | undefined {
  const external = (key: string): string => `{ external: ${quoted(key)} }`;
  const hint = didYouMean(value, keys, external) ?? didYouMean(lastSegment(value), keys, external);
  return hint && sentences(hint, `The key ${isKey(kind)}.`);
}

function lastSegment(value: string): string {
  return value.split("/").at(-1) ?? value;
}

function write(key: string): string {
  return `Write { external: ${JSON.stringify(key)} }`;
}

/** Says which fields the key of an object is, after the words "the key". */
function isKey(kind: Kind): string {
  const part = ownKey(kind);
  const encoded = part.length === 1 ? "" : ", with %2F for a slash and %20 for a space in a part";
  return `of ${withArticle(kind.name)} is its ${part.join("/")}${encoded}`;
}
