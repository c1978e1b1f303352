// From a parsed document to what it wishes for: substituted, of a known kind, named, and valid by its kind's schema.
import { Type } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { fieldsOf, wishSchema } from "../../core/fields.ts";
import { address } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  apiVersion,
  metadataSchema,
  secretToSchema,
  wishMetadataSchema,
} from "../../core/json-schema.ts";
import type { Kind } from "../../core/kind.ts";
import type { LifecycleRules } from "../../core/lifecycle-rules.ts";
import { nearest } from "../../core/names.ts";
import { member } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";
import { memberAt } from "../../core/pointer.ts";
import { secretPlaces } from "../../core/record.ts";
import type { Document } from "./parse.ts";
import { ruleMistakes, rulesIn } from "./rules.ts";
import { takeValues } from "./value-from.ts";
import { hasSubstitution, type Refusal, type Scope, substitute } from "./variables.ts";
import { type Mistake, mistakes } from "./violations.ts";

/** What a document wishes for; its references are still names. */
export interface WishDocument {
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
  readonly wish: WishDocument | undefined;
  /** Of one that says what it is, be it right or wrong. */
  readonly head?: Pick<Head, "kind" | "name">;
  /** There are no mistakes in it, so that its spec is valid by the kind's wish schema. */
  readonly sound: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The part that every document has, the Stack too. */
export interface Head {
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonValue;
  readonly secretTo: string | undefined;
  readonly rules: LifecycleRules | undefined;
  readonly mistakes: readonly Mistake[];
  /** Where substitutions failed, so that nothing is said of what stands there. */
  readonly refused: readonly string[];
}

const common = {
  apiVersion: Type.Literal(apiVersion, { description: `always ${apiVersion}` }),
  kind: Type.String({ minLength: 1, description: "What it wishes for." }),
  metadata: Type.Unsafe<JsonObject>(wishMetadataSchema),
  spec: Type.Optional(Type.Unknown()),
};

const closed = { additionalProperties: false } as const;

const headSchemas = {
  stack: Type.Object({ ...common, metadata: Type.Unsafe<JsonObject>(metadataSchema) }, closed),
  wish: Type.Object(common, closed),
  minting: Type.Object({ ...common, secretTo: Type.Unsafe<JsonObject>(secretToSchema) }, closed),
};

function headSchemaFor(given: JsonObject, kind: Kind | undefined) {
  if (["Stack", "Pipeline"].includes(textOf(member(given, "kind")) ?? "")) return headSchemas.stack;
  return kind?.mints === undefined ? headSchemas.wish : headSchemas.minting;
}

/** Reads what all documents have in common, with everything substituted in `metadata`, `spec` and `secretTo`. */
export function readHead(document: Document, scope: Scope, kind?: Kind): Head {
  const given = isObject(document.value) ? document.value : {};
  const schema = headSchemaFor(given, kind);
  const metadata = substitute(member(given, "metadata") ?? {}, scope, "/metadata");
  const spec = substitute(member(given, "spec") ?? {}, scope, "/spec");
  const sink = substitute(member(given, "secretTo") ?? {}, scope, "/secretTo");
  const taken =
    kind === undefined ? { spec: spec.value, refusals: [] } : takeValues(kind, spec.value, scope);
  const refusals = [
    ...fixedRefusals(given),
    ...metadata.refusals,
    ...spec.refusals,
    ...taken.refusals,
    ...sink.refusals,
  ];
  const refused = refusals.map(({ path }) => path);
  const value = {
    ...given,
    ...("metadata" in given ? { metadata: metadata.value } : {}),
    ...("secretTo" in given ? { secretTo: sink.value } : {}),
  };
  const found = mistakes(validator(schema)(value), {
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
    mistakes: [...refusals, ...without(found.map(headMistake), refused)],
    refused,
  };
}

/** Checks a document that is not the Stack. */
export function checkDocument(
  document: Document,
  { scope, kinds }: { readonly scope: Scope; readonly kinds: ReadonlyMap<string, Kind> },
): CheckedDocument {
  if (!looksLikeDocument(document.value)) {
    const diagnostics = document.broken ? [] : [notADocument(document)];
    return { wish: undefined, sound: false, diagnostics };
  }
  const kind = kinds.get(textOf(member(document.value, "kind")) ?? "");
  const head = readHead(document, scope, kind);
  const wish = wishOf(document, head, kind);
  if (document.broken) return { wish, head, sound: false, diagnostics: [] };
  const found = [
    ...head.mistakes,
    ...(kind === undefined
      ? unknownKind(head.kind, kinds)
      : [...ruleMistakesOf(kind, head), ...specMistakes(kind, head, document)]),
  ];
  const diagnostics = [
    ...found.map((mistake) => diagnosticOf(document, mistake, addressOf(head))),
    ...(kind === undefined ? [] : deprecations(kind, head, document)),
    ...(kind === undefined ? [] : literalSecrets(kind, head, document)),
  ];
  return { wish, head, sound: found.length === 0 && wish !== undefined, diagnostics };
}

function wishOf(document: Document, head: Head, kind: Kind | undefined): WishDocument | undefined {
  const { name, labels, spec, secretTo, rules } = head;
  if (kind === undefined || name === undefined) return undefined;
  const known = isObject(spec) ? spec : {};
  const at = address(kind.name, name);
  return { address: at, kind, name, labels, spec: known, secretTo, rules, document };
}

/** Rules of the wrong form have been told, and say nothing more. */
function ruleMistakesOf(
  kind: Kind,
  { rules, name = "", mistakes: told }: Head,
): readonly Mistake[] {
  const isWrong = told.some(({ path }) => path.startsWith("/metadata"));
  return rules === undefined || isWrong ? [] : ruleMistakes(kind, name, rules);
}

function addressOf({ kind, name }: Head): string | undefined {
  return kind === undefined || name === undefined ? undefined : address(kind, name);
}

/** The mistake as it is told: with its place in the file. */
export function diagnosticOf(document: Document, mistake: Mistake, at?: string): Diagnostic {
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
export function without(found: readonly Mistake[], refused: readonly string[]): readonly Mistake[] {
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
function fixedRefusals(given: JsonObject): readonly Refusal[] {
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
  "/metadata/name": "bad-name",
};

function headMistake(mistake: Mistake): Mistake {
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
): readonly Mistake[] {
  if (name === undefined || name === "" || hasSubstitution(name)) return [];
  const meant = nearest(name, kinds.keys());
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const summary = `there is no kind "${name}"`;
  const remedy = `${guess}The kinds are ${[...kinds.keys()].join(", ")}.`;
  return [{ code: "unknown-kind", path: "/kind", inKey: false, summary, remedy }];
}

function specMistakes(kind: Kind, head: Head, document: Document): readonly Mistake[] {
  const schema = wishSchema(kind);
  const violations = validator(schema)(head.spec);
  if (violations.length === 0) return [];
  const written = (isObject(document.value) ? member(document.value, "spec") : undefined) ?? {};
  const found = mistakes(violations, { schema, value: head.spec, written, label: "spec" });
  const placed = found.map((mistake) => ({ ...mistake, path: `/spec${mistake.path}` }));
  return without(placed, head.refused);
}

function deprecations(kind: Kind, { spec }: Head, document: Document): readonly Diagnostic[] {
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
  { spec, name }: Head,
  document: Document,
): readonly Diagnostic[] {
  if (!isObject(spec) || !isObject(document.value) || name === undefined) return [];
  const written = member(document.value, "spec");
  return secretPlaces(kind, spec)
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
