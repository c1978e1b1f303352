// The notifications that wait, and those that no attempt delivered: a file of the state folder, so that a restart loses none.
import path from "node:path";
import { type Static, Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import type { Clock } from "./clock.ts";
import type { ControllerConfig } from "./config.ts";
import { readStateFile, writeStateFile } from "./state-files.ts";

const letterSchema = Type.Object({
  id: Type.String(),
  target: Type.String(),
  type: Type.String(),
  source: Type.String(),
  time: Type.String(),
  body: Type.String(),
  /** Of the letters with the same subject, only the last is sent. */
  subject: Type.Optional(Type.String()),
  attempts: Type.Integer(),
  /** Why the last attempt failed. */
  error: Type.Optional(Type.String()),
  /** Whether the receiver refused it for good. */
  isFinal: Type.Optional(Type.Boolean()),
});
const outboxSchema = Type.Object({
  pending: Type.Array(letterSchema),
  dead: Type.Array(letterSchema),
});

declaredValidator(outboxSchema);

/** A notification to a target. */
export type Letter = Static<typeof letterSchema>;

/** A notification that could not be delivered. */
export type DeadLetter = Omit<Letter, "body">;

/** Why an attempt failed. */
export interface DeliveryFailure {
  readonly error: string;
  /** Whether no other attempt can succeed. */
  readonly isFinal?: boolean;
  /** How long the receiver asks to wait. */
  readonly waitMs?: number | undefined;
}

/** The notifications of a controller. */
export interface Outbox {
  /** Returns those that wait for a target, in order. */
  of(target: string): readonly Letter[];
  /** Replaces those with the same subject, also dead ones. Those that are too many are dead at once. */
  add(letters: readonly Letter[]): void;
  /** Records an attempt. Returns whether the letter is done: delivered, dead or replaced. */
  settle(letter: Letter, failure: DeliveryFailure | undefined): boolean;
  /** How many wait, and which no attempt delivered. */
  status(): { readonly pending: number; readonly dead: readonly DeadLetter[] };
}

/** Opens the outbox of a controller. Those for targets that its configuration no longer has are left out. */
export function openOutbox(
  { state, notify, statuses }: ControllerConfig,
  { clock, onFailed }: { readonly clock: Clock; readonly onFailed: (letter: DeadLetter) => void },
): Outbox {
  const file = path.join(state, "notifications.json");
  const targets = new Set([...notify, ...statuses].map(({ name }) => name));
  const saved = targets.size === 0 ? undefined : readStateFile(file, outboxSchema);
  let { pending, dead }: Static<typeof outboxSchema> = saved ?? { pending: [], dead: [] };
  pending = pending.filter(({ target }) => targets.has(target));
  const save = (): void => {
    const oldest = clock.now().getTime() - limits.notificationDeadMs;
    dead = dead.filter(({ time }) => Date.parse(time) > oldest).slice(-limits.notificationsDead);
    try {
      writeStateFile(file, { pending, dead });
    } catch {
      // They are sent all the same; only a restart would lose them.
    }
  };
  const bury = (letter: Letter): void => {
    dead = [...dead, letter];
    onFailed(withoutBody(letter));
  };
  return {
    of: (name) => pending.filter(({ target }) => target === name),
    add: (letters) => {
      const isKept = ({ target, subject }: DeadLetter): boolean =>
        subject === undefined ||
        letters.every((letter) => letter.target !== target || letter.subject !== subject);
      pending = pending.filter(isKept);
      dead = dead.filter(isKept);
      const room = Math.max(0, limits.notificationsPending - pending.length);
      pending = [...pending, ...letters.slice(0, room)];
      for (const letter of letters.slice(room)) bury({ ...letter, error: "too many wait" });
      save();
    },
    settle: (letter, failure) => {
      if (pending.every(({ id }) => id !== letter.id)) return true;
      const attempts = letter.attempts + 1;
      const { error, isFinal } = failure ?? {};
      const tried = { ...letter, attempts, ...(error && { error }), ...(isFinal && { isFinal }) };
      const isOver = attempts >= limits.notificationAttempts || failure?.isFinal === true;
      const isDead = failure !== undefined && isOver;
      const isDone = failure === undefined || isDead;
      pending = pending.flatMap((one) => (one.id !== letter.id ? [one] : isDone ? [] : [tried]));
      if (isDead) bury(tried);
      save();
      return isDone;
    },
    status: () => ({ pending: pending.length, dead: dead.map(withoutBody) }),
  };
}

function withoutBody({ body: _, ...letter }: Letter): DeadLetter {
  return letter;
}
