// Area spec: the API's own description.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";

/** Get the API description. */
export const getSpec = defineOperation({
  id: "getSpec",
  area: "spec",
  method: "GET",
  path: "/api/v1/spec",
  summary: "Get the API description",
  description: "OpenAPI 3.1 of the operations that this server lists.",
  source: "specification",
  effect: "read",
  access: "user",
  scope: "open",
  answer: Type.Record(Type.String(), Type.Unknown()),
});
