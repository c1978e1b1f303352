// Substitutes `${...}` in the strings of a parsed document. Never in its text, and never in substituted values.
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { didYouMean, quoted, sentences } from "../../core/text/naming.ts";
import { joinPointer } from "../../core/pointer.ts";
import { type Grants, grantRemedy } from "../operator/grants.ts";

/** The permitted sources of secrets. */
export interface SecretSources {
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
  /** Absolute paths outside it where the globs of the Stack begin. Folders of files may be there too. */
  readonly sharedPlaces: readonly string[];
  /** The same folder for messages, relative to the current folder. */
  readonly displayPath: string;
  readonly grants: Pick<Grants, "files" | "commands" | "sops" | "age">;
  /** False to check where secrets come from without reading them. */
  readonly areRead: boolean;
}

/** The values that substitutions may use. */
export interface Scope {
  readonly variables: ReadonlyMap<string, JsonValue>;
  /** Names that the Stack's `spec.environment` lists. Undefined for the Stack document itself, which may read none. */
  readonly environment: readonly string[] | undefined;
  readonly grants: Pick<Grants, "environment" | "checks">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the documents are only checked, compared with the server, or applied. Default: `run`. */
  readonly purpose?: "check" | "compare" | "run";
  /** For `valueFrom`. Undefined for the Stack document itself. */
  readonly secretSources?: SecretSources | undefined;
}

/** A failed substitution. `path` is a JSON Pointer; `inKey` places it on the key. */
export interface SubstitutionError {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy: string;
}

/** The value after substitution, with the failed ones. */
export interface Substituted {
  readonly value: JsonValue;
  readonly errors: readonly SubstitutionError[];
}

interface SubstitutionState {
  readonly scope: Scope;
  readonly errors: SubstitutionError[];
}

/** The value of a substitution, or its error. */
export type SubstitutionResult =
  | { readonly value: JsonValue }
  | Omit<SubstitutionError, "path" | "inKey">;

/**
 * Substitutes in all strings of `value`, which is at `path`. A string that is exactly one substitution takes the variable's
 * value with its type; inside text, values are formatted. Substituted values are not substituted again. A default is always
 * text, and replaces an unset or empty variable.
 */
export function substitute(value: JsonValue, scope: Scope, path = ""): Substituted {
  const state: SubstitutionState = { scope, errors: [] };
  if (!containsSubstitution(value)) return { value, errors: [] };
  return { value: substituteInValue(state, value, path), errors: state.errors };
}

/** Returns true if a text contains a substitution or an escape. */
export function hasSubstitution(text: string): boolean {
  return text.includes("${");
}

function containsSubstitution(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return hasSubstitution(value);
  if (typeof value !== "object" || value === null) return false;
  return (
    (!Array.isArray(value) && Object.keys(value).some(hasSubstitution)) ||
    Object.values(value).some(containsSubstitution)
  );
}

function substituteInValue(state: SubstitutionState, value: JsonValue, path: string): JsonValue {
  if (typeof value === "string")
    return hasSubstitution(value) ? substituteInText(state, value, path) : value;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) =>
      substituteInValue(state, item, path + joinPointer([index])),
    );
  }
  return isObject(value) ? substituteInMembers(state, value, path) : value;
}

function substituteInMembers(
  state: SubstitutionState,
  object: JsonObject,
  path: string,
): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const memberPath = path + joinPointer([key]);
    if (hasSubstitution(key)) addError(state, { path: memberPath, inKey: true }, keyError(key));
    members[key] = substituteInValue(state, value ?? null, memberPath);
  }
  return members;
}

/** Returns the error of a key with a substitution. */
export function keyError(key: string): Omit<SubstitutionError, "path" | "inKey"> {
  const summary = `the key "${key}" cannot contain a substitution`;
  return { code: "variable-syntax", summary, remedy: "Write the key itself." };
}

/** Matches an escape, or a substitution up to its closing brace or the end of the text. */
const substitutionPattern = /(\$\$\{)|\$\{([^}]*)(\}|$)/gsu;

function substituteInText(state: SubstitutionState, text: string, path: string): JsonValue {
  const place = { path, inKey: false };
  const whole = /^\$\{([^}]*)\}$/su.exec(text)?.[1];
  if (whole !== undefined) {
    const result = valueOrError(state, place, resolveVariable(state.scope, whole));
    return result === undefined ? text : result;
  }
  return text.replace(
    substitutionPattern,
    (piece: string, escape?: string, inner = "", close = "") => {
      if (escape !== undefined) return "${";
      if (close === "") {
        addError(state, place, malformed(piece, "it has no closing brace"));
        return piece;
      }
      const value = valueOrError(state, place, asText(inner, resolveVariable(state.scope, inner)));
      return value === undefined ? piece : textOf(value);
    },
  );
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueOrError(
  state: SubstitutionState,
  place: Pick<SubstitutionError, "path" | "inKey">,
  result: SubstitutionResult,
): JsonValue | undefined {
  if ("value" in result) return result.value;
  addError(state, place, result);
  return undefined;
}

