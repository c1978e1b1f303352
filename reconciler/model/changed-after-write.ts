// Classifies a value that reads back differently after a write: a fault of the kind, or a change made by someone else.
import type { FieldChange } from "../../core/spec/diff.ts";
import { canonical, equal, type JsonValue } from "../../core/json.ts";

/**
 * `ignored`: the value from before the write is still there. `normalized`: the same value in another spelling, which the
 * kind should normalize. Both are faults of the kind. `changed`: a different value, so another writer changed it since.
 */
export const differenceCauses = ["ignored", "normalized", "changed"] as const;

/** The cause of a difference. */
export type DifferenceCause = (typeof differenceCauses)[number];

/** Returns the cause of a difference; `before` is the live value at plan time. Returns undefined for secret values. */
export function causeOf(
  difference: FieldChange,
  before: JsonValue | undefined,
): DifferenceCause | undefined {
  if (difference.sensitive) return undefined;
  if (equal(difference.before, before)) return "ignored";
  return comparableText(difference.before) === comparableText(difference.after)
    ? "normalized"
    : "changed";
}

/** Returns equal text for values that differ only in case, white space, Unicode composition, order, or number versus text. */
function comparableText(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(comparableText).toSorted().join(",")}]`;
  if (typeof value === "object" && value !== null) return canonical(value).toLowerCase();
  const text = String(value ?? "").normalize("NFKC");
  return text.replace(/\s+/gu, " ").trim().toLowerCase();
}
