// The operation that returns the OpenAPI document.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";

/** Get the OpenAPI document. */
export const getSpec = defineOperation({
  id: "getSpec",
  area: "spec",
  method: "GET",
  path: "/api/v1/spec",
  summary: "Get the OpenAPI document",
  description: "Returns the OpenAPI 3.1 document of the operations that this server offers.",
  source: "specification",
  effect: "read",
  permission: "self",
  answer: Type.Record(Type.String(), Type.Unknown()),
});
