// Builds the messages about locks and leases, for every store.
import { Failure, isFailure } from "../../core/errors.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { LockInfo } from "./store.ts";

/** The inventory in a message. */
export interface InventoryLabel {
  /** As messages name it. */
  readonly location: string;
  /** The stack's folder as commands in messages name it; left out if it is the current one. */
  readonly displayPath?: string | undefined;
}

function unlockCommand(label: InventoryLabel, ...words: readonly string[]): string {
  return stackCommand({ displayPath: label.displayPath }, "inventory", "unlock", ...words);
}

function detailsOf({ location: path }: InventoryLabel, info: LockInfo) {
  const { id, holder, purpose, acquiredAt, expiresAt } = info;
  return { path, id, holder, purpose, acquiredAt, expiresAt };
}

/** Returns the failure for a lock that is held: the holder, since when, until when, and how to break it. */
export function lockedError(
  label: InventoryLabel,
  info: LockInfo | undefined,
  ...words: readonly string[]
): Failure {
  const { location } = label;
  if (info === undefined) {
    return new Failure("locked", `other runs keep taking the lock on ${location}`, {
      details: { path: location },
      remedy: "Try again.",
    });
  }
  const { id, holder, purpose, acquiredAt, expiresAt } = info;
  return new Failure(
    "locked",
    `${holder} holds the lock on ${location} (${purpose}) since ${acquiredAt}, until ${expiresAt} unless it is renewed`,
    {
      details: detailsOf(label, info),
      remedy: `Wait until it ends. If you are sure that it no longer runs: ${unlockCommand(label, id, ...words)}`,
    },
  );
}

/** Returns the failure for a lock `id` that is no longer held. */
export function lockLostError(
  { location }: InventoryLabel,
  id: string,
  by: LockInfo | undefined,
): Failure {
  const who = by && by.id !== id ? `; now ${by.holder} holds it (${by.purpose})` : "";
  return new Failure("locked", `the lock on ${location} was lost${who}`, {
    details: { path: location, id },
    remedy: "Run the command again: it continues from the journal.",
  });
}

/** Returns the failure for a lock that cannot be released: until when it is held, why, and how to break it. */
export function lockKeptError(
  label: InventoryLabel,
  { id, expiresAt }: LockInfo,
  cause: unknown,
): unknown {
  if (!isFailure(cause)) return cause;
  const { location } = label;
  const reason = cause.message.replace(/\.$/u, "");
  const message = `the lock on ${location} could not be released and is held until ${expiresAt}: ${reason}`;
  return new Failure(cause.code, message, {
    cause,
    details: { path: location, id, expiresAt },
    remedy: `To release it now: ${unlockCommand(label, id)}`,
  });
}

/** Returns the failure for an unlock that names another lock: `refused`, or `not_found` if none is held. */
export function wrongLockError(
  label: InventoryLabel,
  id: string,
  current: LockInfo | undefined,
): Failure {
  const { location } = label;
  if (current === undefined || current.id === id)
    return new Failure("not_found", `no lock with the id ${id} is held on ${location}`);
  const { holder, purpose } = current;
  return new Failure(
    "refused",
    `another lock is held on ${location}: ${current.id}, by ${holder} (${purpose})`,
    {
      details: detailsOf(label, current),
      remedy: `If that is the one you mean: ${unlockCommand(label, current.id)}`,
    },
  );
}
