// The notifications that wait, and those that no attempt delivered: a document of the state, so that a restart loses none.
import pLimit from "p-limit";
import { type Static, Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import type { Clock } from "./clock.ts";
import type { ControllerConfig } from "./config.ts";
import { controllerDocuments } from "./state-store.ts";

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

const outboxDocument = { name: "notifications", schema: outboxSchema } as const;

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
  of(target: string): Promise<readonly Letter[]>;
  /**
   * Replaces those with the same subject, also dead ones. Those that are too many are dead at once. Those that are there already
   * stay: a database may have saved what it did not confirm.
   */
  add(letters: readonly Letter[]): Promise<void>;
  /** Records an attempt. Returns whether the letter is done: delivered, dead or replaced. */
  settle(letter: Letter, failure: DeliveryFailure | undefined): Promise<boolean>;
  /** How many wait, and which no attempt delivered. */
  status(): Promise<{ readonly pending: number; readonly dead: readonly DeadLetter[] }>;
}

type Letters = Static<typeof outboxSchema>;

type OutboxConfig = Pick<ControllerConfig, "store" | "notify" | "statuses">;

/** Opens the outbox of a controller. Those for targets that its configuration no longer has are left out. */
export function openOutbox(
  config: OutboxConfig,
  { clock, onFailed }: { readonly clock: Clock; readonly onFailed: (letter: DeadLetter) => void },
): Outbox {
  const { read, save } = openLetters(config, clock);
  return {
    of: async (name) => (await read()).pending.filter(({ target }) => target === name),
    add: async (letters) => {
      let buried: readonly Letter[] = [];
      await save((all) => {
        const saved = new Set([...all.pending, ...all.dead].map(({ id }) => id));
        const added = letters.filter(({ id }) => !saved.has(id));
        const isKept = ({ target, subject }: DeadLetter): boolean =>
          subject === undefined ||
          added.every((letter) => letter.target !== target || letter.subject !== subject);
        const pending = all.pending.filter(isKept);
        const room = Math.max(0, limits.notificationsPending - pending.length);
        buried = added.slice(room).map((letter) => ({ ...letter, error: "too many wait" }));
        return {
          pending: [...pending, ...added.slice(0, room)],
          dead: [...all.dead.filter(isKept), ...buried],
        };
      });
      for (const letter of buried) onFailed(withoutBody(letter));
    },
    settle: async (letter, failure) => {
      const attempts = letter.attempts + 1;
      const { error, isFinal } = failure ?? {};
      const tried = { ...letter, attempts, ...(error && { error }), ...(isFinal && { isFinal }) };
      const isOver = attempts >= limits.notificationAttempts || failure?.isFinal === true;
      const isDead = failure !== undefined && isOver;
      const isDone = failure === undefined || isDead;
      let isReplaced = false;
      await save(({ pending, dead }) => {
        isReplaced = pending.every(({ id }) => id !== letter.id);
        if (isReplaced) return { pending, dead };
        return {
          pending: pending.flatMap((one) => (one.id !== letter.id ? [one] : isDone ? [] : [tried])),
          dead: isDead ? [...dead, tried] : dead,
        };
      });
      if (isDead && !isReplaced) onFailed(withoutBody(tried));
      return isDone || isReplaced;
    },
    status: async () => {
      const { pending, dead } = await read();
      return { pending: pending.length, dead: dead.map(withoutBody) };
    },
  };
}

/** Reads and saves the letters. What cannot be saved counts all the same; only a restart would lose it. */
function openLetters(config: OutboxConfig, clock: Clock) {
  const documents = controllerDocuments(config);
  const targets = new Set([...config.notify, ...config.statuses].map(({ name }) => name));
  let last: Letters = { pending: [], dead: [] };
  /** The changes that could not be saved. */
  let unsaved: ((letters: Letters) => Letters)[] = [];
  const after = (saved: Letters | undefined, changes: typeof unsaved): Letters => {
    const pending = saved?.pending.filter(({ target }) => targets.has(target)) ?? [];
    const letters = changes.reduce((all, change) => change(all), {
      pending,
      dead: saved?.dead ?? [],
    });
    const oldest = clock.now().getTime() - limits.notificationDeadMs;
    const dead = letters.dead.filter(({ time }) => Date.parse(time) > oldest);
    return { pending: letters.pending, dead: dead.slice(-limits.notificationsDead) };
  };
  const load = async (): Promise<Letters> => {
    if (targets.size === 0 || unsaved.length > 0) return last;
    try {
      last = after(await documents.read(outboxDocument), []);
    } catch {
      // What is in memory counts until it can be read again.
    }
    return last;
  };
  const store = async (change: (letters: Letters) => Letters): Promise<void> => {
    const changes = [...unsaved, change];
    try {
      await documents.change(outboxDocument, (saved) => (last = after(saved, changes)));
      unsaved = [];
    } catch {
      last = after(last, [change]);
      unsaved = changes.slice(-limits.notificationsPending);
    }
  };
  // One after the other: each needs what the one before left unsaved.
  const oneAtATime = pLimit(1);
  return {
    read: () => oneAtATime(load),
    save: (change: (letters: Letters) => Letters) => oneAtATime(store, change),
  };
}

function withoutBody({ body: _, ...letter }: Letter): DeadLetter {
  return letter;
}
