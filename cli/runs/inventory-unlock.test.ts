// Who decides about a lock whose holder may run.
import { describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { recordedOutput } from "../../test/support/recorded-output.ts";
import { askToBreak, breakLock } from "./inventory-unlock.ts";

const alive = new Failure("locked", "The lock on lib is held.");

/** A lock whose holder may run, and the attempts to break it. */
function liveLock(error: Error = alive) {
  const attempts: boolean[] = [];
  const attempt = async (force: boolean): Promise<string> => {
    attempts.push(force);
    if (!force) throw error;
    return "broken";
  };
  return { attempts, attempt };
}

describe("a lock whose holder may run", () => {
  it("is broken if the user confirms the refusal that is shown", async () => {
    const { attempts, attempt } = liveLock();
    const questions: string[] = [];
    const ask = async ({ message }: Failure): Promise<boolean> => {
      questions.push(message);
      return true;
    };
    expect(await breakLock(attempt, { force: false, ask })).toBe("broken");
    expect([attempts, questions]).toEqual([[false, true], [alive.message]]);
  });

  it("is kept if the user declines, and without a terminal", async () => {
    for (const ask of [async () => false, undefined]) {
      const { attempts, attempt } = liveLock();
      await expect(breakLock(attempt, { force: false, ask })).rejects.toBe(alive);
      expect(attempts).toEqual([false]);
    }
  });

  it("is broken without confirmation with --yes", async () => {
    const { attempts, attempt } = liveLock();
    const ask = (): never => {
      throw new Error("asked");
    };
    expect(await breakLock(attempt, { force: true, ask })).toBe("broken");
    expect(attempts).toEqual([true]);
  });
});

it("a signal at the prompt stops the run, and is no refusal", async () => {
  const signal = AbortSignal.abort();
  const interrupt = {
    signal,
    setPrompting: () => undefined,
    exitCode: () => 130,
    dispose: () => undefined,
  };
  const { output, errors } = recordedOutput();
  const asking = askToBreak(alive, { output, signal, interrupt });
  await expect(asking).rejects.toMatchObject({ code: "aborted" });
  expect(errors).toEqual([alive.message]);
});

it("another refusal asks for no confirmation", async () => {
  const wrong = new Failure("refused", "Another lock is held.");
  const { attempts, attempt } = liveLock(wrong);
  await expect(breakLock(attempt, { force: false, ask: async () => true })).rejects.toBe(wrong);
  expect(attempts).toEqual([false]);
});
