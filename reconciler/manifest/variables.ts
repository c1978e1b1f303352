// Strict substitution of `${...}` in the strings of a parsed document: never in its text, never in what was put in.
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { nearest } from "../../core/names.ts";
import { joinPointer } from "../../core/pointer.ts";
import type { Grants } from "../caller/grants.ts";

/** Where files are looked for and commands run. */
export interface Surroundings {
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
  readonly surroundings?: Surroundings | undefined;
}

/** A substitution that cannot be made; the path is a JSON Pointer, on the key where `inKey` says so. */
export interface Refusal {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly inKey: boolean;
  readonly summary: string;
  readonly remedy: string;
}

/** The value with everything substituted that can be, and what could not. */
export interface Substituted {
  readonly value: JsonValue;
  readonly refusals: readonly Refusal[];
}

interface Run {
  readonly scope: Scope;
  readonly refusals: Refusal[];
}

/** What a substitution gives, or why it does not. */
export type Answer = { readonly value: JsonValue } | Omit<Refusal, "path" | "inKey">;

/**
 * Substitutes in every string below `value`, whose own place is `path`. A string that is one substitution and nothing else
 * takes the variable's value as it is; within text, values are written out. What is put in is not read again. A default,
 * always text, stands in for what is not set or is the empty text.
 */
export function substitute(value: JsonValue, scope: Scope, path = ""): Substituted {
  const run: Run = { scope, refusals: [] };
  if (!touches(value)) return { value, refusals: [] };
  return { value: inValue(run, value, path), refusals: run.refusals };
}

/** True when a text holds something that {@link substitute} would touch. */
export function hasSubstitution(text: string): boolean {
  return text.includes("${");
}

function touches(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return hasSubstitution(value);
  if (typeof value !== "object" || value === null) return false;
  return (
    (!Array.isArray(value) && Object.keys(value).some(hasSubstitution)) ||
    Object.values(value).some(touches)
  );
}

function inValue(run: Run, value: JsonValue, path: string): JsonValue {
  if (typeof value === "string") return hasSubstitution(value) ? inText(run, value, path) : value;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => inValue(run, item, path + joinPointer([index])));
  }
  return isObject(value) ? inMembers(run, value, path) : value;
}

function inMembers(run: Run, object: JsonObject, path: string): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const at = path + joinPointer([key]);
    if (hasSubstitution(key)) refuse(run, { path: at, inKey: true }, keyRefusal(key));
    members[key] = inValue(run, value ?? null, at);
  }
  return members;
}

function keyRefusal(key: string): Omit<Refusal, "path" | "inKey"> {
  const summary = `nothing is substituted in the key "${key}"`;
  return { code: "variable-syntax", summary, remedy: "Write the key out." };
}

/** An escape, or a substitution up to its brace; one without a closing brace runs to the end of the text. */
const pieces = /(\$\$\{)|\$\{([^}]*)(\}|$)/gsu;

function inText(run: Run, text: string, path: string): JsonValue {
  const at = { path, inKey: false };
  const whole = /^\$\{([^}]*)\}$/su.exec(text)?.[1];
  if (whole !== undefined) {
    const got = take(run, at, answer(run.scope, whole));
    return got === undefined ? text : got;
  }
  return text.replace(pieces, (piece: string, escape?: string, inner = "", close = "") => {
    if (escape !== undefined) return "${";
    if (close === "") {
      refuse(run, at, malformed(piece, "it has no closing brace"));
      return piece;
    }
    const value = take(run, at, written(inner, answer(run.scope, inner)));
    return value === undefined ? piece : textOf(value);
  });
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function take(run: Run, at: Pick<Refusal, "path" | "inKey">, got: Answer): JsonValue | undefined {
  if ("value" in got) return got.value;
  refuse(run, at, got);
  return undefined;
}

function refuse(
  run: Run,
  at: Pick<Refusal, "path" | "inKey">,
  why: Omit<Refusal, "path" | "inKey">,
): void {
  run.refusals.push({ ...why, ...at });
}

/** Only single values have a spelling within text. */
function written(inner: string, got: Answer): Answer {
  if (!("value" in got) || (got.value !== null && typeof got.value !== "object")) return got;
  const what = got.value === null ? "null" : Array.isArray(got.value) ? "a list" : "a map";
  const summary = `"\${${inner}}" is ${what} and cannot stand within text`;
  const remedy = "Make the substitution the whole value.";
  return { code: "variable-syntax", summary, remedy };
}

function malformed(piece: string, why: string): Omit<Refusal, "path" | "inKey"> {
  const remedy =
    "Write ${name}, ${name:-default} or ${env:NAME}; $${ stands for the characters ${.";
  return { code: "variable-syntax", summary: `"${piece}" is not a substitution: ${why}`, remedy };
}

const form = /^(env:)?([A-Za-z_][A-Za-z0-9_-]*)(?::-(.*))?$/su;

function answer(scope: Scope, inner: string): Answer {
  const [, env, name, fallback] = form.exec(inner) ?? [];
  if (name === undefined) return malformed(`\${${inner}}`, "it does not name a variable");
  if (fallback !== undefined && hasSubstitution(fallback)) {
    return malformed(`\${${inner}}`, "a default cannot hold another substitution");
  }
  return env === undefined ? variable(scope, name, fallback) : environment(scope, name, fallback);
}

function variable(scope: Scope, name: string, fallback: string | undefined): Answer {
  if (scope.variables.has(name)) {
    const value = scope.variables.get(name) ?? null;
    return { value: value === "" ? (fallback ?? "") : value };
  }
  if (fallback !== undefined) return { value: fallback };
  const meant = nearest(name, scope.variables.keys());
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const remedy = `${guess}Set it in the Stack's spec.variables or with --var ${name}=VALUE, or give a default: \${${name}:-default}.`;
  return { code: "variable-unset", summary: `the variable "${name}" has no value`, remedy };
}

/** The value of an environment variable is never part of a message: it may be a secret. */
export function environment(scope: Scope, name: string, fallback: string | undefined): Answer {
  const code = "environment-not-allowed";
  if (scope.environment === undefined) {
    const summary = `the Stack document cannot read the environment variable "${name}"`;
    return { code, summary, remedy: "Use a variable and pass it with --var NAME=VALUE." };
  }
  if (isOurOwn(name)) {
    const summary = `the environment variable "${name}" is svc's own and is never put into a manifest`;
    return { code, summary, remedy: "Give the value another name, and allow that." };
  }
  if (!scope.environment.includes(name)) {
    const summary = `the Stack does not allow reading the environment variable "${name}"`;
    const meant = nearest(name, scope.environment);
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
function isOurOwn(name: string): boolean {
  return name.toUpperCase().startsWith("SVC_");
}

/** The value written so that {@link substitute} gives it back; undefined where a key cannot be written so. */
export function literal(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) {
    const items = value.map(literal);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, held]) => [key, literal(held)] as const);
  const isWritable = members.every(([key, held]) => !hasSubstitution(key) && held !== undefined);
  return isWritable ? Object.fromEntries(members) : undefined;
}
