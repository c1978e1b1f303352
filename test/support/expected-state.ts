// Computes the expected state of a stack that is applied over another one: fields that it does not declare stay as they
// were.
import { fieldsOf } from "../../core/kind/fields.ts";
import { address, keyOf, nameOf, nameText, parseAddress } from "../../core/kind/identity.ts";
import { canonical, equal, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { normalize, normalizeLive } from "../../core/spec/normalize.ts";
import { dependencyLayers, referencesOf, withReferences } from "../../core/kind/references.ts";
import { kinds } from "../../resources/index.ts";
import type { Doc } from "./test-stack.ts";

const byName = kindsByName(kinds);

/** A document of a stack and the object that it declares. */
export interface DeclaredObject {
  /** `Kind/name`. */
  readonly address: string;
  /** The kind and natural key of the object. */
  readonly object: string;
  /** The same object with the earlier names of its parents: its place before they were renamed. */
  readonly previousObject: string;
  /** The name of the object in references. */
  readonly referenceName: string;
  readonly spec: JsonObject;
}

/** Returns the object that each document declares, and its name in a stack that was applied `before`. */
export function declaredObjects(
  documents: readonly Doc[],
  before: readonly Doc[] = [],
): readonly DeclaredObject[] {
  const specsOf = (docs: readonly Doc[]) =>
    new Map(docs.map((doc) => [address(doc.kind, doc.name), doc.spec]));
  const specs = specsOf(documents);
  const former = new Map([...specs, ...specsOf(before)]);
  return documents.map(({ kind: kindName, name, spec }) => {
    const kind = kindNamed(kindName);
    const objectIn = (known: ReadonlyMap<string, JsonObject>) =>
      address(kindName, keyOf(kind, resolveKeyReferences(kind, spec, known)));
    const at = address(kindName, name);
    const referenceName = nameText(kind, resolveKeyReferences(kind, spec, specs));
    return {
      address: at,
      object: objectIn(specs),
      previousObject: objectIn(former),
      referenceName,
      spec,
    };
  });
}

/**
 * Returns the live state before the second stack. References to objects that it renames follow them, as memberships do.
 */
export function followRenames(
  first: readonly DeclaredObject[],
  second: readonly DeclaredObject[],
): (object: string, live: JsonValue | undefined) => JsonValue | undefined {
  const now = new Map(second.map((one) => [one.address, one.referenceName]));
  const renames = new Map(
    first.map((one) => [address(kindOf(one.address), one.referenceName), now.get(one.address)]),
  );
  return (object, live) => {
    if (!isObject(live)) return live;
    const kind = kindNamed(kindOf(object));
    const renamed = withReferences(live, referencesOf(kind, live), (one) => {
      return renames.get(address(one.kind, one.value)) ?? one.value;
    });
    return normalizeLive(kind, renamed);
  };
}

function kindOf(at: string): string {
  return parseAddress(at)?.kind ?? "";
}

/**
 * Returns true if documents of both stacks pass their keys on in a cycle, so that none of them can be first: such a
 * stack is refused. A parent counts as the same if its document or its name is the same.
 */
export function hasKeyCycle(first: readonly Doc[], second: readonly Doc[]): boolean {
  const namesOf = (documents: readonly Doc[]) =>
    declaredObjects(documents).map(({ address: at, object, spec }, index) => {
      const kind = kindNamed(documents[index]?.kind ?? "");
      return { at, names: [object, address(kind.name, keyOf(kind, normalize(kind, spec)))] };
    });
  const stays = new Set(second.map((doc) => address(doc.kind, doc.name)));
  const holders = new Map(
    namesOf(first).flatMap(({ at, names }) => names.map((name) => [name, at] as const)),
  );
  const nodes = namesOf(second).map(({ at: id, names }) => {
    const holding = names.flatMap((name) => holders.get(name) ?? []);
    return { id, needs: holding.filter((holder) => holder !== id && stays.has(holder)) };
  });
  return dependencyLayers(nodes).cycle !== undefined;
}

/** Returns the normal spec in which key fields that refer to documents contain the names of these. */
function resolveKeyReferences(
  kind: Kind,
  spec: JsonObject,
  specs: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const named = fieldsOf(kind).flatMap(({ name, traits: { refersTo } }) => {
    const value = spec[name];
    if (refersTo === undefined || typeof value !== "string" || !kind.key.includes(name)) return [];
    const target = specs.get(address(refersTo, value));
    if (target === undefined) return [];
    const parent = kindNamed(refersTo);
    return [[name, nameOf(parent, resolveKeyReferences(parent, target, specs))]];
  });
  return normalize(kind, { ...spec, ...Object.fromEntries(named) } as JsonObject);
}

function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/**
 * Returns the expected value: the value on a fresh service; for undeclared fields, the earlier value if it is
 * unchanged.
 */
export function expectedValue(
  found: JsonValue | undefined,
  sides: {
    /** The state on a fresh service. */
    readonly ended: JsonValue | undefined;
    /** The objects that may be the same one: by its key, and by its document if it was renamed. */
    readonly before: readonly (JsonValue | undefined)[];
    readonly desired: JsonValue | undefined;
  },
): JsonValue | undefined {
  const { ended, before, desired } = sides;
  if (desired !== undefined && !isObject(desired)) return ended;
  if (isObject(ended)) {
    const members = Object.entries(ended).map(([name, value]) => {
      const earlier = before.map((one) => memberOf(one, name));
      const inner = { ended: value, before: earlier, desired: memberOf(desired, name) };
      return [name, expectedValue(memberOf(found, name), inner)];
    });
    return Object.fromEntries(members) as JsonObject;
  }
  const isKept =
    found !== undefined &&
    before.some((one) => one !== undefined && (equal(found, one) || isJoined(found, one, ended)));
  return desired === undefined && isKept ? found : ended;
}

/** Returns whether a list has the earlier entries and those that other documents add: the list is released, not emptied. */
function isJoined(found: JsonValue, earlier: JsonValue, ended: JsonValue | undefined): boolean {
  if (!Array.isArray(found) || !Array.isArray(earlier) || !Array.isArray(ended)) return false;
  const texts = (list: readonly JsonValue[]) => new Set(list.map((one) => canonical(one)));
  const all = texts([...earlier, ...ended]);
  return texts(found).size === all.size && [...texts(found)].every((one) => all.has(one));
}

/**
 * Returns the values that the server chose, which may depend on other objects, such as the last position in a folder.
 */
export function serverChoices(
  object: string,
  {
    found,
    desired,
  }: { readonly found: JsonValue | undefined; readonly desired: JsonValue | undefined },
): JsonObject {
  const chosen = serverChosenFields(object, desired).flatMap((name) => {
    const value = memberOf(found, name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(chosen) as JsonObject;
}

/** Returns live objects without the values that the server chose for fields that no document declares. */
export function withoutServerChoices<T extends JsonValue>(
  live: Readonly<Record<string, T>>,
  documents: readonly Doc[],
): Record<string, T | JsonObject> {
  const declared = new Map(declaredObjects(documents).map((one) => [one.object, one.spec]));
  const entries = Object.entries(live).map(([object, value]) => {
    if (!isObject(value)) return [object, value];
    const chosen = new Set(serverChosenFields(object, declared.get(object)));
    const rest = Object.entries(value).filter(([name]) => !chosen.has(name));
    return [object, Object.fromEntries(rest)];
  });
  return Object.fromEntries(entries) as Record<string, T | JsonObject>;
}

/** Returns the fields of an object that the server chooses, because its document does not declare them. */
function serverChosenFields(object: string, desired: JsonValue | undefined): readonly string[] {
  return fieldsOf(kindNamed(kindOf(object)))
    .filter(({ traits }) => traits.serverChosen === true)
    .map(({ name }) => name)
    .filter((name) => memberOf(desired, name) === undefined);
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
