// Errors of the SCIM protocol: expected failures with the detail codes of RFC 7644, section 3.12.
import { Failure } from "../../core/errors.ts";

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
  const { scimType: named = code === "conflict" ? "uniqueness" : null } = details ?? {};
  const scimType = typeof named === "string" ? named : undefined;
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  };
}
