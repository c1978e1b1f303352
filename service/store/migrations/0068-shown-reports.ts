// The reports that dashboards show, and the writers of their widgets: dashboards show only reports that the writer may
// read.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

interface Content {
  dashboards: { id: number; deployment_id: number; config: string; shown_reports: string };
  reports: { id: number; deployment_id: number; public_id: string };
}

/** Rows of one query. */
const batchSize = 200;

/** Adds the columns. Dashboards keep showing the reports that they name, because their writers are unknown. */
export function shownReports(): Migration {
  return {
    async up(db: Kysely<Content>): Promise<void> {
      await db.schema
        .alterTable("dashboards")
        .addColumn("shown_reports", "text", (column) => column.notNull().defaultTo("[]"))
        .execute();
      await db.schema.alterTable("dashboards").addColumn("written_by", "integer").execute();
      for (let after = 0; ;) {
        const rows = await db
          .selectFrom("dashboards")
          .select(["id", "deployment_id", "config"])
          .where("id", ">", after)
          .orderBy("id")
          .limit(batchSize)
          .execute();
        for (const row of rows) {
          const shown = await reportsNamed(db, row);
          if (shown.length === 0) continue;
          const shown_reports = JSON.stringify(shown);
          await db
            .updateTable("dashboards")
            .set({ shown_reports })
            .where("id", "=", row.id)
            .execute();
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < batchSize) return;
        after = last.id;
      }
    },
  };
}

async function reportsNamed(
  db: Kysely<Content>,
  { deployment_id: deploymentId, config }: Pick<Content["dashboards"], "deployment_id" | "config">,
): Promise<readonly number[]> {
  const { widgets = [] } = JSON.parse(config) as {
    readonly widgets?: readonly { readonly config?: Readonly<Record<string, unknown>> }[];
  };
  const named = widgets.flatMap(({ config: own = {} }) => [
    own["reportId"],
    own["report"],
    own["reportPublicId"],
  ]);
  const ids = named.filter((one) => Number.isSafeInteger(one) && Math.abs(Number(one)) < 2 ** 31);
  const publicIds = named.filter((one): one is string => typeof one === "string");
  if (ids.length + publicIds.length === 0) return [];
  const rows = await db
    .selectFrom("reports")
    .select("id")
    .where("deployment_id", "=", deploymentId)
    .where((eb) =>
      eb.or([
        ...(ids.length > 0 ? [eb("id", "in", ids.map(Number))] : []),
        ...(publicIds.length > 0 ? [eb("public_id", "in", publicIds)] : []),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}
