// Turns errors of the file system into failures that name the inventory and have a remedy.
import { Failure } from "../../core/errors.ts";
import { codeOf, isPermissionError, systemErrorText } from "../../core/system/system-error.ts";

/** Runs `act` and turns file system errors into failures that name the inventory. */
export async function withDiskErrors<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeDiskError(path, error);
  }
}

function describeDiskError(path: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !("syscall" in error)) return error;
  const code = codeOf(error);
  const isForbidden = isPermissionError(error);
  const message = `the inventory ${path} cannot be used: ${systemErrorText(error)}`;
  return new Failure(isForbidden ? "forbidden" : "unavailable", message, {
    cause: error,
    details: { path, code },
    remedy: isForbidden
      ? "Give the user that runs this the right to read and write the file and its folder."
      : "Check that the folder exists, is a folder, and that its disk is not full.",
  });
}
