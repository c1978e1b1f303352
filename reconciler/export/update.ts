// Updates a stack's own manifests from live objects, field by field, and leaves all other text
// unchanged.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { compare, type FieldChange } from "../../core/spec/diff.ts";
import { canClear, fieldsOf } from "../../core/kind/fields.ts";
import { address } from "../../core/kind/identity.ts";
import { equal, isObject, type JsonValue } from "../../core/json.ts";
import { manages } from "../../core/kind/lifecycle-rules.ts";
import { splitPointer, valueAt } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { withIgnoredFields } from "../engine/ignore-rules.ts";
import { type DocumentEdits, type Edit, editDocuments } from "../manifest/yaml-edit.ts";
import { parse } from "../manifest/parse.ts";
import { hasSubstitution } from "../manifest/variables.ts";
import type { LiveState, DesiredObject } from "../model/index.ts";
import { openSession, type Session, type VerbOptions, type VerbResult } from "../verbs/session.ts";
import { survey } from "../verbs/survey.ts";
import { ownedByOthers, ownedByOthersNote } from "./owned-by-others.ts";
import { documentsOf, type ExportedDocument } from "./documents.ts";
import { selectedKinds } from "./export.ts";
import { type ExportedFile, filesFor, type Split } from "./files.ts";

/** Options of an update. */
export interface UpdateOptions extends VerbOptions {
  /** Names of the kinds to update; all if empty or omitted. */
  readonly only?: readonly string[] | undefined;
  /** How to split documents of undeclared objects into files of the stack's folder. */
  readonly split: Split;
  /** Set to add no documents for undeclared objects and to refer to them as external. */
  readonly onlyDeclared?: boolean | undefined;
}

/** Result of an update; nothing is written yet. */
export interface UpdateResult {
  /** New text of each file that changes, by absolute path. */
  readonly files: readonly ExportedFile[];
  /** Updated fields, as JSON Pointers into the spec, by address. */
  readonly changed: Readonly<Record<string, readonly string[]>>;
  /** Addresses of documents added for undeclared live objects. */
  readonly added: readonly string[];
}

/**
 * Compares the documents of a stack with live objects and returns the files with the live values. Only
 * differing fields change. Values from a template, an overlay or a secret source are reported and
 * kept, and so are documents of missing objects. Undeclared objects get documents unless
 * `onlyDeclared` is set. Writes nothing.
 */
export async function updateStack(options: UpdateOptions): Promise<VerbResult<UpdateResult>> {
  const only = selectedKinds(options);
  const opened = await openSession(options);
  if (!opened.ok) return opened;
  await using session = opened.session;
  const { kinds, apiDiscovery, client, desired, diagnostics } = session;
  const { signal } = options;
  options.progress?.({ event: "phase", phase: "read" });
  const reader = createCachedReader(client.reader, { signal });
  const { live, unidentified } = await survey({
    kinds,
    only,
    allFields: true,
    apiDiscovery,
    reader,
    signal,
  });
  const byAddress = new Map(
    desired.objects.map((desiredObject) => [
      address(desiredObject.kind.name, desiredObject.key),
      desiredObject.name,
    ]),
  );
  const wanted = kinds.filter(({ name }) => only.has(name));
  const foreign =
    options.onlyDeclared === true ? [] : await ownedByOthers(session, live, byAddress);
  const exported = documentsOf(live, wanted, {
    declared: desired.objects,
    onlyDeclared: options.onlyDeclared,
    ownedElsewhere: new Set(foreign),
  });
  const run = createContext(session, { live, options, documents: exported.documents });
  for (const desiredObject of desired.objects)
    if (only.has(desiredObject.kind.name)) writeBack(run, desiredObject);
  editFiles(run);
  const added = addDocuments(run, byAddress);
  const reported = [
    ...diagnostics,
    ...(options.onlyDeclared === true ? [] : unidentified),
    ...exported.diagnostics,
    ...run.diagnostics,
    ...ownedByOthersNote(foreign),
  ];
  return {
    ok: true,
    files: run.texts.changed(),
    changed: run.changed,
    added,
    diagnostics: reported,
  };
}

