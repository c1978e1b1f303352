// Strict substitution of `${...}` in the strings of a parsed document: never in its text, never in what was put in.
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { closestMatch } from "../../core/naming.ts";
import { joinPointer } from "../../core/pointer.ts";
import type { Grants } from "../operator/grants.ts";

/** Where files are looked for and commands run. */
export interface SecretSources {
  /** Absolute path of the Stack's folder. */
  readonly folder: string;
  readonly grants: Pick<Grants, "files" | "commands" | "sops" | "age">;
}

/** Where values come from. */
export interface Scope {
  readonly variables: ReadonlyMap<string, JsonValue>;
  /** Names that the Stack's `spec.environment` allows; undefined in the Stack document itself, which may read none. */
  readonly environment: readonly string[] | undefined;
  readonly grants: Pick<Grants, "environment">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For `valueFrom`; undefined in the Stack document itself, which takes no values. */
  readonly secretSources?: SecretSources | undefined;
}

/** A substitution that cannot be made; the path is a JSON Pointer, on the key where `inKey` says so. */
export interface SubstitutionError {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy: string;
}

/** The value with everything substituted that can be, and what could not. */
export interface Substituted {
  readonly value: JsonValue;
  readonly errors: readonly SubstitutionError[];
}

interface SubstitutionState {
  readonly scope: Scope;
  readonly errors: SubstitutionError[];
}

/** What a substitution gives, or why it does not. */
export type SubstitutionResult =
  | { readonly value: JsonValue }
  | Omit<SubstitutionError, "path" | "inKey">;

/**
 * Substitutes in every string below `value`, whose own place is `path`. A string that is one substitution and nothing else
 * takes the variable's value as it is; within text, values are written out. What is put in is not read again. A default,
 * always text, stands in for what is not set or is the empty text.
 */
export function substitute(value: JsonValue, scope: Scope, path = ""): Substituted {
  const run: SubstitutionState = { scope, errors: [] };
  if (!containsSubstitution(value)) return { value, errors: [] };
  return { value: substituteInValue(run, value, path), errors: run.errors };
}

/** True when a text holds something that {@link substitute} would touch. */
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

function substituteInValue(run: SubstitutionState, value: JsonValue, path: string): JsonValue {
  if (typeof value === "string")
    return hasSubstitution(value) ? substituteInText(run, value, path) : value;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) =>
      substituteInValue(run, item, path + joinPointer([index])),
    );
  }
  return isObject(value) ? substituteInMembers(run, value, path) : value;
}

function substituteInMembers(run: SubstitutionState, object: JsonObject, path: string): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const at = path + joinPointer([key]);
    if (hasSubstitution(key)) addError(run, { path: at, inKey: true }, keyError(key));
    members[key] = substituteInValue(run, value ?? null, at);
  }
  return members;
}

function keyError(key: string): Omit<SubstitutionError, "path" | "inKey"> {
  const summary = `nothing is substituted in the key "${key}"`;
  return { code: "variable-syntax", summary, remedy: "Write the key out." };
}

/** An escape, or a substitution up to its brace; one without a closing brace runs to the end of the text. */
const substitutionPattern = /(\$\$\{)|\$\{([^}]*)(\}|$)/gsu;

function substituteInText(run: SubstitutionState, text: string, path: string): JsonValue {
  const at = { path, inKey: false };
  const whole = /^\$\{([^}]*)\}$/su.exec(text)?.[1];
  if (whole !== undefined) {
    const got = valueOrError(run, at, resolveVariable(run.scope, whole));
    return got === undefined ? text : got;
  }
  return text.replace(
    substitutionPattern,
    (piece: string, escape?: string, inner = "", close = "") => {
      if (escape !== undefined) return "${";
      if (close === "") {
        addError(run, at, malformed(piece, "it has no closing brace"));
        return piece;
      }
      const value = valueOrError(run, at, asText(inner, resolveVariable(run.scope, inner)));
      return value === undefined ? piece : textOf(value);
    },
  );
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueOrError(
  run: SubstitutionState,
  at: Pick<SubstitutionError, "path" | "inKey">,
  got: SubstitutionResult,
): JsonValue | undefined {
  if ("value" in got) return got.value;
  addError(run, at, got);
  return undefined;
}

