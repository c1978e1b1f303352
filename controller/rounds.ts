// The reconciliations that run: what each waits for, and since when. One that takes a while is a document of the state, so that
// also other processes see it.
import { type Static, Type } from "typebox";
import { isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { hostOf } from "../git/host-queue.ts";
import type { RoundInfo } from "./api-types.ts";
import type { Clock } from "./clock.ts";
import type { Documents } from "./state-store.ts";

const roundSchema = Type.Object({
  since: Type.String(),
  phase: Type.Enum(["fetch", "queue", "load", "plan", "check", "apply", "verify", "health"]),
  host: Type.Optional(Type.String()),
  /** When the process that reconciles wrote it last. */
  seen: Type.String(),
});

declaredValidator(roundSchema);

/** Written every ten seconds for each source that waits for its turn, of which there may be a thousand. */
export const roundDocument = { name: "round", schema: roundSchema, isDurable: false } as const;

/** A reconciliation that runs. */
export interface Round extends AsyncDisposable {
  /** Tells what it does next, and at which server. */
  enter(phase: RoundInfo["phase"], url?: string): void;
}

/** The reconciliations that run in this process. */
export interface Rounds {
  begin(source: string, documents: Documents): Round;
  /** By source. */
  readonly running: ReadonlyMap<string, RoundInfo>;
}

/** Returns the rounds of a controller. `onChange` is called after each change of what is saved. */
export function trackRounds({
  clock,
  onChange,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly onChange: (source: string) => Promise<void>;
}): Rounds {
  const running = new Map<string, RoundInfo>();
  const begin: Rounds["begin"] = (source, documents) => {
    const since = clock.now().toISOString();
    let info: RoundInfo = { since, phase: "load" };
    let isSaved = false;
    let writing = Promise.resolve();
    running.set(source, info);
    // One after the other. The result of the reconciliation tells of a store that fails.
    const change = (write: () => Promise<void>): Promise<void> => {
      writing = writing.then(write).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
      });
      return writing;
    };
    const save = (): Promise<void> =>
      change(async () => {
        isSaved = true;
        await documents.write(roundDocument, { ...info, seen: clock.now().toISOString() });
        await onChange(source);
      });
    let beat: ReturnType<typeof setTimeout>;
    const schedule = (ms: number): void => {
      beat = setTimeout(() => {
        void save();
        schedule(limits.controllerRoundBeatMs);
      }, ms).unref();
    };
    schedule(limits.controllerRoundShownMs);
    return {
      enter: (phase, url) => {
        const host = url === undefined ? "" : hostOf(url);
        info = { since, phase, ...(host !== "" && { host }) };
        running.set(source, info);
        if (isSaved) void save();
      },
      [Symbol.asyncDispose]: async () => {
        clearTimeout(beat);
        running.delete(source);
        if (!isSaved) return;
        await change(async () => {
          await documents.remove(roundDocument);
          await onChange(source);
        });
      },
    };
  };
  return { begin, running };
}

/** Returns the reconciliation of a source that runs for a while, in any process. */
export async function roundOf(documents: Documents, now: Date): Promise<RoundInfo | undefined> {
  const round = await documents.read(roundDocument);
  // The process that wrote it was killed.
  if (round === undefined || isStale(round, now)) return undefined;
  const { seen: _, ...info } = round;
  return info;
}

function isStale({ seen }: Static<typeof roundSchema>, now: Date): boolean {
  return !(Math.abs(now.getTime() - Date.parse(seen)) < limits.controllerRoundStaleMs);
}
