// Names of result columns in SQL.
import type { QueryMember } from "./model-index.ts";

/** Returns the prefix of the name of a column: a cube can replace its name in it. */
export function columnBase({ name, subject, ownName }: QueryMember): string {
  const alias = "sqlAlias" in subject ? subject.sqlAlias : undefined;
  return alias === undefined ? name : `${alias}.${ownName}`;
}

/** Returns aliases such as `orders__status`: unique, and short enough for every database. */
export function aliases(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const long = name.replaceAll(".", "__").toLowerCase();
    const isFree = long.length <= 60 && !taken.has(long);
    const alias = isFree ? long : `${long.slice(0, 50)}__${taken.size}`;
    taken.add(alias);
    return alias;
  };
}
