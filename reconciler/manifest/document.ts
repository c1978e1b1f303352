// Checks a parsed document: substitutes variables, looks up its kind, and validates head and spec.
import type { UnresolvedValue } from "../model/index.ts";
import { Type } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import type { Component } from "../../core/kind/component.ts";
import { fieldsOf, desiredSpecSchema } from "../../core/kind/fields.ts";
import { address } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  apiVersion,
  componentMetadataSchema,
  metadataSchema,
  secretToSchema,
  objectMetadataSchema,
} from "../../core/kind/json-schema.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { LifecycleRules } from "../../core/kind/lifecycle-rules.ts";
import { member } from "../../core/schema/schema.ts";
import { declaredValidator, validator } from "../../core/schema/validate.ts";
import { memberAt } from "../../core/pointer.ts";
import { secretPointers } from "../../core/spec/record.ts";
import { didYouMean, quoted } from "../../core/text/naming.ts";
import type { Document } from "./parse.ts";
import { ruleErrors, rulesIn } from "./lifecycle-checks.ts";
import { fileLocator, type ReadFolder } from "./folder-source.ts";
import { resolveValuesFrom } from "./value-from.ts";
import { hasSubstitution, type SubstitutionError, type Scope, substitute } from "./variables.ts";
import { type FieldError, fieldErrors, offlineFieldErrors } from "./field-errors.ts";

/** The object that a document declares. Its references are not resolved yet. */
export interface DesiredDocument {
  readonly address: string;
  readonly kind: Kind;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** The file for the generated secret, relative to the stack's folder. Undefined for kinds without one. */
  readonly secretTo?: string | undefined;
  readonly rules?: LifecycleRules | undefined;
  /** Folders whose files the spec contains. Absent if there are none. */
  readonly folders?: readonly ReadFolder[];
  /** Files that values were read from, absolute. Absent if there are none. */
  readonly valueFiles?: readonly string[];
  /** Secrets that cannot be read here. */
  readonly unresolved?: readonly UnresolvedValue[];
  readonly document: Document;
}

