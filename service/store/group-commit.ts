// Transactions of one SQLite connection: one at a time, and those that come close together are made durable by one commit.
import { Failure, invariant } from "../../core/errors.ts";
import type { Statements } from "./statements.ts";

/** Transactions that are done and wait for the commit that makes them durable. */
type Group = PromiseWithResolvers<void>;

/**
 * Hands out turns at a connection. Each transaction is a savepoint in a larger one, which is committed once the requests
 * that had arrived meanwhile have had their turn; nobody is told of success before that commit.
 */
export class GroupCommit {
  readonly #statements: Statements;
  readonly #waiting: (() => void)[] = [];
  #taken = false;
  #group: Group | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Begins a transaction when its turn has come; it ends with {@link commit} or {@link rollback}. */
  async begin(): Promise<void> {
    await this.#take();
    try {
      if (this.#group === undefined) this.#open();
      this.#statements.run("savepoint member");
    } catch (error) {
      this.#give();
      throw error;
    }
  }

  /** Ends the turn and resolves once the transaction is durable; rejects where it was undone after all. */
  async commit(): Promise<void> {
    const group = this.#group;
    try {
      this.#statements.run("release member");
    } catch (error) {
      this.#undo(error);
    }
    this.#give();
    await group?.promise;
  }

  /** Undoes the transaction alone and ends the turn. */
  rollback(): void {
    try {
      // A full disk makes SQLite itself undo everything, and so what the others wait for.
      if (!this.#statements.inTransaction) return this.#undo(undone());
      this.#statements.run("rollback to member");
      this.#statements.run("release member");
    } catch (error) {
      this.#undo(error);
    } finally {
      this.#give();
    }
  }

  /** Does something by itself: behind the transactions that were begun before, and committed at once. */
  async alone<T>(work: () => T): Promise<T> {
    await this.#take();
    try {
      this.#commit();
      return work();
    } finally {
      this.#give();
    }
  }

  async #take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }

  #open(): void {
    this.#statements.run("begin immediate");
    const group = Promise.withResolvers<void>();
    // Its members are told; where there are none left, nobody needs to be.
    group.promise.catch(() => undefined);
    this.#group = group;
    // By then all requests that the operating system had ready have asked for their turn.
    setImmediate(() => {
      if (this.#group === group) void this.alone(() => undefined);
    });
  }

  #commit(): void {
    if (this.#group === undefined) return;
    try {
      this.#statements.run("commit");
      this.#group.resolve();
      this.#group = undefined;
    } catch (error) {
      this.#undo(error);
    }
  }

  #undo(cause: unknown): void {
    const group = this.#group;
    invariant(group, "a transaction outside of a group");
    this.#group = undefined;
    group.reject(cause);
    if (this.#statements.inTransaction) this.#statements.run("rollback");
  }
}

function undone(): Failure {
  return new Failure("unavailable", "the store cannot be written now", { retryAfter: 1 });
}
