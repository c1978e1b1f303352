// A state that the server does not have.
import { isFailure } from "../../core/errors.ts";

/** Returns undefined if the object of a call does not exist. */
export async function undefinedIfMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFailure(error, "not_found")) return undefined;
    throw error;
  });
}
