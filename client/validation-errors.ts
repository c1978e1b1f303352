// Reads validation errors of request members from an error response. Ignores malformed entries and limits their number.
import { isObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { joinPointer } from "../core/pointer.ts";
import { sanitize } from "./sanitize.ts";

/** A validation error of one request member. `path` is a JSON Pointer that starts with the request part: `/body/groups/2/name`. */
export type MemberValidationError = { readonly path: string; readonly message: string };

/** Returns the validation errors of an error body, in `details.errors` or `errors`. Masks `secrets`. */
export function validationErrorsIn(
  body: JsonValue | undefined,
  secrets: readonly string[],
): readonly MemberValidationError[] {
  if (!isObject(body)) return [];
  const { details, errors = isObject(details) ? details["errors"] : undefined } = body;
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, limits.validationErrors).flatMap((error: JsonValue) => {
    if (!isObject(error)) return [];
    const steps = segmentsOf(error["path"]);
    const message = error["message"];
    if (steps === undefined || typeof message !== "string" || message === "") return [];
    const safe = steps.map((step) => sanitize(step, secrets));
    return [{ path: joinPointer(safe), message: sanitize(message, secrets) }];
  });
}

/** Parses `body.groups[2].name`, `body["a.b"]` or `/body/groups/2/name` into steps; undefined for other formats. */
function segmentsOf(path: JsonValue | undefined): readonly string[] | undefined {
  if (typeof path !== "string" || path === "" || path.length > limits.validationErrorPathCharacters)
    return;
  const steps: string[] = [];
  let rest = path.startsWith("/") ? path : `.${path}`;
  while (rest !== "") {
    const [whole, pointed, dotted, index, quoted] =
      /^(?:\/([^/]*)|\.([^.[\]"/]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/u.exec(rest) ?? [];
    const step = pointed ?? dotted ?? index ?? unquoted(quoted);
    if (whole === undefined || step === undefined || steps.length >= limits.depth) return;
    steps.push(pointed === undefined ? step : step.replaceAll("~1", "/").replaceAll("~0", "~"));
    rest = rest.slice(whole.length);
  }
  return steps;
}

function unquoted(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as string);
  } catch {
    return undefined;
  }
}
