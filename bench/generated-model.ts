// Generates a data model of any size: cubes with every usual part, each joined to the next, and a view over every tenth.
import type { ModelFile } from "../service/model/types.ts";

/** Returns one file for each cube. */
export function generatedModel(cubes: number): readonly ModelFile[] {
  return Array.from({ length: cubes }, (_, at) => ({
    path: `model/cubes/c${at}.yml`,
    content: `${cubeText(at, (at + 1) % cubes)}${at % 10 === 0 ? viewText(at) : ""}`,
  }));
}

function cubeText(at: number, next: number): string {
  return `cubes:
  - name: c${at}
    sql_table: public.t${at}
    joins:
      - { name: c${next}, relationship: many_to_one, sql: "{CUBE}.next_id = {c${next}.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: label, sql: "CONCAT({status}, {c${next}.status})", type: string }
      - { name: created_at, sql: created_at, type: time }
    segments:
      - { name: open, sql: "{CUBE}.status = 'open'" }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: average, type: number, sql: "{total} / NULLIF({count}, 0)" }
      - { name: open_total, type: sum, sql: amount, filters: [{ sql: "{CUBE}.status = 'open'" }] }
`;
}

function viewText(at: number): string {
  return `views:
  - name: v${at}
    cubes:
      - { join_path: c${at}, includes: [id, status, created_at, count, total, average] }
`;
}
