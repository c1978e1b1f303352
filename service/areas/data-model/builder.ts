// Runs the queued builds of one account in this process. Any server of the account continues builds whose builder died.
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { CompileNow, ModelCompiler } from "../../model/compiler.ts";
import type { CompileReport } from "../../model/types.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { Call } from "../shared/operation-handler.ts";
import {
  claimBuild,
  endBuild,
  findDueBuild,
  releaseBuild,
  renewBuild,
  retryBuild,
  sourceOf,
} from "./builds.ts";
import { hashOfTree } from "./trees.ts";

/** Starts the builds that a write queued, after its commit. */
export async function wakeBuilder<T>(draft: T, { builds }: Pick<Call, "builds">): Promise<T> {
  builds.wake();
  return draft;
}

/** The builder of an account. */
export interface Builder {
  /** Looks for queued builds now. Never throws. */
  wake(): void;
  /** Runs queued builds until there are none. */
  runQueued(): Promise<void>;
  /** Stops the running build, which is queued again, and waits for it. */
  stop(): Promise<void>;
}

/** The parts of a builder. */
export interface BuilderParts {
  readonly db: Db;
  readonly compiler: ModelCompiler;
  readonly now: () => Date;
}

/** Creates the builder of an account. */
export function createBuilder({ db, compiler, now }: BuilderParts): Builder {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;
  /** Claims and runs one build. Claims only when the compiler is free, so that the lease covers no wait. */
  const runNext = () =>
    compiler.whenFree(async (compileNow) => {
      if (stopping.signal.aborted) return false;
      // Looking only reads; write only if there is a build.
      const due = await findDueBuild(db, now());
      if (!due) return false;
      const build = await inTransaction(db, (tx) => claimBuild(tx, due, now()));
      const isClaimed = build?.status === "building";
      if (isClaimed) await runBuild(build, { db, now, compileNow, signal: stopping.signal });
      return true;
    });
  const runAll = async () => {
    while (again) {
      again = false;
      while (await runNext());
    }
  };
  const runQueued = async () => {
    again = true;
    for (;;) {
      // A wake between the last look and the end of the loop starts another one.
      if (!again || stopping.signal.aborted) return;
      running ??= runAll().finally(() => (running = undefined));
      await running;
    }
  };
  return {
    runQueued,
    // The scheduled job reports errors, and finds builds that this attempt missed.
    wake: () => void runQueued().catch(() => undefined),
    stop: async () => {
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}

interface BuildContext {
  readonly db: Db;
  readonly now: () => Date;
  readonly compileNow: CompileNow;
  readonly signal: AbortSignal;
}

/** Compiles a claimed build and records the result. An unexpected error fails the build immediately, and is thrown. */
async function runBuild(
  build: Row<"builds">,
  { db, now, compileNow, signal: stopping }: BuildContext,
): Promise<void> {
  const end = (result: CompileReport | Failure) =>
    inTransaction(db, (tx) => endBuild(tx, build, { result, now: now() }));
  const superseded = new AbortController();
  const renew = async () => {
    if (!(await inTransaction(db, (tx) => renewBuild(tx, build, now())))) superseded.abort();
  };
  // A store that cannot be written now may be writable when the build ends.
  const renewals = setInterval(() => void renew().catch(() => undefined), limits.buildLeaseRenewMs);
  const signal = AbortSignal.any([stopping, superseded.signal]);
  try {
    const key = await hashOfTree(db, build.tree_id);
    await end(await compileNow(key, sourceOf(db, build.tree_id), signal));
  } catch (error) {
    if (isFailure(error, "aborted")) await inTransaction(db, (tx) => releaseBuild(tx, build));
    else if (error instanceof Failure) {
      const attempt = { reason: error.message, now: now() };
      const isTemporary = error.code === "unavailable";
      const isRetried =
        isTemporary && (await inTransaction(db, (tx) => retryBuild(tx, build, attempt)));
      if (!isRetried) await end(error);
    } else {
      await end(new Failure("internal", "the build failed because of an internal error"));
      throw error;
    }
  } finally {
    clearInterval(renewals);
  }
}

/** Compiles the files of a tree. */
export async function compileTree(
  db: Db,
  { treeId, compiler }: { treeId: number; compiler: ModelCompiler },
): Promise<CompileReport> {
  // Trees with the same hash have the same report.
  return compiler.compile(await hashOfTree(db, treeId), sourceOf(db, treeId));
}
