// From a parsed document to what it wishes for: substituted, of a known kind, named, and valid by its kind's schema.
import { Type } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { fieldsOf, desiredSpecSchema } from "../../core/fields.ts";
import { address } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  apiVersion,
  metadataSchema,
  secretToSchema,
  objectMetadataSchema,
} from "../../core/json-schema.ts";
import type { Kind } from "../../core/kind.ts";
import type { LifecycleRules } from "../../core/lifecycle-rules.ts";
import { closestMatch } from "../../core/naming.ts";
import { member } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";
import { memberAt } from "../../core/pointer.ts";
import { secretPointers } from "../../core/record.ts";
import type { Document } from "./parse.ts";
import { ruleErrors, rulesIn } from "./lifecycle-checks.ts";
import { resolveValuesFrom } from "./value-from.ts";
import { hasSubstitution, type SubstitutionError, type Scope, substitute } from "./variables.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";

/** What a document wishes for; its references are still names. */
export interface DesiredDocument {
  readonly address: string;
  readonly kind: Kind;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** The file in the stack's folder that a minted secret goes to; undefined for kinds that mint none. */
  readonly secretTo?: string | undefined;
  readonly rules?: LifecycleRules | undefined;
  readonly document: Document;
}

/** What checking a document gives. */
export interface CheckedDocument {
  /** Undefined where it cannot be told what is wished for. */
  readonly desired: DesiredDocument | undefined;
  /** Of one that says what it is, be it right or wrong. */
  readonly head?: Pick<DocumentHead, "kind" | "name">;
  /** There are no mistakes in it, so that its spec is valid by the kind's wish schema. */
  readonly isValid: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The part that every document has, the Stack too. */
export interface DocumentHead {
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonValue;
  readonly secretTo: string | undefined;
  readonly rules: LifecycleRules | undefined;
  readonly errors: readonly FieldError[];
  /** Where substitutions failed, so that nothing is said of what stands there. */
  readonly failedPaths: readonly string[];
}

const common = {
  apiVersion: Type.Literal(apiVersion, { description: `always ${apiVersion}` }),
  kind: Type.String({ minLength: 1, description: "What it wishes for." }),
  metadata: Type.Unsafe<JsonObject>(objectMetadataSchema),
  spec: Type.Optional(Type.Unknown()),
};

const closed = { additionalProperties: false } as const;

const headSchemas = {
  stack: Type.Object({ ...common, metadata: Type.Unsafe<JsonObject>(metadataSchema) }, closed),
  object: Type.Object(common, closed),
  secretGenerating: Type.Object(
    { ...common, secretTo: Type.Unsafe<JsonObject>(secretToSchema) },
    closed,
  ),
};

function headSchemaFor(given: JsonObject, kind: Kind | undefined) {
  if (["Stack", "Pipeline"].includes(textOf(member(given, "kind")) ?? "")) return headSchemas.stack;
  return kind?.generatedSecret === undefined ? headSchemas.object : headSchemas.secretGenerating;
}

/** Reads what all documents have in common, with everything substituted in `metadata`, `spec` and `secretTo`. */
export function readHead(document: Document, scope: Scope, kind?: Kind): DocumentHead {
  const given = isObject(document.value) ? document.value : {};
  const schema = headSchemaFor(given, kind);
  const metadata = substitute(member(given, "metadata") ?? {}, scope, "/metadata");
  const spec = substitute(member(given, "spec") ?? {}, scope, "/spec");
  const sink = substitute(member(given, "secretTo") ?? {}, scope, "/secretTo");
  const taken =
    kind === undefined
      ? { spec: spec.value, errors: [] }
      : resolveValuesFrom(kind, spec.value, scope);
  const refusals = [
    ...fixedFieldErrors(given),
    ...metadata.errors,
    ...spec.errors,
    ...taken.errors,
    ...sink.errors,
  ];
  const refused = refusals.map(({ path }) => path);
  const value = {
    ...given,
    ...("metadata" in given ? { metadata: metadata.value } : {}),
    ...("secretTo" in given ? { secretTo: sink.value } : {}),
  };
  const found = fieldErrors(validator(schema)(value), {
    schema,
    value,
    written: document.value,
    label: "",
  });
  const name = isObject(metadata.value) ? member(metadata.value, "name") : undefined;
  return {
    kind: textOf(member(given, "kind")),
    name: typeof name === "string" && !hasSubstitution(name) ? name : undefined,
    labels: labelsOf(metadata.value),
    spec: taken.spec,
    secretTo: isObject(sink.value) ? textOf(member(sink.value, "file")) : undefined,
    rules: rulesIn(metadata.value),
    errors: [...refusals, ...withoutFailedPaths(found.map(headError), refused)],
    failedPaths: refused,
  };
}

/** Checks a document that is not the Stack. */
export function checkDocument(
  document: Document,
  { scope, kinds }: { readonly scope: Scope; readonly kinds: ReadonlyMap<string, Kind> },
): CheckedDocument {
  if (!looksLikeDocument(document.value)) {
    const diagnostics = document.hasErrors ? [] : [notADocument(document)];
    return { desired: undefined, isValid: false, diagnostics };
  }
  const kind = kinds.get(textOf(member(document.value, "kind")) ?? "");
  const head = readHead(document, scope, kind);
  const wish = desiredDocumentOf(document, head, kind);
  if (document.hasErrors) return { desired: wish, head, isValid: false, diagnostics: [] };
  const found = [
    ...head.errors,
    ...(kind === undefined
      ? unknownKind(head.kind, kinds)
      : [...ruleErrorsOf(kind, head), ...specErrors(kind, head, document)]),
  ];
  const diagnostics = [
    ...found.map((mistake) => diagnosticOf(document, mistake, addressOf(head))),
    ...(kind === undefined ? [] : deprecations(kind, head, document)),
    ...(kind === undefined ? [] : literalSecrets(kind, head, document)),
  ];
  return { desired: wish, head, isValid: found.length === 0 && wish !== undefined, diagnostics };
}

function desiredDocumentOf(
  document: Document,
  head: DocumentHead,
  kind: Kind | undefined,
): DesiredDocument | undefined {
  const { name, labels, spec, secretTo, rules } = head;
  if (kind === undefined || name === undefined) return undefined;
  const known = isObject(spec) ? spec : {};
  const at = address(kind.name, name);
  return { address: at, kind, name, labels, spec: known, secretTo, rules, document };
}

/** Rules of the wrong form have been told, and say nothing more. */
function ruleErrorsOf(
  kind: Kind,
  { rules, name = "", errors: told }: DocumentHead,
): readonly FieldError[] {
  const isWrong = told.some(({ path }) => path.startsWith("/metadata"));
  return rules === undefined || isWrong ? [] : ruleErrors(kind, name, rules);
}

function addressOf({ kind, name }: DocumentHead): string | undefined {
  return kind === undefined || name === undefined ? undefined : address(kind, name);
}

/** The mistake as it is told: with its place in the file. */
export function diagnosticOf(document: Document, mistake: FieldError, at?: string): Diagnostic {
  const { code, path, inKey, summary, remedy } = mistake;
  return {
    code,
    severity: "error",
    summary,
    ...(remedy === undefined ? {} : { remedy }),
    place: document.locate(path, inKey ? "key" : "value"),
    path,
    ...(at === undefined ? {} : { address: at }),
  };
}

/** Those mistakes that do not stand where a substitution failed. */
export function withoutFailedPaths(
  found: readonly FieldError[],
  refused: readonly string[],
): readonly FieldError[] {
  if (refused.length === 0) return found;
  return found.filter(
    ({ path }) => !refused.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  );
}

/** True for what sops has encrypted and is no document: secrets that documents take values from may lie among them. */
export function isEncryptedBySops({ value }: Document): boolean {
  const told = isObject(value) && !looksLikeDocument(value) ? member(value, "sops") : undefined;
  return isObject(told) && typeof member(told, "mac") === "string";
}

function looksLikeDocument(value: JsonValue): value is JsonObject {
  return isObject(value) && ["apiVersion", "kind", "metadata"].some((key) => key in value);
}

function notADocument(document: Document): Diagnostic {
  const summary = "this is not a manifest document: it has no apiVersion, kind and metadata";
  const remedy = `Begin it with "apiVersion: ${apiVersion}", or keep the file out of the Stack's spec.manifests.`;
  return diagnosticOf(document, {
    code: "not-a-document",
    path: "",
    inKey: false,
    summary,
    remedy,
  });
}

/** What a document is must be plain to every tool that reads it. */
function fixedFieldErrors(given: JsonObject): readonly SubstitutionError[] {
  return ["apiVersion", "kind"]
    .filter((key) => hasSubstitution(textOf(member(given, key)) ?? ""))
    .map((key) => ({
      code: "variable-syntax",
      path: `/${key}`,
      inKey: false,
      summary: `nothing is substituted in ${key}`,
      remedy: "Write it out.",
    }));
}

const headCodes: Readonly<Record<string, DiagnosticCode>> = {
  "/apiVersion": "api-version",
  "/metadata/name": "invalid-name",
};

function headError(mistake: FieldError): FieldError {
  const code = headCodes[mistake.path];
  const bound = mistake.code === "out-of-bounds" || mistake.path === "/apiVersion";
  if (code === undefined || !bound || mistake.code === "missing-field") return mistake;
  const remedy =
    code === "api-version"
      ? `Write ${apiVersion}.`
      : "Use letters, digits, dots, hyphens and underscores; begin and end with a letter or digit.";
  return { ...mistake, code, remedy };
}

function unknownKind(
  name: string | undefined,
  kinds: ReadonlyMap<string, Kind>,
): readonly FieldError[] {
  if (name === undefined || name === "" || hasSubstitution(name)) return [];
  const meant = closestMatch(name, kinds.keys());
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const summary = `there is no kind "${name}"`;
  const remedy = `${guess}The kinds are ${[...kinds.keys()].join(", ")}.`;
  return [{ code: "unknown-kind", path: "/kind", inKey: false, summary, remedy }];
}

function specErrors(kind: Kind, head: DocumentHead, document: Document): readonly FieldError[] {
  const schema = desiredSpecSchema(kind);
  const violations = validator(schema)(head.spec);
  if (violations.length === 0) return [];
  const written = (isObject(document.value) ? member(document.value, "spec") : undefined) ?? {};
  const found = fieldErrors(violations, { schema, value: head.spec, written, label: "spec" });
  const placed = found.map((mistake) => ({ ...mistake, path: `/spec${mistake.path}` }));
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
      summary: `spec.${name} is deprecated`,
      remedy: traits.deprecated ?? "",
      place: document.locate(`/spec/${name}`, "key"),
      path: `/spec/${name}`,
    }));
}

/** Secrets that stand in the file itself, where everybody who reads the repository reads them. */
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
      summary: `spec${path.replaceAll("/", ".")} is a secret, and stands in the file in clear`,
      remedy:
        "Write valueFrom: { env: NAME }, list the name in the Stack's spec.environment, and pass --allow-env NAME.",
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

function labelsOf(metadata: JsonValue): Readonly<Record<string, string>> {
  const labels = isObject(metadata) ? member(metadata, "labels") : undefined;
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value] as const] : [],
    ),
  );
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
