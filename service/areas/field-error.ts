// Refusals that are about one member of a request, told where they belong as those of the schemas are.
import { type ErrorCode, Failure, type FailureDetail } from "../../core/errors.ts";

/**
 * The failure for a member of the body, such as `recipients[2].email`. `errors` of its details names the member, so that
 * clients can point at what it came from.
 */
export function fieldError(
  member: string,
  [code, message]: readonly [ErrorCode, string],
  detail: FailureDetail = {},
): Failure {
  const errors = [{ path: `body.${member}`, message }];
  return new Failure(code, message, { ...detail, details: { ...detail.details, errors } });
}
