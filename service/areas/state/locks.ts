// State locks: held under an id, until they are released or their lease expires by the service's clock.
import type { lockState } from "../../../api/state.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { fromJson, toTimestamp, toJson } from "../../store/codec.ts";
import { isDeadlineOver } from "../../store/deadlines.ts";
import type { Db, Row } from "../../store/schema.ts";

type State = Row<"states">;

/** The description that a client sends with a lock request. */
export type LockRequest = RequestOf<typeof lockState>["body"];

/** Converts a lock to the API form. */
export interface Lock {
  readonly ID: string;
  readonly leaseUntil?: string;
}

/** Returns the lock that is held at `now`, if any. */
export function activeLock(state: State | undefined, now: Date): Lock | undefined {
  if (state?.lock_id == null) return undefined;
  const { lock_until: until } = state;
  const longestMs = limits.stateLeaseSeconds * 1000;
  const isOver = until !== null && isDeadlineOver(until, { now, longestMs });
  return isOver ? undefined : toLock(state, state.lock_id);
}

function toLock({ lock_info, lock_until: until }: State, id: string): Lock {
  const info = lock_info === null ? {} : (fromJson(lock_info) as JsonObject);
  return { ...info, ID: id, ...(until !== null && { leaseUntil: until }) };
}

/**
 * Throws `locked` if another client holds the lock, and `conflict` if the lock `id` is gone. An expired lease still
 * permits a write if no one has taken the lock since: check and write share one transaction.
 */
export function requireLock(state: State | undefined, id: string | undefined, now: Date): void {
  if (id !== undefined && id !== "" && state?.lock_id === id) return;
  const held = activeLock(state, now);
  if (held !== undefined) throw lockedError(held);
  if (id === undefined || id === "") return;
  throw new Failure(
    "conflict",
    "this lock was released or taken by another client, so nothing was written",
    {
      remedy: "Read the state again, and check who released the lock.",
    },
  );
}

/** Takes or renews the lock of `state`. Returns the lock that is held afterwards. */
export async function acquireLock(
  db: Db,
  state: State,
  { request, now }: { readonly request: LockRequest; readonly now: Date },
): Promise<Lock> {
  const { leaseSeconds, renew = false, ...info } = request;
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
 * Releases the lock. Throws `not_found` if no lock is held and `locked` if another one is. Terraform's `force-unlock`
 * sends no id; without an id only a lock without a lease is released, because a lease ends by itself.
 */
export function requireLockId(
  state: State | undefined,
  id: string | undefined,
  now: Date,
): asserts state {
  const held = activeLock(state, now);
  if (id === undefined ? held && held.leaseUntil === undefined : state?.lock_id === id) return;
  if (held !== undefined) throw lockedError(held);
  throw new Failure("not_found", "there is no such lock");
}

function lockedError(held: Lock): Failure {
  return new Failure("locked", `the state is locked; the lock's id is ${held.ID}`, {
    details: { ...held },
  });
}
