// Builds: one for each change of a served branch. A newer build supersedes older ones that have not ended.
import { Failure } from "../../../core/errors.ts";
import { pluralize } from "../../../core/text/escape-text.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { isBuiltFile, isCompiledFile, seedTable } from "../../../core/data-model/model-path.ts";
import type { ModelSource } from "../../model/compiler.ts";
import type { CompileReport, ModelFile, SeedFile } from "../../model/types.ts";
import { toShortText, toTimestamp } from "../../store/codec.ts";
import { deadlineIsOver } from "../../store/deadlines.ts";
import type { Db, Row } from "../../store/schema.ts";
import { addLogLines } from "../logs/log-lines.ts";
import { releaseOf } from "../../accounts/version-catalogue.ts";
import { readContents, readPaths, readTree, type TreeFile } from "./trees.ts";

type BuildRow = Row<"builds">;

/** Attempts of a build whose builder died, or whose host was too busy. */
const attemptsMax = 3;

/** Returns the platform version that serves a branch: production has the deployment's, every other environment the newest. */
export function platformVersion(
  branch: Pick<Row<"branches">, "name">,
  { deployment, catalogue }: { deployment: Row<"deployments">; catalogue: Catalogue },
): string {
  const isProduction = branch.name === deployment.deploy_branch_name;
  return (isProduction ? releaseOf(deployment, catalogue) : catalogue.newest("latest")).version;
}

/** Queues a build of a branch's tree and cancels the builds of the branch that have not ended. */
export async function queueBuild(
  tx: Db,
  branch: Row<"branches">,
  {
    deployment,
    catalogue,
    now,
  }: { deployment: Row<"deployments">; catalogue: Catalogue; now: Date },
): Promise<void> {
  const updated_at = toTimestamp(now);
  await tx
    .updateTable("builds")
    .set({
      status: "cancelled",
      leased_until: null,
      error_text: "A newer build superseded it.",
      updated_at,
    })
    .where("branch_id", "=", branch.id)
    .where("status", "in", ["queued", "building"])
    .execute();
  // Nothing to read: no builder needs to start.
  const isEmpty = !(await readPaths(tx, branch.tree_id)).some(isBuiltFile);
  await tx
    .insertInto("builds")
    .values({
      branch_id: branch.id,
      tree_id: branch.tree_id,
      version: platformVersion(branch, { deployment, catalogue }),
      status: isEmpty ? "built" : "queued",
      attempts: 0,
      updated_at,
    })
    .execute();
  await pruneBuilds(tx, branch.id);
}

async function pruneBuilds(tx: Db, branchId: number): Promise<void> {
  const old = await tx
    .selectFrom("builds")
    .select("id")
    .where("branch_id", "=", branchId)
    .orderBy("id", "desc")
    .offset(limits.buildsKept)
    .limit(limits.buildsKept)
    .execute();
  // The environment serves it even if later builds failed.
  const served = await servedBuild(tx, branchId);
  const unneeded = old.map(({ id }) => id).filter((id) => id !== served?.id);
  if (unneeded.length === 0) return;
  await tx.deleteFrom("builds").where("id", "in", unneeded).execute();
}