function addError(
  run: SubstitutionState,
  at: Pick<SubstitutionError, "path" | "inKey">,
  why: Omit<SubstitutionError, "path" | "inKey">,
): void {
  run.errors.push({ ...why, ...at });
}

/** Only single values have a spelling within text. */
function asText(inner: string, got: SubstitutionResult): SubstitutionResult {
  if (!("value" in got) || (got.value !== null && typeof got.value !== "object")) return got;
  const what = got.value === null ? "null" : Array.isArray(got.value) ? "a list" : "a map";
  const summary = `"\${${inner}}" is ${what} and cannot stand within text`;
  const remedy = "Make the substitution the whole value.";
  return { code: "variable-syntax", summary, remedy };
}

function malformed(piece: string, why: string): Omit<SubstitutionError, "path" | "inKey"> {
  const remedy =
    "Write ${name}, ${name:-default} or ${env:NAME}; $${ stands for the characters ${.";
  return { code: "variable-syntax", summary: `"${piece}" is not a substitution: ${why}`, remedy };
}

const variablePattern = /^(env:)?([A-Za-z_][A-Za-z0-9_-]*)(?::-(.*))?$/su;

function resolveVariable(scope: Scope, inner: string): SubstitutionResult {
  const [, env, name, fallback] = variablePattern.exec(inner) ?? [];
  if (name === undefined) return malformed(`\${${inner}}`, "it does not name a variable");
  if (fallback !== undefined && hasSubstitution(fallback)) {
    return malformed(`\${${inner}}`, "a default cannot hold another substitution");
  }
  return env === undefined
    ? variable(scope, name, fallback)
    : environmentVariable(scope, name, fallback);
}

function variable(scope: Scope, name: string, fallback: string | undefined): SubstitutionResult {
  if (scope.variables.has(name)) {
    const value = scope.variables.get(name) ?? null;
    return { value: value === "" ? (fallback ?? "") : value };
  }
  if (fallback !== undefined) return { value: fallback };
  const meant = closestMatch(name, scope.variables.keys());
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const remedy = `${guess}Set it in the Stack's spec.variables or with --var ${name}=VALUE, or give a default: \${${name}:-default}.`;
  return { code: "variable-unset", summary: `the variable "${name}" has no value`, remedy };
}

/** The value of an environment variable is never part of a message: it may be a secret. */
export function environmentVariable(
  scope: Scope,
  name: string,
  fallback: string | undefined,
): SubstitutionResult {
  const code = "environment-not-allowed";
  if (scope.environment === undefined) {
    const summary = `the Stack document cannot read the environment variable "${name}"`;
    return { code, summary, remedy: "Use a variable and pass it with --var NAME=VALUE." };
  }
  if (isReservedVariable(name)) {
    const summary = `the environment variable "${name}" is svc's own and is never put into a manifest`;
    return { code, summary, remedy: "Give the value another name, and allow that." };
  }
  if (!scope.environment.includes(name)) {
    const summary = `the Stack does not allow reading the environment variable "${name}"`;
    const meant = closestMatch(name, scope.environment);
    const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
    return { code, summary, remedy: `${guess}Add ${name} to the Stack's spec.environment.` };
  }
  const { environment: granted } = scope.grants;
  if (granted !== "stack" && !granted.includes(name)) {
    const summary = `reading the environment variable "${name}" was not granted to these manifests`;
    return { code, summary, remedy: `If you trust them with it, pass --allow-env ${name}.` };
  }
  const value = Object.hasOwn(scope.env, name) ? scope.env[name] : undefined;
  if (fallback !== undefined && !value) return { value: fallback };
  if (value !== undefined) return { value };
  const remedy = `Set it, or give a default: \${env:${name}:-default}.`;
  return {
    code: "variable-unset",
    summary: `the environment variable "${name}" is not set`,
    remedy,
  };
}

/** The names that svc itself reads, its keys among them: whoever allows too much must not print those in a plan. */
function isReservedVariable(name: string): boolean {
  return name.toUpperCase().startsWith("SVC_");
}

/** The value written so that {@link substitute} gives it back; undefined where a key cannot be written so. */
export function escapeSubstitutions(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) {
    const items = value.map(escapeSubstitutions);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(
    ([key, held]) => [key, escapeSubstitutions(held)] as const,
  );
  const isWritable = members.every(([key, held]) => !hasSubstitution(key) && held !== undefined);
  return isWritable ? Object.fromEntries(members) : undefined;
}
