// Area spec: the API's own description.
import { getSpec } from "../../../api/spec.ts";
import { handle, type OperationHandler } from "../operation-handler.ts";

/** What the operations of the area do. */
export const spec: readonly OperationHandler[] = [
  handle(getSpec, async ({ description }) => ({ ...description() })),
];
