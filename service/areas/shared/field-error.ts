// Creates errors about one member of a request, in the form that schema validation uses.
import { type ErrorCode, Failure, type FailureDetail } from "../../../core/errors.ts";

/**
 * Returns the error for a member of the body, such as `recipients[2].email`. `details.errors` names the member so that
 * clients can point at its source.
 */
export function fieldError(
  member: string,
  [code, message]: readonly [ErrorCode, string],
  detail: FailureDetail = {},
): Failure {
  const errors = [{ path: `body.${member}`, message }];
  return new Failure(code, message, { ...detail, details: { ...detail.details, errors } });
}
