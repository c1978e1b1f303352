// Expects a failure with a code.
import { expect } from "vitest";
import { type ErrorCode, Failure } from "../../core/errors.ts";
import { failureOf } from "./stub-server.ts";

/** Returns the failure of a call. The test fails if the call succeeds, or fails with another code. */
export async function expectFailure(act: Promise<unknown>, code: ErrorCode): Promise<Failure> {
  const failure = await failureOf(act);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code });
  return failure;
}
