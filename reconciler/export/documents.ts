// From live objects to the documents that would wish for them as they are; what cannot be written so is told.
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { compare } from "../../core/diff.ts";
import { fieldsOf, readability, wishSchema } from "../../core/fields.ts";
import { address, nameText, scopeOf } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, Sight } from "../../core/kind.ts";
import { snakeCase } from "../../core/names.ts";
import { withoutMoving } from "../../core/moving.ts";
import { normalizeLive } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { secretPlaces } from "../../core/record.ts";
import { type Reference, referencesOf, withReferences } from "../../core/references.ts";
import { validator } from "../../core/validate.ts";
import { layersOfKinds } from "../planning/layers.ts";
import { literal } from "../manifest/variables.ts";
import type { Live, LiveKind } from "../model.ts";
import { counted } from "../report/visible.ts";
import { namesFor } from "./names.ts";

/** A live object as a document. */
export interface Exported {
  readonly kind: Kind;
  readonly name: string;
  /** Its natural key as text. */
  readonly key: string;
  /** As a manifest holds it: references by name, `${` written as `$${`. */
  readonly spec: JsonObject;
  /** Where it lies when files go by parents, without an ending: the outermost object that it is in, or its kind. */
  readonly home: string;
  /** Why it can only stand as a comment, to be completed by hand; empty where nothing is in the way. */
  readonly lacks: readonly string[];
}

