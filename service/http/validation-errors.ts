// Turns validation errors into messages: position, problem and fix. Values are never repeated, because they may be
// secret.
import type { ErrorObject } from "ajv/dist/2020.js";
import { limits } from "../../core/limits.ts";
import { closestMatch } from "../../core/naming.ts";
import { describePattern } from "../../core/text-patterns.ts";

/** One error in a request. */
export interface ValidationError {
  /** Such as `body.groups[2].name`. */
  readonly path: string;
  /** The requirement, with the fix if there is one. */
  readonly message: string;
}

/** Returns the errors of one part of a request, up to the limit. */
export function validationErrors(
  part: string,
  errors: readonly ErrorObject[],
): readonly ValidationError[] {
  const found = new Map<string, ValidationError>();
  for (const error of collapseUnionErrors(errors)) {
    const complaint = { path: pathOf(part, error), message: messageOf(error) };
    found.set(`${complaint.path} ${complaint.message}`, complaint);
  }
  return [...found.values()].slice(0, limits.diagnosticsShown);
}

/**
 * A value that matches no branch of a union has errors for each branch. Prefer the errors of the branch with the
 * value's type. If no branch has that type, report one error that lists all types.
 */
function collapseUnionErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept = errors;
  for (const choice of errors.filter(({ keyword }) => keyword === "anyOf")) {
    const isBranch = ({ schemaPath }: ErrorObject): boolean =>
      schemaPath.startsWith(`${choice.schemaPath}/`);
    const here = ({ keyword, instancePath }: ErrorObject): boolean =>
      keyword === "type" && instancePath === choice.instancePath;
    const branches = kept.filter((error) => isBranch(error) && isWithin(error, choice));
    const helpful = branches.filter((error) => !here(error));
    const types = branches.filter(here).map(({ params }) => String(params["type"]));
    const rest = kept.filter((error) => error !== choice && !branches.includes(error));
    kept =
      helpful.length > 0
        ? [...rest, ...helpful]
        : [...rest, { ...choice, keyword: "type", params: { type: [...new Set(types)] } }];
  }
  return kept;
}

function isWithin({ instancePath }: ErrorObject, choice: ErrorObject): boolean {
  return instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`);
}

function pathOf(part: string, { instancePath, keyword, params }: ErrorObject): string {
  const steps = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "required") steps.push(String(params["missingProperty"]));
  if (keyword === "additionalProperties") steps.push(String(params["additionalProperty"]));
  return steps.reduce((path, step) => path + formatPathStep(step), part);
}

function formatPathStep(step: string): string {
  if (/^[0-9]+$/.test(step)) return `[${step}]`;
  return /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 80))}]`;
}

function messageOf(error: ErrorObject): string {
  const { keyword, params } = error;
  const limit = String(params["limit"]);
  switch (keyword) {
    case "required":
      return "is missing; give it";
    case "additionalProperties":
      return unknownMember(error);
    case "type":
      return `must be ${[params["type"]].flat().map(typeName).join(" or ")}, not ${typeOf(error.data)}`;
    case "enum":
      return `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`;
    case "minLength":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters; shorten it`;
    case "minItems":
      return `must have at least ${limit} items`;
    case "maxItems":
      return `must have at most ${limit} items; split it over several requests`;
    case "pattern":
      return describePattern(String(params["pattern"]));
    case "format":
      return params["format"] === "iri"
        ? "must be an absolute address such as https://example.com/"
        : `must be a valid ${String(params["format"])}`;
    default:
      return error.message ?? "is not valid";
  }
}

function unknownMember({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys(
    (parentSchema as { properties?: object } | undefined)?.properties ?? {},
  );
  const meant = closestMatch(String(params["additionalProperty"]).slice(0, 80), known);
  return meant === undefined
    ? "is not known here; remove it"
    : `is not known here; did you mean ${meant}?`;
}

function typeName(type: unknown): string {
  return type === "null" ? "null" : `${/^[aio]/.test(String(type)) ? "an" : "a"} ${String(type)}`;
}

function typeOf(value: unknown): string {
  if (value === undefined) return "that";
  if (value === null) return "null";
  return typeName(Array.isArray(value) ? "array" : typeof value);
}
