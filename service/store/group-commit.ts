// Transactions of one SQLite connection: one at a time, and those that come close together are made durable by one commit.
import { setTimeout as pause } from "node:timers/promises";
import { Failure, invariant } from "../../core/errors.ts";
import type { Statements } from "./statements.ts";
import { unknownOutcome } from "./transaction.ts";

/** How long a transaction waits, from asking for its turn, for another process that writes, such as a backup. */
const busyMs = 5000;

/** Pause between two attempts at the file meanwhile. */
const busyPauseMs = 20;

/** Transactions that are done and wait for the commit that makes them durable. */
type Group = PromiseWithResolvers<void>;

/**
 * Hands out turns at a connection. Each transaction is a savepoint in a larger one, which is committed once the requests
 * that had arrived meanwhile have had their turn; nobody is told of success before that commit.
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
   * Begins a transaction when its turn has come; it ends with {@link commit} or {@link rollback}. Rejects where another
   * process keeps the file too long; those that wait behind have waited as long by then, and are told at once.
   */
  async begin(): Promise<void> {
    const deadline = Date.now() + busyMs;
    await this.#acquire();
    try {
      if (this.#isBroken) throw storeUnavailable();
      if (this.#group === undefined) await this.#open(deadline);
      this.#statements.run("savepoint member");
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /**
   * Ends the turn and resolves once the transaction is durable; rejects where it was undone after all, with
   * `unknown_outcome` where a crash may yet bring it back.
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
   * Undoes the transaction alone and ends the turn. Resolves once what it has seen of the others is durable, and rejects
   * where that was undone: a refusal must not rest on what never was.
   */
  async rollback(): Promise<void> {
    const group = this.#group;
    this.#rollbackMember();
    await group?.promise;
  }

  #rollbackMember(): void {
    try {
      // A full disk makes SQLite itself undo everything, and so what the others wait for.
      if (!this.#statements.inTransaction) return this.#rollbackGroup(storeUnavailable());
      this.#statements.run("rollback to member");
      this.#statements.run("release member");
    } catch (error) {
      this.#rollbackGroup(error);
    } finally {
      this.#release();
    }
  }

  /** Does something by itself: behind the transactions that were begun before, and committed at once. */
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
    // Its members are told; where there are none left, nobody needs to be.
    group.promise.catch(() => undefined);
    this.#group = group;
    // By then all requests that the operating system had ready have asked for their turn.
    setImmediate(() => {
      if (this.#group !== group) return;
      this.runExclusive(() => undefined).catch(() => (this.#isBroken = true));
    });
  }

  /** Waits without holding up the thread, which has readers to serve. */
  async #beginImmediate(deadline: number): Promise<void> {
    for (;;) {
      try {
        return this.#statements.run("begin immediate");
      } catch (error) {
        if (!isBusy(error) || Date.now() >= deadline) throw error;
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
 * True where a commit may lie in the log although it failed, as when it could not be made durable. It is undone here, but a
 * process that starts before the next write has overwritten it takes it for done.
 */
function isUncertainCommit(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_IOERR");
}

function storeUnavailable(): Failure {
  return new Failure("unavailable", "the store cannot be written now", { retryAfter: 1 });
}