/** What an export gives. */
export interface Documents {
  /** In the order of the kinds, and by natural key. */
  readonly documents: readonly Exported[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A document with the live values behind it. */
interface Named {
  readonly document: Exported;
  readonly live: Sight["spec"];
}

/** What is declared already. */
export interface Declared {
  /** Names of documents that there are, by kind and natural key: an address with the key for a name. */
  readonly known?: ReadonlyMap<string, string>;
  /** Nothing else gets a document. */
  readonly onlyKnown?: boolean | undefined;
  /** Addresses, as in `known`, of what others own: it gets no document either. */
  readonly foreign?: ReadonlySet<string>;
}

interface Run extends Required<Declared> {
  /** Names of kinds that others lie in. */
  readonly holders: ReadonlySet<string>;
  /** What may be referred to, by kind and by what references call it. */
  readonly named: Map<string, Map<string, Named[]>>;
  readonly diagnostics: Diagnostic[];
}

/** The documents of everything that was seen of `wanted`; references to anything else are written as external. */
export function documentsOf(
  live: Live,
  wanted: readonly Kind[],
  { known = new Map(), onlyKnown = false, foreign = new Set() }: Declared = {},
): Documents {
  const layers = layersOfKinds(wanted);
  const holders = holdersAmong(wanted);
  const run: Run = { known, onlyKnown, foreign, holders, named: new Map(), diagnostics: [] };
  const parentsFirst = wanted.toSorted(
    (left, right) => (layers.get(left.name) ?? 0) - (layers.get(right.name) ?? 0),
  );
  const made = new Map<Kind, readonly Exported[]>();
  for (const kind of parentsFirst) {
    const seen = live.get(kind.name);
    if (seen !== undefined) made.set(kind, exportKind(run, seen));
  }
  const documents = wanted.flatMap((kind) => made.get(kind) ?? []);
  return { documents, diagnostics: run.diagnostics };
}

function exportKind(run: Run, { kind, byKey, ambiguous }: LiveKind): readonly Exported[] {
  const sights = [...byKey]
    .filter(([key]) => {
      const at = address(kind.name, key);
      return run.known.has(at) || (!run.onlyKnown && !run.foreign.has(at));
    })
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  const declared = new Map(
    sights.flatMap(([key]) => {
      const name = run.known.get(address(kind.name, key));
      return name === undefined ? [] : [[key, name] as const];
    }),
  );
  const others = sights.map(([key]) => key).filter((key) => !declared.has(key));
  const names = new Map([...namesFor(kind, others, new Set(declared.values())), ...declared]);
  for (const [key, ids] of ambiguous) run.diagnostics.push(severalAlike(kind, key, ids));
  const moving: string[] = [];
  const documents = sights.map(([key, sight]) => {
    const one = { kind, key, sight, name: names.get(key) ?? key };
    return exportOne(run, one, (fields) => moving.push(...fields));
  });
  const called = new Map<string, Named[]>();
  for (const document of documents) {
    const live = byKey.get(document.key)?.spec ?? {};
    const text = nameText(kind, live);
    called.set(text, [...(called.get(text) ?? []), { document, live }]);
  }
  run.named.set(kind.name, called);
  run.diagnostics.push(...unseen(kind, documents.length), ...unpinned(kind, moving));
  return documents;
}

interface One {
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly sight: Sight;
}

function exportOne(run: Run, one: One, tellMoving: (fields: readonly string[]) => void): Exported {
  const { kind, key, name, sight } = one;
  const still = withoutMoving(kind, normalizeLive(kind, sight.spec));
  tellMoving(still.moving);
  const shown = withoutSecrets(kind, still.spec);
  const { spec, lacks } = writable(run, one, shown);
  const wished = { ...literalIn(spec), ...placeholders(kind, name, spec) };
  for (const lack of lacks) run.diagnostics.push(heldBack(one, lack));
  return { kind, name, key, spec: wished, home: homeOf(run, one), lacks };
}

function holdersAmong(kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(kinds.flatMap((kind) => holderOf(kind) ?? []));
}

/** The kind that the collections of another are named by first. */
function holderOf(kind: Kind): string | undefined {
  return fieldsOf(kind).find(({ name }) => name === kind.scope[0])?.traits.refersTo;
}

function homeOf(run: Run, { kind, name, sight }: One): string {
  const parents = run.named.get(holderOf(kind) ?? "");
  const inside = scopeOf(kind, sight.spec)[kind.scope[0] ?? ""];
  const [parent] = parents?.get(inside ?? "") ?? [];
  if (parent !== undefined) return parent.document.home;
  return run.holders.has(kind.name) ? `${kind.plural}/${name}` : kind.plural;
}

/** The fields that a document may say; of those that it has to say and cannot, why. */
function writable(
  run: Run,
  one: One,
  shown: JsonObject,
): { readonly spec: JsonObject; readonly lacks: readonly string[] } {
  const { kind, sight } = one;
  const needed = new Set([
    ...kind.key,
    ...fieldsOf(kind).flatMap(({ name, required }) => (required ? [name] : [])),
  ]);
  const referring = withReferences(shown, referencesOf(kind, shown), (reference) =>
    calling(run, reference, shown),
  );
  const wrong = wrongFields(kind, referring);
  const spec = Object.fromEntries(Object.entries(referring).filter(([field]) => !wrong.has(field)));
  const lacks = [...needed].flatMap((field) => {
    if (wrong.has(field)) return [`its ${field} ${wrong.get(field)}`];
    return spec[field] === undefined
      ? [`its ${field} is a secret, or the API does not show it`]
      : [];
  });
  const optional = [...wrong].filter(([field]) => !needed.has(field));
  for (const [field, why] of optional) run.diagnostics.push(leftOut(one, field, why));
  const kept = Object.fromEntries(Object.entries(shown).filter(([field]) => field in spec));
  const differing = lacks.length > 0 ? [] : compare(kind, kept, sight.spec);
  for (const { path, field } of differing) {
    if (!wrong.has(field)) run.diagnostics.push(unlike(one, path));
  }
  return { spec, lacks };
}

/** The name of the document that a reference means, or the key of an object that no document wishes for. */
function calling(run: Run, { kind, value, within = {} }: Reference, own: JsonObject): JsonValue {
  const found = (run.named.get(kind)?.get(value) ?? []).filter(
    ({ live, document }) =>
      document.lacks.length === 0 &&
      Object.entries(within).every(([theirs, ours]) => live[theirs] === own[ours]),
  );
  const [only, another] = found;
  return only !== undefined && another === undefined ? only.document.name : { external: value };
}

/** Fields that no document may say as they are, each with the reason; an object's keys cannot hold a substitution. */
function wrongFields(kind: Kind, spec: JsonObject): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const { path, message } of validator(wishSchema(kind))(spec)) {
    const [field] = splitPointer(path);
    if (field !== undefined && !wrong.has(field)) wrong.set(field, message);
  }
  for (const [field, value] of Object.entries(spec)) {
    if (literal(value) === undefined) wrong.set(field, "has a key that looks like a substitution");
  }
  return wrong;
}

