// Operations on regions, where deployments run.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { strictObject, Id } from "./schemas.ts";

/** List regions. */
export const listRegions = defineOperation({
  id: "listRegions",
  area: "regions",
  method: "GET",
  path: "/api/v1/regions",
  summary: "List regions",
  description: "Returns all regions.",
  source: "public",
  effect: "read",
  permission: "self",
  answer: strictObject({
    id: Id,
    name: Type.String(),
    title: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String()),
    isPublic: Type.Optional(Type.Boolean()),
  }),
  list: "cursor",
});
