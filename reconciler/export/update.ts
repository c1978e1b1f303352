// Write-back: a stack's own files brought up to what lives on the server, field by field, with everything else left as written.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { compare, type FieldChange } from "../../core/diff.ts";
import { canClear, fieldsOf } from "../../core/fields.ts";
import { address } from "../../core/identity.ts";
import { equal, isObject, type JsonValue } from "../../core/json.ts";
import { manages } from "../../core/lifecycle-rules.ts";
import { splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { withIgnoredFields } from "../engine/ignore-rules.ts";
import { type Edit, editDocument } from "../manifest/yaml-edit.ts";
import { type Document, parse } from "../manifest/parse.ts";
import { hasSubstitution } from "../manifest/variables.ts";
import type { LiveState, DesiredObject } from "../model/index.ts";
import { type Session, type VerbResult, type VerbOptions, withSession } from "../verbs/session.ts";
import { survey } from "../verbs/survey.ts";
import { documentsOf, type ExportedDocument } from "./documents.ts";
import { selectedKinds } from "./export.ts";
import { type ExportedFile, filesFor, type Split } from "./files.ts";

/** What to write back. */
export interface UpdateOptions extends VerbOptions {
  /** Names of the kinds to look at; all where it is empty or left out. */
  readonly only?: readonly string[] | undefined;
  /** Where documents of what nobody declared go: files in the Stack's folder, shared out like this. */
  readonly split: Split;
  /** What nobody declared gets no documents, and is referred to as external. */
  readonly onlyDeclared?: boolean | undefined;
}

/** What a write-back came to; nothing is written yet. */
export interface UpdateResult {
  /** Files whose text changes, by absolute path, with their whole new text. */
  readonly files: readonly ExportedFile[];
  /** Fields that are written, as pointers into the spec, by address. */
  readonly changed: Readonly<Record<string, readonly string[]>>;
  /** Addresses of documents that are added, for live objects that nobody declared. */
  readonly added: readonly string[];
}

/**
 * Compares a stack's documents with what lives, and answers its files with the live values in them. Only fields that differ are
 * touched; a value that a template, an overlay or a source gives is told and left. Documents of objects that do not exist
 * are told and left; objects that nobody declared get documents, unless `onlyDeclared` is set. Writes nothing anywhere.
 */
export async function updateStack(options: UpdateOptions): Promise<VerbResult<UpdateResult>> {
  const only = selectedKinds(options);
  return withSession<UpdateResult>(options, async (session, diagnostics) => {
    const { kinds, apiDiscovery: offer, client, desired } = session;
    const { signal } = options;
    options.progress?.({ event: "phase", phase: "read" });
    const reader = createCachedReader(client.reader, { signal });
    const { live } = await survey({
      kinds,
      only,
      allFields: true,
      apiDiscovery: offer,
      reader,
      signal,
    });
    const known = new Map(
      desired.objects.map((wish) => [address(wish.kind.name, wish.key), wish.name]),
    );
    const wanted = kinds.filter(({ name }) => only.has(name));
    const foreign = options.onlyDeclared === true ? [] : await ownedByOthers(session, live, known);
    const exported = documentsOf(live, wanted, {
      declaredNames: known,
      onlyDeclared: options.onlyDeclared,
      ownedElsewhere: new Set(foreign),
    });
    const run = createContext(session, { live, options, documents: exported.documents });
    for (const wish of desired.objects) if (only.has(wish.kind.name)) writeBack(run, wish);
    const added = addDocuments(run, known);
    const told = [
      ...diagnostics,
      ...exported.diagnostics,
      ...run.diagnostics,
      ...ownedByOthersNote(foreign),
    ];
    return { ok: true, files: run.texts.changed(), changed: run.changed, added, diagnostics: told };
  });
}

/** Kind and natural key of what is not `known` here and belongs to another stack of the same store. */
async function ownedByOthers(
  { store, client }: Session,
  live: LiveState,
  known: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const foreign: string[] = [];
  for (const { kind, byKey } of live.values()) {
    for (const key of byKey.keys()) {
      const at = address(kind.name, key);
      if (known.has(at)) continue;
      if ((await store.owner(client.origin, kind.name, key)) !== undefined) foreign.push(at);
    }
  }
  return foreign;
}

function ownedByOthersNote({ length }: readonly string[]): Diagnostic[] {
  if (length === 0) return [];
  const summary = `${length} ${length === 1 ? "object that another stack owns gets" : "objects that other stacks own get"} no document`;
  return [{ code: "owned-by-other-stack", severity: "info", summary }];
}

interface UpdateContext {
  readonly live: LiveState;
  readonly folder: string;
  readonly options: UpdateOptions;
  readonly documents: readonly ExportedDocument[];
  /** By address. */
  readonly byName: ReadonlyMap<string, ExportedDocument>;
  readonly texts: FileTexts;
  readonly changed: Record<string, readonly string[]>;
  readonly diagnostics: Diagnostic[];
}

function createContext(
  { desired }: Session,
  given: Pick<UpdateContext, "live" | "options" | "documents">,
): UpdateContext {
  const byName = new Map(given.documents.map((one) => [address(one.kind.name, one.name), one]));
  const { folder } = desired.stack;
  return { ...given, folder, byName, texts: fileTexts(), changed: {}, diagnostics: [] };
}

/** The texts of files, as they are and as they are to be. */
interface FileTexts {
  get(file: string): string | undefined;
  /** The documents of a file as it is. */
  documents(file: string, name: string): readonly Document[];
  set(file: string, text: string): void;
  changed(): readonly ExportedFile[];
}

function fileTexts(): FileTexts {
  const before = new Map<string, string | undefined>();
  const parsed = new Map<string, readonly Document[]>();
  const now = new Map<string, string | undefined>();
  const get = (file: string): string | undefined => {
    if (!now.has(file)) {
      const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
      before.set(file, text);
      now.set(file, text);
    }
    return now.get(file);
  };
  return {
    get,
    documents: (file, name) => {
      get(file);
      const known = parsed.get(file) ?? parse(name, before.get(file) ?? "").documents;
      parsed.set(file, known);
      return known;
    },
    set: (file, text) => void (get(file), now.set(file, text)),
    changed: () =>
      [...now]
        .flatMap(([file, text]) =>
          text === undefined || text === before.get(file) ? [] : [{ path: file, text }],
        )
        .toSorted((left, right) => (left.path < right.path ? -1 : 1)),
  };
}

function writeBack(run: UpdateContext, wish: DesiredObject): void {
  const sight = run.live.get(wish.kind.name)?.byKey.get(wish.key);
  if (sight === undefined) {
    if (run.live.has(wish.kind.name))
      reportSkipped(run, wish, { why: "it is not on the server, and its document stays" });
    return;
  }
  if (!manages(wish.rules, "update")) return;
  const now = (run.options.now ?? (() => new Date()))();
  const differing = compare(wish.kind, withIgnoredFields(wish, sight, now).spec, sight.spec).filter(
    ({ reason }) => reason !== "unverified" && reason !== "fingerprint",
  );
  if (differing.length > 0) writeFields(run, wish, differing);
}

function writeFields(
  run: UpdateContext,
  wish: DesiredObject,
  differing: readonly FieldChange[],
): void {
  const file = path.resolve(run.options.cwd, wish.place.file);
  const text = wish.place.file === "<stdin>" ? undefined : run.texts.get(file);
  // Places are those of the file as it is; its documents keep their order when others of it are edited.
  const found = run.texts.documents(file, wish.place.file);
  const raw = found.findIndex(({ place }) => equal({ ...place }, { ...wish.place }));
  const value = found[raw]?.value;
  if (text === undefined || !isObject(value)) {
    return reportSkipped(run, wish, { why: "its document is in no file that could be written" });
  }
  const edits: Edit[] = [];
  const written: string[] = [];
  for (const change of differing) {
    const got = editsFor(run, { desired: wish, change, raw: member(value, "spec") });
    if (typeof got === "string") reportSkipped(run, wish, { why: got, at: change.path });
    else {
      edits.push(...got);
      written.push(change.path);
    }
  }
  if (edits.length === 0) return;
  const edited = editDocument(text, raw, edits);
  if (edited === undefined) {
    const why = "its text cannot be changed without changing more, such as an alias of the value";
    for (const at of written) reportSkipped(run, wish, { why, at });
    return;
  }
  run.texts.set(file, edited);
  run.changed[wish.address] = written;
}

interface FieldUpdate {
  readonly desired: DesiredObject;
  readonly change: FieldChange;
  /** The spec as it is written. */
  readonly raw: JsonValue | undefined;
}

/** How the field gets its live value, or why it does not. */
function editsFor(
  run: UpdateContext,
  { desired: wish, change, raw }: FieldUpdate,
): readonly Edit[] | string {
  const steps = splitPointer(change.path);
  const at = ["spec", ...steps];
  if (wish.modifiedBy === "overlay") return "an overlay changes the document";
  if (wish.modifiedBy === "script") return "a program makes the document";
  const along = steps.map((_, depth) => valueAt(raw, steps.slice(0, depth + 1)));
  if (along.some(hasIndirectValue)) return "a template or another source gives the value";
  const live = valueAt(run.byName.get(wish.address)?.spec, steps);
  const field = fieldsOf(wish.kind).find(({ name }) => name === change.field);
  if (live === undefined) {
    if (change.sensitive || field?.required !== false) return "its live value cannot be written";
    const clears = steps.length === 1 && canClear(field);
    return [{ path: at, value: clears ? null : undefined }];
  }
  const written = along.at(-1);
  if (!Array.isArray(written) || !Array.isArray(live)) return [{ path: at, value: live }];
  return itemEdits(at, { written, live, isSet: field?.traits.order === "set" });
}

/** True for a value that stands elsewhere, or has a part that does. */
function hasIndirectValue(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return hasSubstitution(value);
  if (typeof value !== "object" || value === null) return false;
  return (
    "valueFrom" in value ||
    Object.values(value as object).some((one) => hasIndirectValue(one as JsonValue))
  );
}

/** Items that stay keep their line; the whole list is written where their order would not come out. */
function itemEdits(
  at: readonly string[],
  given: {
    readonly written: readonly JsonValue[];
    readonly live: readonly JsonValue[];
    readonly isSet: boolean;
  },
): readonly Edit[] {
  const { written, live, isSet } = given;
  const isIn = (item: JsonValue, list: readonly JsonValue[]) =>
    list.some((one) => equal(one, item));
  const stays = written.filter((item) => isIn(item, live));
  const comes = live.filter((item) => !isIn(item, written));
  if (!isSet && !equal([...stays, ...comes], live)) return [{ path: at, value: live }];
  if (stays.length === 0) return [{ path: at, value: live }];
  const goes = written.flatMap((item, index) => (isIn(item, live) ? [] : [index])).toReversed();
  return [
    ...goes.map((index) => ({ path: [...at, String(index)], value: undefined })),
    ...comes.map((value, index) => ({ path: [...at, String(stays.length + index)], value })),
  ];
}

/** Appends what nobody declared; what cannot be declared as it is has been told. */
function addDocuments(run: UpdateContext, known: ReadonlyMap<string, string>): readonly string[] {
  const fresh = run.documents.filter(
    ({ kind, key, missing: lacks }) => lacks.length === 0 && !known.has(address(kind.name, key)),
  );
  for (const { path: name, text } of filesFor(fresh, {
    split: run.options.split,
    stack: undefined,
  })) {
    const file = path.join(run.folder, name);
    const before = run.texts.get(file) ?? "";
    const rule = before.trim() === "" ? "" : `${before.endsWith("\n") ? "" : "\n"}---\n`;
    run.texts.set(file, before + rule + text);
  }
  return fresh.map(({ kind, name }) => address(kind.name, name));
}

function reportSkipped(
  run: UpdateContext,
  wish: DesiredObject,
  { why, at }: { why: string; at?: string },
): void {
  const what = at === undefined ? wish.address : `${at} of ${wish.address}`;
  run.diagnostics.push({
    code: "not-written-back",
    severity: "warning",
    address: wish.address,
    place: wish.place,
    ...(at === undefined ? {} : { path: `/spec${at}` }),
    summary: `${what} is not written back: ${why}`,
    remedy: "change it by hand, or apply to have the server follow the manifests",
  });
}

function valueAt(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>(
    (inner, step) => (isObject(inner) ? member(inner, step) : undefined),
    value,
  );
}
