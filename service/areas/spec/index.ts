// Area spec: the OpenAPI document.
import { getSpec } from "../../../api/spec.ts";
import { handle, type OperationHandler } from "../operation-handler.ts";

/** The handlers of this area. */
export const spec: readonly OperationHandler[] = [
  handle(getSpec, async ({ description }) => ({ ...description() })),
];
