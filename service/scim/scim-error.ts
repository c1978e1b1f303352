// Errors of the SCIM protocol: expected failures with the detail codes of RFC 7644, section 3.12.
import { Failure, isFailure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";

/** The detail codes of responses with status 400 that this service returns. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** Returns the error for a request that cannot be executed: status 400. */
export function scimError(scimType: ScimType, message: string): Failure {
  return new Failure("invalid", message, { details: { scimType } });
}

/** Returns the failure of an operation, with a detail code if it refused a value without one. */
export function valueFailure(error: unknown): unknown {
  if (!isFailure(error, "invalid") || error.details?.["scimType"] !== undefined) return error;
  const details = { ...error.details, scimType: "invalidValue" };
  return new Failure("invalid", error.message, { details, cause: error });
}

/** Body of an error response (RFC 7644, section 3.12). */
export interface ScimErrorBody {
  readonly schemas: readonly string[];
  /** The HTTP status as text. */
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

/** Returns the body of the error response for a failure with a status. */
export function scimErrorBody(
  status: number,
  { code, message, details }: Pick<Failure, "code" | "message" | "details">,
): ScimErrorBody {
  const { scimType: named = usualType(code, details) } = details ?? {};
  const scimType = typeof named === "string" ? named : undefined;
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  };
}

/** Returns the default detail code of a failure; null if its status has none. */
function usualType(
  code: Failure["code"],
  details: Failure["details"],
): "uniqueness" | ScimType | null {
  if (code === "conflict") return "uniqueness";
  if (code !== "invalid") return null;
  const { errors } = details ?? {};
  const paths = (Array.isArray(errors) ? (errors as readonly JsonValue[]) : []).flatMap((one) =>
    isObject(one) && typeof one["path"] === "string" ? [one["path"]] : [],
  );
  // A parameter has a wrong value; any other input is not a message of the protocol.
  const isParameter = paths.length > 0 && !paths.some((path) => /^body\b/.test(path));
  return isParameter ? "invalidValue" : "invalidSyntax";
}
