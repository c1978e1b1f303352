// Reads the values that access policies use for the viewer of a drawn dashboard.
import type { Viewer } from "../areas/dashboard-exports/viewer.ts";
import { readCaller } from "../data-plane/caller.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Db } from "../store/schema.ts";

/** Returns the values that access policies read for a viewer. */
export async function callerOf(db: Db, viewer: Viewer): Promise<QueryCaller> {
  const { userId, session, securityContext, groups, userAttributes } = viewer;
  const known = await readCaller(db, {
    userId,
    isAdmin: session?.isAdmin ?? false,
    ...(securityContext && { environment: { securityContext } }),
    ...(session && { session: { ...session, roles: session.roles } }),
  });
  return {
    ...known,
    groups: groups ?? known.groups,
    userAttributes: { ...known.userAttributes, ...userAttributes },
  };
}
