// Finds the dashboard and report that a query is for: those of its session, or those that it names.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { publicIdPattern } from "../../core/text/text-patterns.ts";
import type { View, ViewLog } from "../areas/shared/view-log.ts";
import type { Principal } from "../security/principal.ts";
import type { Db } from "../store/schema.ts";

type Content = Pick<View, "type" | "publicId">;

const members = { dashboardPublicId: "DASHBOARD", reportPublicId: "REPORT" } as const;
const pattern = new RegExp(publicIdPattern, "u");

/** Returns the content that a query is for. Throws `invalid` for a malformed public ID. */
export function viewedContent({
  input,
  principal,
}: {
  readonly input: JsonObject;
  readonly principal: Principal;
}): readonly Content[] {
  const own = principal.session?.dashboardPublicId;
  const named: JsonObject = own === undefined ? input : { ...input, dashboardPublicId: own };
  return (["dashboardPublicId", "reportPublicId"] as const).flatMap((member): Content[] => {
    const publicId = named[member];
    if (publicId === undefined || publicId === null) return [];
    if (typeof publicId === "string" && pattern.test(publicId)) {
      return [{ type: members[member], publicId }];
    }
    throw new Failure("invalid", `${member} must be a public ID: 12 letters and digits`);
  });
}

/** The input for counting a query. */
interface CountedQuery {
  readonly db: Db;
  readonly views: ViewLog;
  readonly principal: Principal;
  readonly deploymentId: number;
  readonly now: Date;
}

/** Counts an answered query. */
export function countQuery(
  { db, views, principal, deploymentId, now }: CountedQuery,
  content: readonly Content[],
): void {
  const { userId, session } = principal;
  const external = session?.isExternal === true ? { tenantId: session.tenantId } : undefined;
  for (const one of content) {
    const view = { ...one, userId, deploymentId, counts: "query", at: now } as const;
    views.add(db, external ? { ...view, external } : view);
  }
}
