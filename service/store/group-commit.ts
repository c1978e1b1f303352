// Group commit for one SQLite connection: transactions run one at a time, and one commit makes several durable.
import { setTimeout as pause } from "node:timers/promises";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statements } from "./statements.ts";
import { unknownOutcome } from "./transaction.ts";

/** Maximum time that a transaction waits for another process that writes the file, such as a backup. */
const busyMs = 5000;

/** Pause between two attempts to lock the file. */
const busyPauseMs = 20;

/** Finished transactions that wait for the commit that makes them durable. */
type Group = PromiseWithResolvers<void>;

/**
 * Serializes transactions on a connection. Each transaction is a savepoint inside a larger one, which commits once all
 * requests that arrived meanwhile have run. No transaction succeeds before that commit.
 */
export class GroupCommit {
  readonly #statements: Statements;
  readonly #waiting: (() => void)[] = [];
  #isLocked = false;
  #group: Group | undefined;
  #isBroken = false;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * Waits for its turn and begins a transaction, which ends with {@link commit} or {@link rollback}. Rejects if another
   * process locks the file too long. Waiting transactions then reject immediately, because they have waited just as
   * long.
   */
  async begin(): Promise<void> {
    const deadline = performance.now() + busyMs;
    const arrived = performance.now();
    await this.#acquire();
    try {
      if (performance.now() - arrived > limits.queueDelayMs + busyMs) throw storeUnavailable();
      if (this.#isBroken) throw storeUnavailable();
      if (this.#group === undefined) await this.#open(deadline);
      this.#statements.run("savepoint member");
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /**
   * Ends the transaction and resolves once it is durable. Rejects if the group was rolled back, with `unknown_outcome`
   * if a crash could still restore it.
   */
  async commit(): Promise<void> {
    const group = this.#group;
    try {
      this.#statements.run("release member");
    } catch (error) {
      this.#rollbackGroup(error);
    }
    this.#release();
    await group?.promise;
  }

  /**
   * Rolls back only this transaction. Resolves once the writes it has read are durable, and rejects if those were
   * rolled back: an error must not be based on data that was never committed.
   */
  async rollback(): Promise<void> {
    const group = this.#group;
    this.#rollbackMember();
    await group?.promise;
  }

  #rollbackMember(): void {
    try {
      // On a full disk SQLite rolls back the whole group itself.
      if (!this.#statements.inTransaction) return this.#rollbackGroup(storeUnavailable());
      this.#statements.run("rollback to member");
      this.#statements.run("release member");
    } catch (error) {
      this.#rollbackGroup(error);
    } finally {
      this.#release();
    }
  }

  /** Runs `work` outside of a group: commits earlier transactions first. */
  async runExclusive<T>(work: () => T): Promise<T> {
    await this.#acquire();
    try {
      this.#commit();
      return work();
    } finally {
      this.#release();
    }
  }

  async #acquire(): Promise<void> {
    if (this.#isLocked) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isLocked = true;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isLocked = false;
  }

  async #open(deadline: number): Promise<void> {
    await this.#beginImmediate(deadline);
    const group = Promise.withResolvers<void>();
    // The members receive the rejection. If there are no members, it must not be reported as unhandled.
    group.promise.catch(() => undefined);
    this.#group = group;
    // By then, all requests that the operating system had received are waiting for their turn.
    setImmediate(() => {
      if (this.#group !== group) return;
      this.runExclusive(() => undefined).catch(() => (this.#isBroken = true));
    });
  }

  /** Retries without blocking the thread, which also serves readers. */
  async #beginImmediate(deadline: number): Promise<void> {
    for (;;) {
      try {
        return this.#statements.run("begin immediate");
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await pause(busyPauseMs);
    }
  }

  #commit(): void {
    if (this.#group === undefined) return;
    try {
      this.#statements.run("commit");
      this.#group.resolve();
      this.#group = undefined;
    } catch (error) {
      this.#rollbackGroup(isUncertainCommit(error) ? unknownOutcome(error) : error);
    }
  }

  #rollbackGroup(cause: unknown): void {
    const group = this.#group;
    invariant(group, "a transaction outside of a group");
    this.#group = undefined;
    group.reject(cause);
    if (this.#statements.inTransaction) this.#statements.run("rollback");
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/**
 * Returns true if a failed commit may be in the log, for example because it could not be made durable. The transaction
 * is rolled back, but a process that starts before the next write overwrites it would restore it.
 */
function isUncertainCommit(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_IOERR");
}

function storeUnavailable(): Failure {
  return new Failure("unavailable", "the store cannot be written at the moment; try again", {
    retryAfter: 1,
  });
}
