// Runs the queued builds of one account in this process. Any server of the account continues builds whose builder died.
import { Failure } from "../../../core/errors.ts";
import type { ModelCompiler } from "../../model/compiler.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { Call } from "../operation-handler.ts";
import { claimBuild, endBuild, modelFilesOf, releaseBuild } from "./builds.ts";
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
  const runAll = async () => {
    do {
      again = false;
      while (!stopping.signal.aborted) {
        const build = await inTransaction(db, (tx) => claimBuild(tx, now()));
        if (!build) break;
        if (build.status === "building")
          await runBuild(build, { db, compiler, now }, stopping.signal);
      }
    } while (again);
  };
  const runQueued = async () => {
    again = true;
    running ??= runAll().finally(() => (running = undefined));
    await running;
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

async function runBuild(
  build: Row<"builds">,
  { db, compiler, now }: BuilderParts,
  signal: AbortSignal,
): Promise<void> {
  const result = await compileTree(db, { treeId: build.tree_id, compiler, signal }).catch(
    (error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    },
  );
  const isStopped =
    result instanceof Failure && (result.code === "aborted" || result.code === "unavailable");
  await inTransaction(db, (tx) =>
    isStopped ? releaseBuild(tx, build) : endBuild(tx, build, { result, now: now() }),
  );
}

/** Compiles the files of a tree. */
export async function compileTree(
  db: Db,
  { treeId, compiler, signal }: { treeId: number; compiler: ModelCompiler; signal?: AbortSignal },
) {
  return compiler.compile(await hashOfTree(db, treeId), () => modelFilesOf(db, treeId), signal);
}
