// Indexes the declared objects of a stack. The maps of a large stack take much memory, so each stack is indexed once.
import { memoizePerObject } from "../../core/memoize.ts";
import type { DesiredObject } from "./index.ts";

/** Returns the declared objects by address. */
export const objectsByAddress = memoizePerObject(
  (objects: readonly DesiredObject[]): ReadonlyMap<string, DesiredObject> =>
    new Map(objects.map((object) => [object.address, object])),
);
