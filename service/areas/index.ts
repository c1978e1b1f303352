// Every behaviour of the service, area by area.
import type { Behaviour } from "../area.ts";
import { embed } from "./embed/index.ts";
import { embedTenants } from "./embed-tenants/index.ts";
import { userGroups } from "./user-groups/index.ts";

/** What the whole API does. */
export const behaviours: readonly Behaviour[] = [...embed, ...embedTenants, ...userGroups];
