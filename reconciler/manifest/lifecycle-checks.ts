// What a schema cannot say of `metadata.lifecycle`.
import type { TSchema } from "typebox";
import { fieldsOf, membersOf, readability } from "../../core/fields.ts";
import { parseAddress } from "../../core/identity.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import {
  type IgnoreRule,
  lifecycleRules,
  type LifecycleRules,
} from "../../core/lifecycle-rules.ts";
import { closestMatch } from "../../core/naming.ts";
import { splitPointer } from "../../core/pointer.ts";
import { mapValues, member, variants } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";
import type { FieldError } from "./field-errors.ts";

/** The rules in the metadata of a document, as far as there are any; of wrong ones the document is refused anyway. */
export function rulesIn(metadata: JsonValue): LifecycleRules | undefined {
  const rules = isObject(metadata) ? member(metadata, "lifecycle") : undefined;
  return isObject(rules) ? rules : undefined;
}

/** The rules that have the right form each. */
export function validRules(rules: LifecycleRules | undefined): LifecycleRules | undefined {
  if (rules === undefined) return undefined;
  const wrong = new Set(
    validator(lifecycleRules)(rules).map(({ path: at }) => splitPointer(at)[0] ?? ""),
  );
  return Object.fromEntries(Object.entries(rules).filter(([name]) => !wrong.has(name)));
}

/** Mistakes in rules that have the right form, for a document of this kind and name. */
export function ruleErrors(kind: Kind, name: string, rules: LifecycleRules): readonly FieldError[] {
  return [
    ...moveErrors(kind, name, rules),
    ...manageErrors(rules),
    ...(rules.ignore ?? []).flatMap((rule, index) => ignoreRuleErrors(kind, rule, index)),
  ];
}

function fieldError(path: string, summary: string, remedy: string): FieldError {
  return {
    code: "out-of-bounds",
    path: `/metadata/lifecycle/${path}`,
    inKey: false,
    summary,
    remedy,
  };
}

function moveErrors(
  kind: Kind,
  name: string,
  { movedFrom }: LifecycleRules,
): readonly FieldError[] {
  const from = movedFrom === undefined ? undefined : parseAddress(movedFrom);
  if (from === undefined) return [];
  if (from.kind !== kind.name) {
    const summary = `an object of kind ${from.kind} cannot become one of kind ${kind.name}`;
    return [fieldError("movedFrom", summary, `Name a former ${kind.name}.`)];
  }
  if (from.name !== name) return [];
  const summary = "the document is said to have moved from its own address";
  return [fieldError("movedFrom", summary, "Remove movedFrom.")];
}

function manageErrors({ manage }: LifecycleRules): readonly FieldError[] {
  if (manage === undefined || manage.includes("observe")) return [];
  return [fieldError("manage", "nothing can be managed without being observed", "Add observe.")];
}

function ignoreRuleErrors(
  kind: Kind,
  { path, expires }: IgnoreRule,
  index: number,
): readonly FieldError[] {
  const at = `ignore/${index}`;
  if (expires !== undefined && !isDate(expires)) {
    return [fieldError(`${at}/expires`, `there is no day ${expires}`, "Write YYYY-MM-DD.")];
  }
  const steps = splitPointer(path).slice(1);
  const schema = fieldAt(kind.spec, steps);
  const [field = ""] = steps;
  if (schema === undefined) {
    const meant = closestMatch(
      field,
      fieldsOf(kind).map((one) => one.name),
    );
    const guess = meant === undefined ? "" : `Did you mean /spec/${meant}? `;
    const summary = `${kind.name} has no field ${path}`;
    return [fieldError(`${at}/path`, summary, `${guess}\`svc explain ${kind.name}\` lists them.`)];
  }
  if (kind.key.includes(field)) {
    const summary = `${path} is what the object is known by, and cannot be ignored`;
    return [fieldError(`${at}/path`, summary, "Leave it out.")];
  }
  if (readability(schema) === "shown") return [];
  const summary = `the API does not show ${path}, so it cannot be left as it is`;
  return [
    fieldError(`${at}/path`, summary, "Leave the field out of spec: then it is not written."),
  ];
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The schema at these steps through members and maps; undefined where there is no such field, or it lies in a list. */
function fieldAt(schema: TSchema, [name, ...rest]: readonly string[]): TSchema | undefined {
  if (name === undefined) return schema;
  for (const variant of variants(schema)) {
    const inner = membersOf(variant).find((one) => one.name === name)?.schema ?? mapValues(variant);
    const found = inner && fieldAt(inner, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
