// The definition of a report: its content, in a form that can be compared and hashed.
import { createHash } from "node:crypto";
import { canonical } from "../../../core/json.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { fromJson } from "../../store/codec.ts";
import type { Row } from "../../store/schema.ts";

/** Converts a report to its definition in the API form. */
export function showDefinition(row: Row<"reports">) {
  const definition = canonical({
    name: row.name,
    meta: fromJson(row.meta),
    ...omitNullish({
      title: row.title,
      jsonQuery: row.json_query,
      sqlQuery: row.sql_query,
      pivotItems: row.pivot_items === null ? null : fromJson(row.pivot_items),
      source: row.source,
    }),
  });
  const sha256 = createHash("sha256").update(definition).digest("hex");
  return { definition, sha256, version: row.version };
}
