// Area spec: the OpenAPI document.
import { getSpec } from "../../../api/spec.ts";
import { handleDocument, type OperationHandler } from "../shared/operation-handler.ts";

/** The handlers of this area. */
export const spec: readonly OperationHandler[] = [
  handleDocument(getSpec, async ({ description }) => description()),
];
