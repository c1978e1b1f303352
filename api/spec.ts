// Area spec: the API's own description.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";

/** OpenAPI 3.1 of the operations that this server lists. */
export const getSpec = defineOperation({
  id: "getSpec",
  area: "spec",
  method: "GET",
  path: "/api/v1/spec",
  summary: "Get the API description",
  source: "specification",
  effect: "read",
  access: "user",
  scope: "open",
  answer: Type.Record(Type.String(), Type.Unknown()),
});