/** The result of checking a document. */
export interface CheckedDocument {
  /** Undefined if kind or name is unknown. */
  readonly desired: DesiredDocument | undefined;
  /** Kind and name, also of an invalid document. */
  readonly head: Pick<DocumentHead, "kind" | "name">;
  /** True if the document has no errors and its spec matches the kind's schema. */
  readonly isValid: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The members that all documents have, also the Stack. */
export interface DocumentHead {
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonValue;
  readonly secretTo: string | undefined;
  readonly rules: LifecycleRules | undefined;
  readonly folders: readonly ReadFolder[];
  readonly valueFiles: readonly string[];
  readonly unresolved: readonly UnresolvedValue[];
  readonly errors: readonly FieldError[];
  /** JSON Pointers to failed substitutions and to secrets that are not read, where no further errors are reported. */
  readonly failedPaths: readonly string[];
}

const common = {
  apiVersion: Type.Literal(apiVersion, { description: `Always \`${apiVersion}\`.` }),
  kind: Type.String({ minLength: 1, description: "The resource type." }),
  metadata: Type.Unsafe<JsonObject>(objectMetadataSchema),
  spec: Type.Optional(Type.Unknown()),
};

const closed = { additionalProperties: false } as const;

const headSchemas = {
  builtIn: Type.Object({ ...common, metadata: Type.Unsafe<JsonObject>(metadataSchema) }, closed),
  component: Type.Object(
    { ...common, metadata: Type.Unsafe<JsonObject>(componentMetadataSchema) },
    closed,
  ),
  object: Type.Object(common, closed),
  secretGenerating: Type.Object(
    { ...common, secretTo: Type.Unsafe<JsonObject>(secretToSchema) },
    closed,
  ),
};

for (const schema of Object.values(headSchemas)) declaredValidator(schema);

/** The declaration of a document: an object of a kind, several objects, or none. */
type Declares = Kind | "component" | "built-in";

function headSchemaFor(kind: Declares | undefined) {
  if (kind === "built-in") return headSchemas.builtIn;
  if (kind === "component") return headSchemas.component;
  return kind?.generatedSecret === undefined ? headSchemas.object : headSchemas.secretGenerating;
}

/**
 * Reads the members that all documents have. Substitutes variables in `metadata`, `spec` and `secretTo`. Pass `built-in` for
 * documents that declare no object, such as Stack.
 */
export function readHead(document: Document, scope: Scope, kind?: Declares): DocumentHead {
  const members = isObject(document.value) ? document.value : {};
  const schema = headSchemaFor(kind);
  const metadata = substitute(member(members, "metadata") ?? {}, scope, "/metadata");
  const spec = substitute(member(members, "spec") ?? {}, scope, "/spec");
  const sink = substitute(member(members, "secretTo") ?? {}, scope, "/secretTo");
  const resolved =
    kind === undefined || typeof kind === "string"
      ? { spec: spec.value, errors: [], folders: [], valueFiles: [], unread: [], unresolved: [] }
      : resolveValuesFrom(kind, spec.value, scope);
  const errors = [
    ...fixedFieldErrors(members),
    ...metadata.errors,
    ...spec.errors,
    ...resolved.errors,
    ...sink.errors,
  ];
  const failedPaths = [...errors.map(({ path }) => path), ...resolved.unread];
  const value = {
    ...members,
    ...("metadata" in members ? { metadata: metadata.value } : {}),
    ...("secretTo" in members ? { secretTo: sink.value } : {}),
  };
  const violations = fieldErrors(validator(schema)(value), {
    schema,
    value,
    written: document.value,
    label: "",
  });
  const name = isObject(metadata.value) ? member(metadata.value, "name") : undefined;
  return {
    kind: textOf(member(members, "kind")),
    name: typeof name === "string" && !hasSubstitution(name) ? name : undefined,
    labels: labelsOf(metadata.value),
    spec: resolved.spec,
    secretTo: isObject(sink.value) ? textOf(member(sink.value, "file")) : undefined,
    rules: rulesIn(metadata.value),
    folders: resolved.folders,
    valueFiles: resolved.valueFiles,
    unresolved: resolved.unresolved,
    errors: [...errors, ...withoutFailedPaths(violations.map(headError), failedPaths)],
    failedPaths,
  };
}

/** The context in which a document is checked. */
export interface CheckContext {
  readonly scope: Scope;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Default: none. */
  readonly components?: ReadonlyMap<string, Component>;
  /** The kinds of documents that declare no object, such as Stack. Default: none. */
  readonly otherKinds?: readonly string[];
}

/** Checks a document that declares an object. */
export function checkDocument(
  document: Document,
  { scope, kinds, components, otherKinds = [] }: CheckContext,
): CheckedDocument {
  const { value } = document;
  const kind = kinds.get((isObject(value) && textOf(member(value, "kind"))) || "");
  const head = readHead(document, scope, kind);
  const desired = desiredDocumentOf(document, head, kind);
  if (document.hasErrors) return { desired, head, isValid: false, diagnostics: [] };
  const errors = [
    ...head.errors,
    ...(kind === undefined
      ? unknownKind(head.kind, [...kinds.keys(), ...(components?.keys() ?? []), ...otherKinds])
      : [...ruleErrorsOf(kind, head), ...specErrors(kind, head, document)]),
  ];
  const diagnostics = [
    ...errors.map((error) => inFile(head, error, diagnosticOf(document, error, addressOf(head)))),
    ...(kind === undefined ? [] : deprecations(kind, head, document)),
    ...(kind === undefined ? [] : literalSecrets(kind, head, document)),
  ];
  return { desired, head, isValid: errors.length === 0 && desired !== undefined, diagnostics };
}

function desiredDocumentOf(
  document: Document,
  head: DocumentHead,
  kind: Kind | undefined,
): DesiredDocument | undefined {
  const { name, labels, spec, secretTo, rules, folders, valueFiles, unresolved } = head;
  if (kind === undefined || name === undefined) return undefined;
  const fields = isObject(spec) ? spec : {};
  const objectAddress = address(kind.name, name);
  const read = { folders, valueFiles, unresolved };
  return {
    address: objectAddress,
    kind,
    name,
    labels,
    spec: fields,
    secretTo,
    rules,
    ...read,
    document,
  };
}

/** Returns the errors of well-formed lifecycle rules. Malformed rules have been reported already. */
function ruleErrorsOf(
  kind: Kind,
  { rules, name = "", errors }: DocumentHead,
): readonly FieldError[] {
  const isMalformed = errors.some(({ path }) => path.startsWith("/metadata"));
  return rules === undefined || isMalformed ? [] : ruleErrors(kind, name, rules);
}

function addressOf({ kind, name }: DocumentHead): string | undefined {
  return kind === undefined || name === undefined ? undefined : address(kind, name);
}

/** Returns the diagnostic of an error, with its place in the file. */
export function diagnosticOf(
  document: Document,
  error: FieldError,
  objectAddress?: string,
): Diagnostic {
  const { code, path, inKey, summary, remedy } = error;
  return {
    code,
    severity: "error",
    summary,
    ...(remedy === undefined ? {} : { remedy }),
    place: document.locate(path, inKey ? "key" : "value"),
    path,
    ...(objectAddress === undefined ? {} : { address: objectAddress }),
  };
}

/** Places an error in the file that the value was read from, if it was. */
function inFile(
  head: DocumentHead,
  { path, position = { line: 1, column: 1 } }: FieldError,
  diagnostic: Diagnostic,
): Diagnostic {
  const file = fileLocator(head).fileOf?.(path);
  return file === undefined ? diagnostic : { ...diagnostic, place: { file, ...position } };
}

/** Removes errors at places where a substitution failed. */
export function withoutFailedPaths(
  errors: readonly FieldError[],
  failedPaths: readonly string[],
): readonly FieldError[] {
  if (failedPaths.length === 0) return errors;
  return errors.filter(
    ({ path }) => !failedPaths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  );
}

/** Returns whether a document has a member that only manifests begin with. */
export function looksLikeDocument({ value }: Pick<Document, "value">): boolean {
  return isObject(value) && ["apiVersion", "kind", "metadata"].some((key) => key in value);
}

/** Refuses substitutions in `apiVersion` and `kind`, which other tools read without substitution. */
function fixedFieldErrors(members: JsonObject): readonly SubstitutionError[] {
  return ["apiVersion", "kind"]
    .filter((key) => hasSubstitution(textOf(member(members, key)) ?? ""))
    .map((key) => ({
      code: "variable-syntax",
      path: `/${key}`,
      inKey: false,
      summary: `${key} cannot contain a substitution`,
      remedy: "Write the value itself.",
    }));
}

const headCodes: Readonly<Record<string, DiagnosticCode>> = {
  "/apiVersion": "api-version",
  "/metadata/name": "invalid-name",
};

function headError(error: FieldError): FieldError {
  const code = headCodes[error.path];
  const bound = error.code === "out-of-bounds" || error.path === "/apiVersion";
  if (code === undefined || !bound || error.code === "missing-field") return error;
  return { ...error, code, ...(code === "api-version" && { remedy: `Write ${apiVersion}.` }) };
}

function unknownKind(name: string | undefined, kinds: readonly string[]): readonly FieldError[] {
  if (name === undefined || name === "" || hasSubstitution(name)) return [];
  const summary = `unknown kind "${name}"`;
  return [unknownKindError(name, kinds, { path: "/kind", summary })];
}

/** Returns the error of a kind that does not exist, with the nearest one. */
export function unknownKindError(
  name: string,
  kinds: Iterable<string>,
  { path, summary }: Pick<FieldError, "path" | "summary">,
): FieldError {
  const remedy = didYouMean(name, kinds, quoted) ?? "Run `svc explain` to list all kinds.";
  return { code: "unknown-kind", path, inKey: false, summary, remedy };
}

function specErrors(kind: Kind, head: DocumentHead, document: Document): readonly FieldError[] {
  const schema = desiredSpecSchema(kind);
  const violations = validator(schema)(head.spec);
  const beyond = isObject(head.spec) ? (kind.offlineErrors?.(head.spec) ?? []) : [];
  if (violations.length + beyond.length === 0) return [];
  const written = (isObject(document.value) ? member(document.value, "spec") : undefined) ?? {};
  const label = document.specLabel ?? "spec";
  const checked = { schema, value: head.spec, written, label, isObjectSpec: true };
  const errors = [...fieldErrors(violations, checked), ...offlineFieldErrors(beyond, checked)];
  const placed = errors.map((error) => ({ ...error, path: `/spec${error.path}` }));
  return withoutFailedPaths(placed, head.failedPaths);
}

function deprecations(
  kind: Kind,
  { spec }: DocumentHead,
  document: Document,
): readonly Diagnostic[] {
  if (!isObject(spec)) return [];
  return fieldsOf(kind)
    .filter(
      ({ name, traits }) => traits.deprecated !== undefined && member(spec, name) !== undefined,
    )
    .map(({ name, traits }) => ({
      code: "deprecated",
      severity: "warning",
      summary: `${document.specLabel ?? "spec"}.${name} is deprecated`,
      remedy: traits.deprecated ?? "",
      place: document.locate(`/spec/${name}`, "key"),
      path: `/spec/${name}`,
    }));
}

/** Warns of secrets in plain text, which everyone with access to the repository can read. */
function literalSecrets(
  kind: Kind,
  { spec, name }: DocumentHead,
  document: Document,
): readonly Diagnostic[] {
  if (!isObject(spec) || !isObject(document.value) || name === undefined) return [];
  const written = member(document.value, "spec");
  return secretPointers(kind, spec)
    .filter((path) => isLiteral(memberAt(written, path)))
    .map((path) => ({
      code: "literal-secret",
      severity: "warning",
      summary: `${document.specLabel ?? "spec"}${path.replaceAll("/", ".")} is a secret in plain text`,
      remedy:
        "Write valueFrom: { env: NAME }, list the name in the Stack's spec.environment, and pass --grant environment=NAME.",
      place: document.locate(`/spec${path}`),
      path: `/spec${path}`,
      address: address(kind.name, name),
    }));
}

function isLiteral(value: JsonValue | undefined): boolean {
  if (isObject(value) && member(value, "valueFrom") !== undefined) return false;
  return (
    value !== undefined && value !== null && !(typeof value === "string" && hasSubstitution(value))
  );
}

const noLabels = {};

function labelsOf(metadata: JsonValue): Readonly<Record<string, string>> {
  const labels = isObject(metadata) ? member(metadata, "labels") : undefined;
  if (!isObject(labels)) return noLabels;
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value] as const] : [],
    ),
  );
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
