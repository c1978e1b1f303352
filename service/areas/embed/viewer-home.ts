// What a signed-in user may open: the published dashboards of all deployments with their folders, recently opened ones first.
import { isObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import { principalOfUser } from "../../security/principal.ts";
import { emptyToNull, fromJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** Returns the dashboards that the user may view, and their folders. */
export async function readViewerHome(db: Db, userId: number) {
  const principal = await principalOfUser(db, userId);
  if (principal === undefined) return { folders: [], dashboards: [], isCut: false };
  const permitted = await permittedRows(
    { db, principal },
    { type: "dashboard", action: "EmbedDashboardRead" },
  );
  const all = db
    .selectFrom("dashboards")
    .innerJoin("workbooks", "workbooks.id", "dashboards.workbook_id")
    .innerJoin("deployments", "deployments.id", "dashboards.deployment_id")
    .leftJoin("folders", "folders.id", "workbooks.folder_id")
    .select((eb) => [
      "dashboards.public_id",
      "dashboards.config",
      "workbooks.name as workbook",
      "workbooks.folder_id",
      "folders.name as folder",
      "deployments.name as deployment",
      eb
        .selectFrom("content_views")
        .select((on) => on.fn.max("content_views.last_viewed_at").as("viewed"))
        .whereRef("content_views.dashboard_id", "=", "dashboards.id")
        .where("content_views.user_id", "=", userId)
        .as("viewed_at"),
    ])
    .where("dashboards.status", "=", "published")
    .orderBy("workbooks.name")
    .orderBy("dashboards.id")
    .limit(limits.homeDashboards + 1);
  const rows = await (permitted ? all.where(permitted) : all).execute();
  const shown = rows.slice(0, limits.homeDashboards);
  const folders = new Map(shown.flatMap(({ folder_id: id, folder }) => (id ? [[id, folder]] : [])));
  return {
    folders: [...folders].map(([id, name]) => ({ id, name })),
    dashboards: shown.map(
      ({ public_id: publicId, config, workbook, folder_id, deployment, viewed_at }) => {
        const stored = fromJson(config);
        const { title, description } = isObject(stored) ? stored : {};
        return {
          publicId,
          workbook,
          deployment,
          ...omitNullish({ title, description, folderId: folder_id }),
          ...omitNullish({ viewedAt: emptyToNull(viewed_at ?? "") }),
        };
      },
    ),
    isCut: rows.length > shown.length,
  };
}