function literalIn(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).map(([field, value]) => [field, literal(value)]));
}

function withoutSecrets(kind: Kind, spec: JsonObject): JsonObject {
  return secretPlaces(kind, spec).reduce<JsonObject>(
    (rest, place) => withoutPlace(rest, splitPointer(place)),
    spec,
  );
}

function withoutPlace(spec: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = spec;
  return rest.length === 0 || !isObject(value)
    ? others
    : { ...others, [name]: withoutPlace(value, rest) };
}

/** Where a text that cannot be read would be taken from, for whoever completes the document. */
function placeholders(kind: Kind, name: string, spec: JsonObject): JsonObject {
  return Object.fromEntries(
    fieldsOf(kind)
      .filter((field) => field.required && spec[field.name] === undefined)
      .map((field) => {
        const variable = snakeCase(`${name}_${field.name}`).replace(/[^a-z0-9]+/gu, "_");
        return [field.name, `\${env:${variable.toUpperCase().replace(/^[0-9]/u, "_$&")}}`];
      }),
  );
}

const code: DiagnosticCode = "not-exported";

function heldBack({ kind, name }: One, lack: string): Diagnostic {
  const at = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: at,
    summary: `${at} cannot be declared as it is: ${lack}`,
    remedy: "supply what is missing, where the object is to be managed at all",
  };
}

function leftOut({ kind, name }: One, field: string, why: string): Diagnostic {
  const at = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: at,
    path: `/spec/${field}`,
    summary: `${field} of ${at} is left out: it ${why}`,
    remedy: "without the field the live value is left alone",
  };
}

function unlike({ kind, name }: One, path: string): Diagnostic {
  const at = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: at,
    path: `/spec${path}`,
    summary: `${path} of ${at} has no value that a document could say, and is planned to get its default`,
    remedy: "look at the plan before applying it",
  };
}

function severalAlike(kind: Kind, key: string, ids: readonly string[]): Diagnostic {
  const which = ids.length === 0 ? "" : ` (ids ${ids.join(", ")})`;
  return {
    code: "ambiguous-live",
    severity: "warning",
    summary: `several objects of kind ${kind.name} have the key ${key}${which}, so no document can mean one of them`,
    remedy: "rename or delete all but one of them, and export again",
  };
}

/** What documents would pin. */
function unpinned(kind: Kind, moving: readonly string[]): readonly Diagnostic[] {
  return [...Map.groupBy(moving, (field) => field)].map(([field, { length }]) => ({
    code,
    severity: "info",
    summary: `${field} of ${counted(length, kind.name)} moves by itself, so the documents leave it alone`,
    remedy: "write it into the documents that are to pin it",
  }));
}

/** What no document of the kind says, since the API shows it of none. */
function unseen(kind: Kind, count: number): readonly Diagnostic[] {
  const hidden = fieldsOf(kind).filter(({ schema }) => readability(schema) === "hidden");
  if (count === 0 || hidden.length === 0) return [];
  const names = hidden.map(({ name }) => name).join(", ");
  return [
    {
      code,
      severity: "info",
      summary: `the API does not show ${names} of ${counted(count, kind.name)}, so the documents leave that alone`,
      remedy: "write the fields into the documents that are to manage them",
    },
  ];
}
