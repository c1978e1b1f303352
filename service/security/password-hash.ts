// Hashes passwords with Argon2id, with limited concurrency.
import { hash, verify } from "@node-rs/argon2";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { Semaphore } from "../store/semaphore.ts";

const turns = new Semaphore(limits.passwordHashes);

/** Hashes a password in the PHC format. Throws `unavailable` if too many others wait. */
export function hashPassword(password: string): Promise<string> {
  // The defaults of the library are OWASP's: Argon2id with 19 MiB, 2 passes and 1 lane.
  return inTurn(() => hash(password));
}

/** Returns whether a password matches a hash. Throws `unavailable` if too many others wait. */
export function isPasswordOf(passwordHash: string, password: string): Promise<boolean> {
  return inTurn(() => verify(passwordHash, password));
}

let unknownHash: Promise<string> | undefined;

/** Takes as long as {@link isPasswordOf}, so that the time does not show whether a user exists. */
export async function checkNoPassword(password: string): Promise<false> {
  unknownHash ??= hashPassword("a password that no user has");
  await isPasswordOf(await unknownHash, password);
  return false;
}

/** Throws `invalid` for a password that is too short, too long, or contains the name of its user. */
export function requireStrongPassword(password: string, username: string): void {
  const { passwordMin, passwordMax } = limits;
  const characters = password.length;
  if (characters < passwordMin || characters > passwordMax) {
    const text = `a password has ${passwordMin} to ${passwordMax} characters; this one has ${characters}`;
    throw new Failure("invalid", text);
  }
  if (username.length > 2 && password.toLowerCase().includes(username.toLowerCase())) {
    throw new Failure("invalid", "the password contains the username; choose another one");
  }
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  await turns.acquire(limits.passwordWaitMs);
  try {
    return await work();
  } finally {
    turns.release();
  }
}
