// Workbook rows: find, create, update by id or slug, and convert to the API form with their dashboards.
import type { updateWorkbook, upsertWorkbook } from "../../../api/workbooks.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { fieldError } from "../shared/field-error.ts";
import { emptyToNull, fromJson, toShortJson } from "../../store/codec.ts";
import { upserting } from "../../store/transaction.ts";
import type { Db, Row } from "../../store/schema.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { type WriteStamp, requireFolder } from "../folders/folders.ts";
import { folderPaths } from "../folders/paths.ts";
import { userSummaries } from "../users/users.ts";
import { showDashboard } from "./dashboards.ts";

/** A workbook as identified by a path. */
export interface WorkbookKey {
  readonly deploymentId: number;
  readonly workbookId: number;
}

const defaultWorkbookName = "Untitled";

/** Selects the workbooks of a deployment. */
export function selectWorkbooks(db: Db, deploymentId: number) {
  return db
    .selectFrom("workbooks")
    .selectAll("workbooks")
    .where("workbooks.deployment_id", "=", deploymentId);
}

/** Returns the row of a workbook. Throws `not_found` if the deployment does not have it. */
export async function readWorkbook(
  db: Db,
  { deploymentId, workbookId }: WorkbookKey,
): Promise<Row<"workbooks">> {
  const row = await selectWorkbooks(db, deploymentId)
    .where("workbooks.id", "=", workbookId)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `the deployment has no workbook ${workbookId}`);
}

/** Converts workbooks to their API form, in row order. */
export async function showWorkbooks(db: Db, rows: readonly Row<"workbooks">[]) {
  const ids = rows.map(({ id }) => id);
  const dashboards =
    ids.length === 0
      ? []
      : await db.selectFrom("dashboards").selectAll().where("workbook_id", "in", ids).execute();
  const byPlace = new Map(dashboards.map((row) => [`${row.workbook_id} ${row.status}`, row]));
  const of = (id: number, status: string) => {
    const row = byPlace.get(`${id} ${status}`);
    return row && showDashboard(row);
  };
  const paths = await folderPaths(
    db,
    rows.map((row) => row.folder_id),
  );
  const users = await userSummaries(
    db,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    meta: metaOf(row),
    deploymentId: row.deployment_id,
    type: "WORKBOOK" as const,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...omitNullish({
      slug: row.slug,
      folderId: row.folder_id,
      folderPath: row.folder_id === null ? undefined : [...(paths.get(row.folder_id) ?? [])],
      createdBy: row.created_by,
      userId: row.created_by,
      user: users.get(row.created_by ?? 0),
      lastViewedAt: emptyToNull(row.last_viewed_at),
      dashboardDraft: of(row.id, "draft"),
      publishedDashboard: of(row.id, "published"),
    }),
  }));
}

/** Converts one workbook to its API form. */
export async function showWorkbook(db: Db, row: Row<"workbooks">) {
  const [shown] = await showWorkbooks(db, [row]);
  invariant(shown, "a workbook could not be converted");
  return shown;
}

/** The input of a new workbook. */
export interface NewWorkbook {
  readonly deploymentId: number;
  readonly name?: string | null;
  readonly meta?: Readonly<Record<string, unknown>> | null;
  readonly folderId?: number | null;
  readonly slug?: string;
  readonly by: WriteStamp;
}

