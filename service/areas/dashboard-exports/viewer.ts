// The viewer that a dashboard is drawn for: a user, with the groups, attributes, roles and security context of a
// recipient or a session.
import type { JsonObject } from "../../../core/json.ts";
import type { Catalogue } from "../user-groups/membership.ts";
import type { Principal } from "../../security/principal.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** A viewer, as jobs store it. */
export interface Viewer extends JsonObject {
  readonly userId: number;
  /** The groups and attribute values of a recipient; all names are of one catalogue. */
  readonly recipient?: {
    readonly catalogue: Catalogue;
    readonly groups?: readonly string[];
    readonly userAttributes: JsonObject;
  };
  readonly securityContext?: JsonObject;
  /** Replaces the roles of the user, and its rights as an administrator. */
  readonly session?: {
    readonly roles?: readonly string[];
    /** Whose turn the queries take. */
    readonly credentialId: string;
    readonly isAdmin: boolean;
    readonly isExternal: boolean;
    readonly isCreatorMode: boolean;
    readonly deploymentId: number;
    readonly tenantId?: number;
    readonly dashboardPublicId?: string;
    /** The theme that its page has. */
    readonly theme?: string;
  };
}

/** Returns the caller of an operation as a viewer. */
export function viewerOf({
  userId,
  credentialId,
  session,
  isAdmin,
  environment,
}: Principal): Viewer {
  return {
    userId,
    ...(environment?.securityContext && { securityContext: environment.securityContext }),
    ...(session && {
      session: {
        credentialId,
        isAdmin,
        isExternal: session.isExternal,
        isCreatorMode: session.isCreatorMode,
        deploymentId: session.deploymentId,
        ...omitNullish({
          tenantId: session.tenantId,
          dashboardPublicId: session.dashboardPublicId,
          theme: session.theme,
        }),
        ...(session.roles && { roles: session.roles }),
      },
    }),
  };
}
