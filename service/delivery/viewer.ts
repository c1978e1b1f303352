// Reads the values that access policies use for the viewer of a drawn dashboard.
import type { Viewer } from "../areas/dashboard-exports/viewer.ts";
import { readCaller } from "../data-plane/caller.ts";
import { turnOf } from "../data-plane/queries.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Db } from "../store/schema.ts";

/** Returns whose turn the queries of a viewer take. */
export function turnOfViewer({ session }: Viewer): ReturnType<typeof turnOf> {
  return turnOf(session ? { session, credentialId: session.credentialId } : {});
}

/** Returns the values that access policies read for a viewer. */
export function callerOf(
  db: Db,
  { securityContext, session, ...viewer }: Viewer,
): Promise<QueryCaller> {
  return readCaller(db, {
    ...viewer,
    isAdmin: session?.isAdmin ?? false,
    ...(securityContext && { environment: { securityContext } }),
    ...(session && {
      session: {
        ...session,
        roles: session.roles,
        tenantId: session.tenantId,
        dashboardPublicId: session.dashboardPublicId,
      },
    }),
  });
}
