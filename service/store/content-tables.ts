// The tables of folders, workbooks, reports and dashboards as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Folders of deployments. */
interface FolderTable {
  id: Generated<number>;
  deployment_id: number;
  /** Null at the root. No foreign key: rows are copied by id, and a parent can have a greater one. */
  parent_id: number | null;
  name: string;
  /** `name` in lower case, which orders lists. */
  name_key: string;
  position: number;
  /** IDs of users, who may have been deleted. */
  created_by: number | null;
  updated_by: number | null;
  created_at: string;
  updated_at: string;
}

/** Workbooks of deployments; slugs are unique in a deployment. */
interface WorkbookTable {
  id: Generated<number>;
  deployment_id: number;
  slug: string | null;
  name: string;
  /** `name` in lower case, which orders lists. */
  name_key: string;
  /** Null at the root. */
  folder_id: number | null;
  /** ID of a user, who may have been deleted. */
  created_by: number | null;
  /** JSON. */
  meta: string;
  created_at: string;
  updated_at: string;
  /** Time of the last view; empty if there was none. */
  last_viewed_at: Generated<string>;
}

/** Reports of deployments. An absent value is null. */
interface ReportTable {
  id: Generated<number>;
  deployment_id: number;
  /** Unique in the account. */
  public_id: string;
  name: string;
  /** `name` in lower case, which orders lists. */
  name_key: string;
  title: string | null;
  /** Null at the root. */
  folder_id: number | null;
  workbook_id: number | null;
  json_query: string | null;
  sql_query: string | null;
  /** JSON. */
  meta: string;
  /** JSON. */
  pivot_items: string | null;
  source: "GOOGLE_SHEETS" | "EXCEL" | "PLAYGROUND" | "D3" | null;
  host: string | null;
  external_workbook_id: string | null;
  result_location: string | null;
  end_result_cell: string | null;
  sheet_id: string | null;
  workbook_name: string | null;
  result_checksum: string | null;
  /** Number of changes. */
  version: number;
  /** IDs of users, who may have been deleted. */
  created_by: number | null;
  refreshed_by: number | null;
  refreshed_at: string | null;
  created_at: string;
  updated_at: string;
  /** Time of the last view; empty if there was none. */
  last_viewed_at: Generated<string>;
}

/** Dashboards: at most one draft and one published dashboard per workbook. */
interface DashboardTable {
  id: Generated<number>;
  workbook_id: number;
  deployment_id: number;
  status: "draft" | "published";
  /** Null for drafts. */
  public_id: string | null;
  allow_embed: number;
  /** JSON. */
  config: string;
  /** JSON: IDs of the reports that its widgets name and may show. */
  shown_reports: Generated<string>;
  /** JSON: pairs of the name of a report that its widgets show, and the IDs of the users who wrote these widgets. */
  report_writers: Generated<string>;
  version_number: number;
  created_at: string;
  /** Time of the last view; empty if there was none. */
  last_viewed_at: Generated<string>;
}

/** The embed tenants that may view the dashboards of a workbook. */
interface WorkbookEmbedAccessTable {
  id: Generated<number>;
  workbook_id: number;
  /** Null for all embed tenants. */
  embed_tenant_id: number | null;
}

/** Comments on published dashboards, which the users of one embed tenant see. */
interface DashboardCommentTable {
  id: Generated<number>;
  dashboard_id: number;
  embed_tenant_id: number;
  /** The comment that starts the thread; null for that comment. */
  thread_id: number | null;
  /** Null if the user was deleted. */
  user_id: number | null;
  widget_id: string | null;
  body: string;
  /** JSON: IDs of users. */
  mentions: string;
  resolved_at: string | null;
  /** ID of a user, who may have been deleted. */
  resolved_by: number | null;
  created_at: string;
  updated_at: string;
}

/** Views of dashboards and reports: one row for each object, user and day. */
interface ContentViewTable {
  id: Generated<number>;
  /** `DASHBOARD` or `REPORT` with the ID, unique with user and day. */
  object_key: string;
  /** `2026-01-31`, in UTC. */
  day: string;
  user_id: number;
  deployment_id: number;
  /** Either this or the ID of the report is null. */
  dashboard_id: number | null;
  report_id: number | null;
  /** The workbook of the object; null without one. */
  workbook_id: number | null;
  views: number;
  queries: number;
  last_viewed_at: string;
}

/** All tables of content. */
export interface ContentTables {
  folders: FolderTable;
  workbooks: WorkbookTable;
  reports: ReportTable;
  dashboards: DashboardTable;
  workbook_embed_access: WorkbookEmbedAccessTable;
  dashboard_comments: DashboardCommentTable;
  content_views: ContentViewTable;
}
