// The errors of a data model as tests compare them.
import { compileModel } from "../../service/model/compile.ts";

/** The dimension that is the key of a cube. */
export const keys = "{ name: id, sql: id, type: number, primary_key: true }";

/** Returns the errors of a model, as `line:column message`. */
export function errorsOf(content: string): readonly string[] {
  return compileModel([{ path: "model/a.yml", content }]).errors.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );
}
