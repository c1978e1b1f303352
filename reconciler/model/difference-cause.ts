// How a value that was just written came to read back as another: by a fault of the kind, or by another's hand.
import type { FieldChange } from "../../core/diff.ts";
import { canonical, equal, type JsonValue } from "../../core/json.ts";

/**
 * `ignored`: what was there before the write is there still; `respelt`: the same value in another spelling, which the kind
 * should know as normal; both are faults of the kind. `changed`: another value altogether, so somebody has written since.
 */
export type DifferenceCause = "ignored" | "respelt" | "changed";

/** The cause of a difference, `before` being what was there when it was planned; undefined where the values are secret. */
export function causeOf(
  left: FieldChange,
  before: JsonValue | undefined,
): DifferenceCause | undefined {
  if (left.sensitive) return undefined;
  if (equal(left.before, before)) return "ignored";
  return comparableText(left.before) === comparableText(left.after) ? "respelt" : "changed";
}

/** The same text for values that differ in spelling only: case, white space, composed letters, order, number or text. */
function comparableText(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(comparableText).toSorted().join(",")}]`;
  if (typeof value === "object" && value !== null) return canonical(value).toLowerCase();
  const text = String(value ?? "").normalize("NFKC");
  return text.replace(/\s+/gu, " ").trim().toLowerCase();
}