interface UpdateContext {
  readonly live: LiveState;
  readonly folder: string;
  readonly options: UpdateOptions;
  readonly documents: readonly ExportedDocument[];
  /** By address. */
  readonly byName: ReadonlyMap<string, ExportedDocument>;
  readonly texts: FileTexts;
  readonly edits: ObjectEdits[];
  readonly changed: Record<string, readonly string[]>;
  readonly diagnostics: Diagnostic[];
}

/** Edits of the document of an object. */
interface ObjectEdits extends DocumentEdits {
  readonly desired: DesiredObject;
  readonly file: string;
  /** The edited fields, as JSON Pointers into the spec. */
  readonly written: readonly string[];
}

function createContext(
  { desired }: Session,
  source: Pick<UpdateContext, "live" | "options" | "documents">,
): UpdateContext {
  const byName = new Map(
    source.documents.map((document) => [address(document.kind.name, document.name), document]),
  );
  const { folder } = desired.stack;
  return { ...source, folder, byName, texts: fileTexts(), edits: [], changed: {}, diagnostics: [] };
}

/** Texts of files before and after the update. */
interface FileTexts {
  get(file: string): string | undefined;
  /** Returns the document at a place of the original file, with its index. */
  documentAt(file: string, place: Place): IndexedDocument | undefined;
  set(file: string, text: string): void;
  changed(): readonly ExportedFile[];
}

interface IndexedDocument {
  readonly index: number;
  readonly value: JsonValue;
}

