// Finds fields of a spec that a document has beside its spec, and reports them as one error.
import { isObject } from "../../core/json.ts";
import { splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import { andList, quoted } from "../../core/text/naming.ts";
import type { FieldError } from "./field-errors.ts";
import type { Document } from "./parse.ts";

/**
 * Replaces the errors of fields that belong in the spec, and of the same fields that the spec lacks, with one error.
 * `specFields` are the fields that a spec of this kind has.
 */
export function joinMisplaced(
  errors: readonly FieldError[],
  { value }: Pick<Document, "value">,
  specFields: readonly string[],
): readonly FieldError[] {
  const spec = isObject(value) ? member(value, "spec") : undefined;
  const has = (name: string): boolean => isObject(spec) && Object.hasOwn(spec, name);
  const misplaced = errors.filter(({ code, path }) => {
    const [name = "", ...inner] = splitPointer(path);
    const isBeside = code === "unknown-field" && inner.length === 0;
    return isBeside && specFields.includes(name) && !has(name);
  });
  const [first] = misplaced;
  if (first === undefined) return errors;
  const names = misplaced.map(({ path }) => splitPointer(path)[0] ?? "");
  const missing = new Set(names.map((name) => `/spec/${name}`));
  const others = errors.filter(
    (one) => !misplaced.includes(one) && !(one.code === "missing-field" && missing.has(one.path)),
  );
  const are = names.length === 1 ? "is a field" : "are fields";
  const place = spec === undefined ? "which the document does not have" : "but not in it";
  const summary = `${andList(names.map(quoted))} ${are} of spec, ${place}`;
  return [{ ...first, summary, remedy: `Move ${andList(names)} under spec.` }, ...others];
}
