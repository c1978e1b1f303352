// Builds the messages about locks and leases, for every store.
import { Failure, isFailure } from "../../core/errors.ts";
import { isRunning } from "../operator/lock-process.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { LockInfo } from "./store.ts";

/** The inventory in a message. */
export interface InventoryLabel {
  /** As messages name it. */
  readonly location: string;
  /** The stack's folder as commands in messages name it; left out if it is the current one. */
  readonly displayPath?: string | undefined;
}

/** Returns the failure for a lock that is held: the holder, since when, until when, and how to break it. */
export function lockedError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  info: LockInfo | undefined,
): Failure {
  if (!info) {
    return new Failure("locked", `other runs keep taking the lock on ${where}`, {
      details: { path: where },
      remedy: "Try again.",
    });
  }
  const { id, holder, purpose, acquiredAt, expiresAt } = info;
  return new Failure(
    "locked",
    `${holder} holds the lock on ${where} (${purpose}) since ${acquiredAt}, until ${expiresAt} unless it is renewed`,
    {
      details: { path: where, id, holder, purpose, acquiredAt, expiresAt },
      remedy: `Wait until it ends. If you are sure that it no longer runs: ${stackCommand({ displayPath: seenAt }, "inventory", "unlock", id)}`,
    },
  );
}

/** Returns the failure for a lock `id` that is no longer held. */
export function lockLostError(
  { location: where }: InventoryLabel,
  id: string,
  by: LockInfo | undefined,
): Failure {
  const who = by && by.id !== id ? `; now ${by.holder} holds it (${by.purpose})` : "";
  return new Failure("locked", `the lock on ${where} was lost${who}`, {
    details: { path: where, id },
    remedy: "Run the command again: it continues from the journal.",
  });
}

/** Returns the failure for a lock that cannot be released: until when it is held, why, and how to break it. */
export function lockKeptError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  { id, expiresAt }: LockInfo,
  cause: unknown,
): unknown {
  if (!isFailure(cause)) return cause;
  const reason = cause.message.replace(/\.$/u, "");
  const message = `the lock on ${where} could not be released and is held until ${expiresAt}: ${reason}`;
  return new Failure(cause.code, message, {
    cause,
    details: { path: where, id, expiresAt },
    remedy: `To release it now: ${stackCommand({ displayPath: seenAt }, "inventory", "unlock", id)}`,
  });
}

/** Returns the failure for an unlock without force of a lock whose holder runs, or may run on another machine. */
export function liveLockError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  info: LockInfo,
): Failure {
  const { id, holder, purpose, acquiredAt, expiresAt } = info;
  const by = `${holder} (${purpose}) since ${acquiredAt}`;
  const known =
    info.process !== undefined && isRunning(info.process)
      ? `The process that holds the lock on ${where} is running: ${by}.`
      : `The lock on ${where} is held until ${expiresAt} unless it is renewed: ${by}. Whether that run has ended cannot be seen from here.`;
  return new Failure("locked", `${known} Two concurrent runs overwrite each other's changes.`, {
    details: { path: where, id, holder, purpose, acquiredAt, expiresAt },
    remedy: `Wait until the run ends, or stop it. If it cannot write anymore: ${stackCommand({ displayPath: seenAt }, "inventory", "unlock", id, "--yes")}`,
  });
}

/** Returns the failure for an unlock that names another lock: `refused`, or `not_found` if none is held. */
export function wrongLockError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  id: string,
  current: LockInfo | undefined,
): Failure {
  if (current === undefined || current.id === id) {
    return new Failure("not_found", `no lock with the id ${id} is held on ${where}`);
  }
  return new Failure(
    "refused",
    `another lock is held on ${where}: ${current.id}, by ${current.holder} (${current.purpose})`,
    {
      details: { ...current },
      remedy: `If that is the one you mean: ${stackCommand({ displayPath: seenAt }, "inventory", "unlock", current.id)}`,
    },
  );
}
