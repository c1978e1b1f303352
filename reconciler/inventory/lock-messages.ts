// What is said of locks and leases, alike for every place where inventories are kept.
import { Failure } from "../../core/errors.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { LockInfo } from "./store.ts";

/** Which inventory a message is about. */
export interface InventoryLabel {
  /** As messages name it. */
  readonly location: string;
  /** The stack's folder as commands in messages name it; left out where it is the current one. */
  readonly displayPath?: string | undefined;
}

/** The failure of one who meets a lock: who holds it, since when, until when, and how it can be broken. */
export function lockedError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  info: LockInfo | undefined,
): Failure {
  if (!info) {
    return new Failure("locked", `Others keep taking the lock on ${where}.`, {
      details: { path: where },
      remedy: "Try again.",
    });
  }
  const { id, holder, purpose, acquiredAt, expiresAt } = info;
  return new Failure(
    "locked",
    `${holder} holds the lock on ${where} (${purpose}) since ${acquiredAt}, until ${expiresAt} unless it is renewed.`,
    {
      details: { path: where, id, holder, purpose, acquiredAt, expiresAt },
      remedy: `Wait until it ends, or if you are sure that it no longer runs: ${stackCommand({ displayPath: seenAt }, "unlock", id)}`,
    },
  );
}

/** The failure of one whose lock `id` is another's now, or nobody's. */
export function lockLostError(
  { location: where }: InventoryLabel,
  id: string,
  by: LockInfo | undefined,
): Failure {
  const who = by && by.id !== id ? `; now ${by.holder} holds it (${by.purpose})` : "";
  return new Failure("locked", `The lock on ${where} was lost${who}.`, {
    details: { path: where, id },
    remedy: "Run it again: what was begun is in the journal, and the next run goes on from there.",
  });
}

/** Fails with `refused` where another lock is held than the one with this id, `not_found` where none is. */
export function wrongLockError(
  { location: where, displayPath: seenAt }: InventoryLabel,
  id: string,
  current: LockInfo | undefined,
): Failure {
  if (current === undefined || current.id === id) {
    return new Failure("not_found", `No lock with the id ${id} is held on ${where}.`);
  }
  return new Failure(
    "refused",
    `Another lock is held on ${where}: ${current.id}, by ${current.holder} (${current.purpose}).`,
    {
      details: { ...current },
      remedy: `If that is the one you mean: ${stackCommand({ displayPath: seenAt }, "unlock", current.id)}`,
    },
  );
}
