// Who a dashboard is drawn for: the values that access policies read, and the page that the viewer can open.
import type { Viewer } from "../areas/dashboard-exports/viewer.ts";
import type { MailLinks } from "../areas/notifications/mail-links.ts";
import { readCaller } from "../data-plane/caller.ts";
import { turnOf } from "../data-plane/queries.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Db, Row } from "../store/schema.ts";

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

/** Returns the address of the page of a dashboard; undefined for external users, who cannot sign in. */
export function pageOf(
  links: MailLinks | undefined,
  { isEmbedded }: QueryCaller,
  { public_id: publicId }: Row<"dashboards">,
): string | undefined {
  return isEmbedded || publicId === null ? undefined : links?.dashboard(publicId);
}
