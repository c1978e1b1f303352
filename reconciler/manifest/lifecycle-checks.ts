// Checks of `metadata.lifecycle` that JSON Schema cannot express.
import type { TSchema } from "typebox";
import { fieldsOf, membersOf, readability } from "../../core/kind/fields.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import {
  type IgnoreRule,
  lifecycleRules,
  type LifecycleRules,
} from "../../core/kind/lifecycle-rules.ts";
import { didYouMean, sentences, withArticle } from "../../core/text/naming.ts";
import { splitPointer } from "../../core/pointer.ts";
import { mapValues, member, variants } from "../../core/schema/schema.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { FieldError } from "./field-errors.ts";

const validateRules = declaredValidator(lifecycleRules);

/** Returns the lifecycle rules in the metadata of a document, valid or not. */
export function rulesIn(metadata: JsonValue): LifecycleRules | undefined {
  const rules = isObject(metadata) ? member(metadata, "lifecycle") : undefined;
  return isObject(rules) ? rules : undefined;
}

/** Returns the well-formed rules. */
export function validRules(rules: LifecycleRules | undefined): LifecycleRules | undefined {
  if (rules === undefined) return undefined;
  const invalid = new Set(
    validateRules(rules).map(({ path: pointer }) => splitPointer(pointer)[0] ?? ""),
  );
  return Object.fromEntries(Object.entries(rules).filter(([name]) => !invalid.has(name)));
}

/** Returns the errors of well-formed rules, for a document of this kind and name. */
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
  const source = movedFrom === undefined ? undefined : parseAddress(movedFrom);
  if (source === undefined) return [];
  if (source.kind !== kind.name) {
    const summary = `${withArticle(source.kind)} cannot become ${withArticle(kind.name)}`;
    return [
      fieldError(
        "movedFrom",
        summary,
        `Set movedFrom to the former address of ${withArticle(kind.name)}.`,
      ),
    ];
  }
  if (source.name !== name) return [];
  const summary = "movedFrom is the document's own address";
  return [fieldError("movedFrom", summary, "Remove movedFrom.")];
}

/** Returns the error of a `manage` rule that does not allow observing. */
export function manageErrors({ manage }: LifecycleRules): readonly FieldError[] {
  if (manage === undefined || manage.includes("observe")) return [];
  return [fieldError("manage", "manage must include observe", "Add observe.")];
}

function ignoreRuleErrors(
  kind: Kind,
  { path, expires }: IgnoreRule,
  index: number,
): readonly FieldError[] {
  const rulePath = `ignore/${index}`;
  if (expires !== undefined && !isDate(expires)) {
    return [fieldError(`${rulePath}/expires`, `${expires} is not a date`, "Write YYYY-MM-DD.")];
  }
  const steps = splitPointer(path).slice(1);
  const schema = fieldAt(kind.spec, steps);
  const [field = ""] = steps;
  if (schema === undefined) {
    const names = fieldsOf(kind).map(({ name }) => name);
    const remedy = sentences(
      didYouMean(field, names, (name) => `/spec/${name}`),
      `\`svc explain ${kind.name}\` lists them.`,
    );
    return [fieldError(`${rulePath}/path`, `${kind.name} has no field ${path}`, remedy)];
  }
  if (kind.key.includes(field)) {
    const summary = `${path} identifies the object and cannot be ignored`;
    return [fieldError(`${rulePath}/path`, summary, "Remove the rule.")];
  }
  if (readability(schema) === "shown") return [];
  const summary = `the API does not return ${path}, so it cannot be ignored`;
  return [
    fieldError(`${rulePath}/path`, summary, "Omit the field in spec; then it is not written."),
  ];
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns the schema at these steps through members and maps. Undefined for an unknown field, or one inside a list. */
function fieldAt(schema: TSchema, [name, ...rest]: readonly string[]): TSchema | undefined {
  if (name === undefined) return schema;
  for (const variant of variants(schema)) {
    const inner =
      membersOf(variant).find((field) => field.name === name)?.schema ?? mapValues(variant);
    const inside = inner && fieldAt(inner, rest);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