function fileTexts(): FileTexts {
  const before = new Map<string, string | undefined>();
  const parsed = new Map<string, ReadonlyMap<string, IndexedDocument>>();
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
    documentAt: (file, place) => {
      get(file);
      const inFile = parsed.get(file) ?? documentsByPlace(place.file, before.get(file) ?? "");
      parsed.set(file, inFile);
      return inFile.get(placeKey(place));
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

function documentsByPlace(name: string, text: string): ReadonlyMap<string, IndexedDocument> {
  const { documents } = parse(name, text);
  return new Map(documents.map(({ place, value }, index) => [placeKey(place), { index, value }]));
}

function placeKey({ line, column }: Place): string {
  return `${line}:${column}`;
}

function writeBack(run: UpdateContext, desiredObject: DesiredObject): void {
  const observed = run.live.get(desiredObject.kind.name)?.byKey.get(desiredObject.key);
  if (observed === undefined) {
    if (run.live.has(desiredObject.kind.name))
      reportSkipped(run, desiredObject, { why: "it is not on the server; its document is kept" });
    return;
  }
  if (!manages(desiredObject.rules, "update")) return;
  const now = (run.options.now ?? (() => new Date()))();
  const differing = compare(
    desiredObject.kind,
    withIgnoredFields(desiredObject, observed, now).spec,
    observed.spec,
  ).filter(({ reason }) => reason !== "unverified" && reason !== "fingerprint");
  if (differing.length > 0) writeFields(run, desiredObject, differing);
}

function writeFields(
  run: UpdateContext,
  desiredObject: DesiredObject,
  differing: readonly FieldChange[],
): void {
  const file = path.resolve(run.options.cwd, desiredObject.place.file);
  const text = desiredObject.place.file === "<stdin>" ? undefined : run.texts.get(file);
  const { index = 0, value } = run.texts.documentAt(file, desiredObject.place) ?? {};
  if (text === undefined || !isObject(value)) {
    return reportSkipped(run, desiredObject, {
      why: "its document is not in a file that can be written",
    });
  }
  const edits: Edit[] = [];
  const written: string[] = [];
  for (const change of differing) {
    const got = editsFor(run, { desired: desiredObject, change, raw: member(value, "spec") });
    if (typeof got === "string") reportSkipped(run, desiredObject, { why: got, at: change.path });
    else {
      edits.push(...got);
      written.push(change.path);
    }
  }
  if (edits.length > 0) run.edits.push({ desired: desiredObject, file, index, edits, written });
}

/** Makes the collected edits, one file at a time. */
function editFiles(run: UpdateContext): void {
  const why = "the text cannot be changed without affecting more, such as an alias of the value";
  for (const [file, some] of Map.groupBy(run.edits, (edit) => edit.file)) {
    const { text, unedited } = editDocuments(run.texts.get(file) ?? "", some);
    run.texts.set(file, text);
    for (const { index, desired, written } of some) {
      if (!unedited.has(index)) run.changed[desired.address] = written;
      else for (const at of written) reportSkipped(run, desired, { why, at });
    }
  }
}

interface FieldUpdate {
  readonly desired: DesiredObject;
  readonly change: FieldChange;
  /** The spec as written in the manifest. */
  readonly raw: JsonValue | undefined;
}

/** Returns how the field gets its live value, or why it cannot. */
function editsFor(
  run: UpdateContext,
  { desired: desiredObject, change, raw }: FieldUpdate,
): readonly Edit[] | string {
  const steps = splitPointer(change.path);
  const at = ["spec", ...steps];
  if (desiredObject.modifiedBy === "overlay") return "an overlay changes the document";
  if (desiredObject.modifiedBy === "component") return "a component declares the object";
  const valuesOnPath = steps.map((_, depth) => valueAt(raw, steps.slice(0, depth + 1)));
  if (valuesOnPath.some(hasIndirectValue))
    return "a template or a secret source provides the value";
  if (change.sensitive) return "its value can be a secret, which is never written";
  const live = valueAt(run.byName.get(desiredObject.address)?.spec, steps);
  const field = fieldsOf(desiredObject.kind).find(({ name }) => name === change.field);
  if (live === undefined) {
    if (field?.required !== false) return "its live value cannot be written as YAML";
    const clears = steps.length === 1 && canClear(field);
    return [{ path: at, value: clears ? null : undefined }];
  }
  const written = valuesOnPath.at(-1);
  if (!Array.isArray(written) || !Array.isArray(live)) return [{ path: at, value: live }];
  return itemEdits(at, { written, live, isSet: field?.traits.order === "set" });
}

/** Returns true for a value that comes from elsewhere, or contains one that does. */
function hasIndirectValue(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return hasSubstitution(value);
  if (typeof value !== "object" || value === null) return false;
  return (
    "valueFrom" in value ||
    Object.values(value as object).some((item) => hasIndirectValue(item as JsonValue))
  );
}

/** Returns edits of a list. Unchanged items keep their line; the whole list is rewritten if the order cannot be kept. */
export function itemEdits(
  at: readonly string[],
  parts: {
    readonly written: readonly JsonValue[];
    readonly live: readonly JsonValue[];
    readonly isSet: boolean;
  },
): readonly Edit[] {
  const { written, live, isSet } = parts;
  const isIn = (item: JsonValue, list: readonly JsonValue[]) =>
    list.some((listed) => equal(listed, item));
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

/** Appends documents of undeclared objects; incomplete ones were already reported. */
function addDocuments(run: UpdateContext, files: ReadonlyMap<string, string>): readonly string[] {
  const fresh = run.documents.filter(
    ({ kind, key, missing }) => missing.length === 0 && !files.has(address(kind.name, key)),
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
  desiredObject: DesiredObject,
  { why, at }: { why: string; at?: string },
): void {
  const what = at === undefined ? desiredObject.address : `${at} of ${desiredObject.address}`;
  run.diagnostics.push({
    code: "not-written-back",
    severity: "warning",
    address: desiredObject.address,
    place: desiredObject.place,
    ...(at === undefined ? {} : { path: `/spec${at}` }),
    summary: `${what} is not updated: ${why}`,
    remedy: "Change it by hand, or apply the manifests to the server.",
  });
}
