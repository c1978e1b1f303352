// Who may write a state: a lock is held under an id, for a lease or until it is given back, by the service's own clock.
import type { lockState } from "../../../api/state.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { fromJson, toTimestamp, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";

type State = Row<"states">;

/** What somebody says who wants a lock. */
export type LockRequest = RequestOf<typeof lockState>["body"];

/** A lock as the API shows it. */
export interface Lock {
  readonly ID: string;
  readonly leaseUntil?: string;
}

/** The lock that is held at a moment, if one is. */
export function activeLock(state: State | undefined, now: Date): Lock | undefined {
  if (state?.lock_id == null) return undefined;
  const { lock_until: until } = state;
  return until === null || until > toTimestamp(now) ? toLock(state, state.lock_id) : undefined;
}

function toLock({ lock_info, lock_until: until }: State, id: string): Lock {
  const info = lock_info === null ? {} : (fromJson(lock_info) as JsonObject);
  return { ...info, ID: id, ...(until !== null && { leaseUntil: until }) };
}

/**
 * Fails with `locked` while somebody else holds the lock, and with `conflict` where the one that `id` names is gone. A lease
 * that is over is still good for a write as long as nobody has taken the lock since: both are one transaction.
 */
export function requireLock(state: State | undefined, id: string | undefined, now: Date): void {
  if (id !== undefined && id !== "" && state?.lock_id === id) return;
  const held = activeLock(state, now);
  if (held !== undefined) throw lockedError(held);
  if (id === undefined || id === "") return;
  throw new Failure("conflict", "this lock is not held any more, so nothing was written", {
    remedy: "Read the state again, and find out who has broken the lock.",
  });
}

/** Takes or prolongs the lock of `state`; answers what is held from then on. */
export async function acquireLock(
  db: Db,
  state: State,
  { wish, now }: { readonly wish: LockRequest; readonly now: Date },
): Promise<Lock> {
  const { leaseSeconds, renew = false, ...info } = wish;
  if (renew && state.lock_id !== info.ID) requireLock(state, info.ID, now);
  const held = activeLock(state, now);
  if (held !== undefined && held.ID !== info.ID) throw lockedError(held);
  const until =
    leaseSeconds === undefined ? null : toTimestamp(now.getTime() + leaseSeconds * 1000);
  const lock = { lock_id: info.ID, lock_info: toJson(info), lock_until: until };
  await db.updateTable("states").set(lock).where("id", "=", state.id).execute();
  return toLock({ ...state, ...lock }, info.ID);
}

/**
 * Fails with `not_found` where no lock is held, `locked` where another one is. Terraform's `force-unlock` tells no id: what has
 * a lease ends by itself, so only what has none is broken like that.
 */
export function requireLockId(
  state: State | undefined,
  id: string | undefined,
  now: Date,
): asserts state {
  const held = activeLock(state, now);
  if (id === undefined ? held && held.leaseUntil === undefined : state?.lock_id === id) return;
  if (held !== undefined) throw lockedError(held);
  throw new Failure("not_found", "no such lock is held");
}

function lockedError(held: Lock): Failure {
  return new Failure("locked", `the state is locked; the lock's id is ${held.ID}`, {
    details: { ...held },
  });
}
