// Every behaviour of the service, area by area.
import type { Behaviour } from "../area.ts";
import { userGroups } from "./user-groups/index.ts";

/** What the whole API does. */
export const behaviours: readonly Behaviour[] = [...userGroups];
