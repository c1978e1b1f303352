// Lists the first of many names.
import { limits } from "../limits/limits.ts";

/** Returns the first of many names, and the number of the others: `a, b and 3 more`. */
export function firstNames(names: readonly string[]): string {
  const more = names.length - limits.placesNamed;
  const first = names.slice(0, limits.placesNamed).join(", ");
  return more > 0 ? `${first} and ${more} more` : first;
}
