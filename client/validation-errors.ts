// What a refusal says of single members of a request. It comes from outside, so it is bounded and only what is well formed is taken.
import { isObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { joinPointer } from "../core/pointer.ts";
import { sanitize } from "./sanitize.ts";

/** What is wrong with one member of a request; `path` is a JSON Pointer from its part: `/body/groups/2/name`. */
export type MemberValidationError = { readonly path: string; readonly message: string };

/** The complaints of an error body, in `details.errors` or `errors`; none where it holds no list of them. `secrets` are never repeated. */
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
    const said = error["message"];
    if (steps === undefined || typeof said !== "string" || said === "") return [];
    const safe = steps.map((step) => sanitize(step, secrets));
    return [{ path: joinPointer(safe), message: sanitize(said, secrets) }];
  });
}

/** The steps of `body.groups[2].name`, `body["a.b"]` or `/body/groups/2/name`; undefined for anything else. */
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
