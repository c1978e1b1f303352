// The values of an audit entry: the differences, without secrets, and shortened.
import { hideValue } from "../../../core/spec/hide-secrets.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";

/** Names such as `tokenUrl` and `keyName` only describe a secret. Few may read a security context. */
const secretName =
  /(?:pass|secret|token|key|credential|authorization)(?!.*(?:url|name|at|type|prefix|seconds)$)|^session_?id$|^(?:code|state|security_?context)$/i;

/** The values before and after a change. */
export interface ChangedValues {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** Returns the members that differ, without secrets. A whole object is shown if it was created or deleted. */
export function changedValues(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  { holdsSecrets = false }: { readonly holdsSecrets?: boolean } = {},
): ChangedValues {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const differing = [...names].filter(
    (name) =>
      before === undefined ||
      after === undefined ||
      !equal(before[name] ?? null, after[name] ?? null),
  );
  const part = (whole: JsonObject): JsonObject =>
    Object.fromEntries(
      differing.flatMap((name) => (whole[name] === undefined ? [] : [[name, whole[name]]])),
    );
  return {
    ...(before && { before: shownValues(part(before), { holdsSecrets }) }),
    ...(after && { after: shownValues(part(after), { holdsSecrets }) }),
  };
}

/** Returns values without secrets, shortened to the limit of an entry. If they contain secrets, each `value` is one. */
export function shownValues(
  values: JsonObject,
  { holdsSecrets = false }: { readonly holdsSecrets?: boolean } = {},
): JsonObject {
  const whole = shown(values, { ...limits, holdsSecrets }) as JsonObject;
  if (JSON.stringify(whole).length <= limits.auditCharacters) return whole;
  const bounds = { auditTextCharacters: 100, auditItems: 20, holdsSecrets };
  const short = shown(values, bounds) as JsonObject;
  if (JSON.stringify(short).length <= limits.auditCharacters) return short;
  const names = Object.keys(values).slice(0, limits.auditItems);
  return Object.fromEntries(names.map((name) => [name, "…"]));
}

interface Bounds {
  readonly auditTextCharacters: number;
  readonly auditItems: number;
  readonly holdsSecrets: boolean;
}

function shown(value: JsonValue, bounds: Bounds): JsonValue {
  if (typeof value === "string") return shortText(value, bounds.auditTextCharacters);
  if (Array.isArray(value)) {
    const items = value.slice(0, bounds.auditItems).map((item: JsonValue) => shown(item, bounds));
    const rest = value.length - items.length;
    return rest > 0 ? [...items, `… ${rest} more`] : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  // An operation of a patch names the member in its path. SCIM ignores the case of its name.
  const isNamedSecret =
    bounds.holdsSecrets ||
    entries.some(
      ([name, label]) =>
        /^(?:name|path)$/iu.test(name) && typeof label === "string" && secretName.test(label),
    );
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (member === undefined) return [];
      const isSecret = secretName.test(name) || (isNamedSecret && /^value$/iu.test(name));
      return [[name, isSecret ? hideValue(member) : shown(member, bounds)]];
    }),
  );
}

function shortText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length} characters)`;
}