function addError(
  state: SubstitutionState,
  place: Pick<SubstitutionError, "path" | "inKey">,
  why: Omit<SubstitutionError, "path" | "inKey">,
): void {
  state.errors.push({ ...why, ...place });
}

/** Refuses lists and objects inside text. */
function asText(inner: string, result: SubstitutionResult): SubstitutionResult {
  if (!("value" in result) || (result.value !== null && typeof result.value !== "object"))
    return result;
  const what = result.value === null ? "null" : Array.isArray(result.value) ? "a list" : "a map";
  const summary = `"\${${inner}}" is ${what} and cannot be part of a text`;
  const remedy = "Make the substitution the whole value.";
  return { code: "variable-syntax", summary, remedy };
}

function malformed(piece: string, why: string): Omit<SubstitutionError, "path" | "inKey"> {
  const remedy = "Write ${name}, ${name:-default} or ${env:NAME}. Write $${ for a literal ${.";
  return {
    code: "variable-syntax",
    summary: `"${piece}" is not a valid substitution: ${why}`,
    remedy,
  };
}

const variablePattern = /^(env:)?([A-Za-z_][A-Za-z0-9_-]*)(?::-(.*))?$/su;

function resolveVariable(scope: Scope, inner: string): SubstitutionResult {
  const [, env, name, fallback] = variablePattern.exec(inner) ?? [];
  if (name === undefined) {
    return malformed(`\${${inner}}`, "the variable name is invalid");
  }
  if (fallback !== undefined && hasSubstitution(fallback)) {
    return malformed(`\${${inner}}`, "a default cannot contain a substitution");
  }
  return env === undefined
    ? variable(scope, name, fallback)
    : environmentVariable(scope, name, { fallback, takesDefault: true });
}

function variable(scope: Scope, name: string, fallback: string | undefined): SubstitutionResult {
  if (scope.variables.has(name)) {
    const value = scope.variables.get(name) ?? null;
    return { value: value === "" ? (fallback ?? "") : value };
  }
  if (fallback !== undefined) return { value: fallback };
  const remedy = sentences(
    didYouMean(name, scope.variables.keys(), quoted),
    `Set it in the Stack's spec.variables or with --var ${name}=VALUE, or add a default: \${${name}:-default}.`,
  );
  return { code: "variable-unset", summary: `the variable "${name}" has no value`, remedy };
}

/** Returns the value of an environment variable. No message contains it, because it may be secret. */
export function environmentVariable(
  scope: Scope,
  name: string,
  {
    fallback,
    takesDefault,
  }: { readonly fallback?: string | undefined; readonly takesDefault: boolean },
): SubstitutionResult {
  const code = "environment-not-allowed";
  if (scope.environment === undefined) {
    const summary = `the Stack document itself cannot read the environment variable "${name}"`;
    return { code, summary, remedy: "Use a variable and pass it with --var NAME=VALUE." };
  }
  if (isReservedVariable(name)) {
    const summary = `the environment variable "${name}" is reserved for svc`;
    return { code, summary, remedy: "Use a variable with another name." };
  }
  const { environment: granted } = scope.grants;
  const isGranted = granted === "stack" || granted.includes(name);
  if (!scope.environment.includes(name)) {
    const summary = `the Stack does not list the environment variable "${name}"`;
    const remedy = sentences(
      didYouMean(name, scope.environment, quoted),
      `Add ${name} to the Stack's spec.environment.`,
      isGranted ? undefined : grantRemedy("environment", name),
    );
    return { code, summary, remedy };
  }
  if (!isGranted) {
    const summary = `reading the environment variable "${name}" is not granted`;
    return { code, summary, remedy: grantRemedy("environment", name) };
  }
  const value = Object.hasOwn(scope.env, name) ? scope.env[name] : undefined;
  // CI systems pass a secret that does not exist as an empty variable.
  if (value) return { value };
  if (fallback !== undefined) return { value: fallback };
  const isEmpty = value === "";
  const empty = isEmpty ? `, or an empty value: \${env:${name}:-}` : "";
  const remedy = takesDefault
    ? `Set it, or add a default: \${env:${name}:-default}${empty}.`
    : "Set it for this command.";
  return {
    code: "variable-unset",
    summary: `the environment variable "${name}" is ${isEmpty ? "empty" : "not set"}`,
    remedy,
  };
}

/** Returns true for names that svc itself reads. They include its keys, which must never appear in a plan. */
function isReservedVariable(name: string): boolean {
  return name.toUpperCase().startsWith("SVC_");
}

/** Escapes a value so that {@link substitute} returns it unchanged. Undefined if a key cannot be escaped. */
export function escapeSubstitutions(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) {
    const items = value.map(escapeSubstitutions);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(
    ([key, inner]) => [key, escapeSubstitutions(inner)] as const,
  );
  const isWritable = members.every(([key, inner]) => !hasSubstitution(key) && inner !== undefined);
  return isWritable ? Object.fromEntries(members) : undefined;
}