/** Returns the newest build of a branch. */
export async function newestBuild(db: Db, branchId: number): Promise<BuildRow | undefined> {
  return db
    .selectFrom("builds")
    .selectAll()
    .where("branch_id", "=", branchId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Returns the build that a branch's environment serves: the newest that succeeded. */
export async function servedBuild(db: Db, branchId: number): Promise<BuildRow | undefined> {
  return db
    .selectFrom("builds")
    .selectAll()
    .where("branch_id", "=", branchId)
    .where("status", "=", "built")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Returns the build that a branch's environment serves. Throws {@link noServedBuild} before the first one. */
export async function requireServedBuild(db: Db, branchId: number): Promise<BuildRow> {
  const build = await servedBuild(db, branchId);
  if (build) return build;
  throw await noServedBuild(db, branchId);
}

/** Returns the failure of an environment before its first build: `unavailable` while one runs, and otherwise `conflict`. */
export async function noServedBuild(db: Db, branchId: number): Promise<Failure> {
  const text = "the environment serves no build yet";
  const newest = await newestBuild(db, branchId);
  const isBuilding = newest?.status === "queued" || newest?.status === "building";
  return isBuilding
    ? new Failure("unavailable", `${text}; try again`, { retryAfter: 5 })
    : new Failure("conflict", `${text}; upload a data model that builds without errors`);
}

/** A build that is queued, or whose builder died. */
type DueBuild = Pick<BuildRow, "id" | "status" | "attempts">;

/** Returns the oldest build to run. */
export async function findDueBuild(db: Db, now: Date): Promise<DueBuild | undefined> {
  const oldest = (status: string) =>
    db
      .selectFrom("builds")
      .select(["id", "status", "attempts"])
      .where("status", "=", status)
      .orderBy("id")
      .limit(1);
  return (
    (await oldest("queued").executeTakeFirst()) ??
    (await oldest("building")
      .where(deadlineIsOver("leased_until", { now, longestMs: limits.buildLeaseMs }))
      .executeTakeFirst())
  );
}

function leaseEnd(now: Date): string {
  return toTimestamp(now.getTime() + limits.buildLeaseMs);
}

/** Claims a build, unless another builder did: the condition of the update decides between two builders. */
export async function claimBuild(tx: Db, due: DueBuild, now: Date): Promise<BuildRow | undefined> {
  const at = toTimestamp(now);
  const isOver = due.attempts >= attemptsMax;
  const claimed = await tx
    .updateTable("builds")
    .set(
      isOver
        ? {
            status: "failed",
            leased_until: null,
            error_text: "The build did not end.",
            updated_at: at,
          }
        : {
            status: "building",
            attempts: due.attempts + 1,
            leased_until: leaseEnd(now),
            updated_at: at,
          },
    )
    .where("id", "=", due.id)
    .where("status", "=", due.status)
    .where("attempts", "=", due.attempts)
    .returningAll()
    .executeTakeFirst();
  if (claimed) {
    const text = isOver ? "failed: it did not end" : `started, version ${claimed.version}`;
    await logBuild(tx, claimed, { texts: [text], now });
  }
  return claimed;
}

/** Adds log lines of a build. */
async function logBuild(
  tx: Db,
  { id, branch_id: branchId }: BuildRow,
  { texts, now }: { readonly texts: readonly string[]; readonly now: Date },
): Promise<void> {
  const messages = texts.map((text) => `build ${id}: ${text}`);
  await addLogLines(tx, [{ branchId, container: "svcjs-server", at: now, messages }]);
}

/** Records the result of an attempt, unless the build was cancelled or another builder claimed it. */
export async function endBuild(
  tx: Db,
  build: BuildRow,
  { result, now }: { result: CompileReport | Failure; now: Date },
): Promise<void> {
  const ended =
    result instanceof Failure
      ? { status: "failed", error_text: result.message }
      : {
          status: result.valid ? "built" : "failed",
          error_text: result.valid ? null : errorText(result),
        };
  const change = { ...ended, leased_until: null, updated_at: toTimestamp(now) };
  if (!(await changeClaimed(tx, build, change))) return;
  const problems = ended.error_text?.split("\n").filter((line) => line !== "") ?? [];
  await logBuild(tx, build, { texts: [...problems, ended.status], now });
}

/** Extends the lease of a build. Returns false if it was cancelled or another builder claimed it. */
export async function renewBuild(tx: Db, build: BuildRow, now: Date): Promise<boolean> {
  return changeClaimed(tx, build, { leased_until: leaseEnd(now) });
}

/** Returns a build to the queue if its builder could not finish it, such as on shutdown. The attempt does not count. */
export async function releaseBuild(tx: Db, build: BuildRow): Promise<void> {
  const attempts = build.attempts - 1;
  await changeClaimed(tx, build, { status: "queued", attempts, leased_until: null });
}

/** Queues a build again after an attempt that failed for a reason of the server. Returns false after the last attempt. */
export async function retryBuild(
  tx: Db,
  build: BuildRow,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<boolean> {
  if (build.attempts >= attemptsMax) return false;
  if (await changeClaimed(tx, build, { status: "queued", leased_until: null }))
    await logBuild(tx, build, { texts: [reason, "queued again"], now });
  return true;
}

/** Changes a build that its builder still has. */
async function changeClaimed(
  tx: Db,
  { id, attempts }: BuildRow,
  change: Partial<
    Pick<BuildRow, "status" | "attempts" | "leased_until" | "error_text" | "updated_at">
  >,
): Promise<boolean> {
  const changed = await tx
    .updateTable("builds")
    .set(change)
    .where("id", "=", id)
    .where("status", "=", "building")
    .where("attempts", "=", attempts)
    .returning("id")
    .executeTakeFirst();
  return changed !== undefined;
}

/** Maximum number of errors in the text of a failed build; validation returns all. */
const errorsShown = 20;

function errorText({ errors, errorCount }: CompileReport): string {
  const shown = errors
    .slice(0, errorsShown)
    .map(({ fileName, line, column, message }) => `${fileName}:${line}:${column}: ${message}`);
  const rest = errorCount - shown.length;
  const text = toShortText(shown.join("\n"), limits.buildTextLength);
  return rest > 0 ? `${text}\nand ${pluralize(rest, "more error")}` : text;
}

/** Returns the model files of a tree. */
export async function modelFilesOf(db: Db, treeId: number): Promise<readonly ModelFile[]> {
  return modelFilesIn(db, await readTree(db, treeId));
}

/** Returns the model files among the files of a tree. */
export async function modelFilesIn(
  db: Db,
  files: Iterable<readonly [string, TreeFile]>,
): Promise<readonly ModelFile[]> {
  const contents = await readContents(
    db,
    [...files].filter(([path]) => isCompiledFile(path)),
  );
  return contents.map(({ path, content, encoding }) => ({
    path,
    // A binary file under a model folder is not YAML; the compiler reports what it finds.
    content: encoding === "utf8" ? content : Buffer.from(content, "base64").toString("latin1"),
  }));
}

/** Returns the seed files of a tree. */
export async function seedFilesOf(db: Db, treeId: number): Promise<readonly SeedFile[]> {
  return seedFilesIn(db, await readTree(db, treeId));
}

/** Returns the seed files among the files of a tree. */
export async function seedFilesIn(
  db: Db,
  files: Iterable<readonly [string, TreeFile]>,
): Promise<readonly SeedFile[]> {
  const contents = await readContents(
    db,
    [...files].filter(([path]) => seedTable(path) !== undefined),
  );
  return contents.map(({ path, content, encoding }) => ({
    path,
    content: Buffer.from(content, encoding),
  }));
}

/** Returns the input of a build of a tree. */
export function sourceOf(db: Db, treeId: number): ModelSource {
  return {
    files: () => modelFilesOf(db, treeId),
    seeds: () => seedFilesOf(db, treeId),
  };
}
