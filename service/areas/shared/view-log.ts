// Where handlers report that a dashboard or a report was viewed.
import type { Db } from "../../store/schema.ts";

/** One view, or one query for a view. */
export interface View {
  readonly deploymentId: number;
  readonly type: "DASHBOARD" | "REPORT";
  readonly publicId: string;
  readonly userId: number;
  /** The embed tenant of a session of an external user, who can only view the content of the tenant. */
  readonly external?: { readonly tenantId: number | undefined };
  /** Whether the content itself was read, or data for it. */
  readonly counts: "view" | "query";
  readonly at: Date;
}

/** Collects views. */
export interface ViewLog {
  /** Adds a view. Above the limit, and if the store fails, views are not counted. */
  add(db: Db, view: View): void;
  /** Stores the added views. Never throws. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