/** Inserts a workbook. Throws `not_found` without its deployment. */
export async function insertWorkbook(db: Db, input: NewWorkbook): Promise<Row<"workbooks">> {
  await requireDeployment(db, input.deploymentId);
  await requireFolder(db, input.deploymentId, input.folderId);
  const name = input.name ?? defaultWorkbookName;
  return db
    .insertInto("workbooks")
    .values({
      deployment_id: input.deploymentId,
      slug: input.slug ?? null,
      name,
      name_key: name.toLowerCase(),
      folder_id: input.folderId ?? null,
      created_by: input.by.userId,
      meta: metaText(input.meta ?? {}),
      created_at: input.by.at,
      updated_at: input.by.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

type WorkbookUpdate = RequestOf<typeof updateWorkbook>["body"];

/**
 * Updates the given members. Throws `conflict` for a slug of another workbook, unless the request moves the slug.
 */
export async function changeWorkbook(
  db: Db,
  named: WorkbookKey,
  { body, at }: { body: WorkbookUpdate; at: string },
): Promise<Row<"workbooks">> {
  const { id } = await readWorkbook(db, named);
  await requireFolder(db, named.deploymentId, body.folderId);
  const slug = body.slug == null ? undefined : normalizeSlug(body.slug);
  if (slug !== undefined) await claimSlug(db, { ...named, slug, over: body.slugTakeover === true });
  return db
    .updateTable("workbooks")
    .set({
      updated_at: at,
      ...(body.name == null ? {} : { name: body.name, name_key: body.name.toLowerCase() }),
      ...(body.folderId == null ? {} : { folder_id: body.folderId }),
      ...(body.meta == null ? {} : { meta: metaText(body.meta) }),
      ...(slug === undefined ? {} : { slug }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns the workbook with a slug; undefined if there is none. */
export async function findBySlug(
  db: Db,
  deploymentId: number,
  slug: string,
): Promise<Row<"workbooks"> | undefined> {
  return selectWorkbooks(db, deploymentId)
    .where("slug", "=", normalizeSlug(slug))
    .executeTakeFirst();
}

async function claimSlug(
  db: Db,
  { deploymentId, workbookId, slug, over }: WorkbookKey & { slug: string; over: boolean },
): Promise<void> {
  const other = await findBySlug(db, deploymentId, slug);
  if (!other || other.id === workbookId) return;
  if (!over) {
    const what = `workbook ${other.id} already has the slug ${JSON.stringify(slug)}`;
    throw fieldError("slug", ["conflict", what], {
      remedy: "Choose another slug, or send slugTakeover to move it from that workbook.",
    });
  }
  await db.updateTable("workbooks").set({ slug: null }).where("id", "=", other.id).execute();
}

type Upsert = RequestOf<typeof upsertWorkbook>;

/** Creates or updates the workbook with a slug. `meta` is merged key by key. Throws as {@link upserting}. */
export async function putWorkbook(
  db: Db,
  { params, body, by }: Pick<Upsert, "params" | "body"> & { by: WriteStamp },
): Promise<Row<"workbooks">> {
  const { deploymentId } = params;
  const slug = normalizeSlug(params.slug);
  const known = await findBySlug(db, deploymentId, slug);
  await requireDeployment(db, deploymentId);
  return upserting(`the workbook ${JSON.stringify(slug)}`, () => {
    if (!known) return insertWorkbook(db, { deploymentId, ...body, slug, by });
    const meta = { ...metaOf(known), ...body.meta };
    const named = { deploymentId, workbookId: known.id };
    return changeWorkbook(db, named, { body: { ...body, meta }, at: by.at });
  });
}

function metaText(meta: Readonly<Record<string, unknown>>): string {
  return toShortJson(meta as JsonObject, { name: "meta", most: limits.freeFormBytes });
}

function metaOf({ meta }: Row<"workbooks">): JsonObject {
  const value = fromJson(meta);
  invariant(isObject(value), "a workbook's meta is not an object");
  return value;
}

function normalizeSlug(text: string): string {
  return text.trim().toLowerCase();
}

/** Moves a workbook to a folder, or to the root. */
export async function moveWorkbook(
  db: Db,
  named: WorkbookKey,
  { folderId, at }: { folderId: number | null; at: string },
): Promise<Row<"workbooks">> {
  const { id } = await readWorkbook(db, named);
  await requireFolder(db, named.deploymentId, folderId);
  return db
    .updateTable("workbooks")
    .set({ folder_id: folderId, updated_at: at })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a workbook with its dashboards and their notifications, and disconnects its reports. */
export async function dropWorkbook(db: Db, named: WorkbookKey): Promise<void> {
  const { id } = await readWorkbook(db, named);
  await db
    .updateTable("reports")
    .set((eb) => ({ workbook_id: null, version: eb("version", "+", 1) }))
    .where("deployment_id", "=", named.deploymentId)
    .where("workbook_id", "=", id)
    .execute();
  await db.deleteFrom("workbooks").where("id", "=", id).execute();
}
