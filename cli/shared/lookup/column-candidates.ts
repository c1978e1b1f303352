// Lists the columns of a table for completion, in the lower case that the options accept too.
import type { Candidate } from "./candidate.ts";

/** Returns the columns that can follow in a list separated by commas. */
export function columnCandidates(titles: readonly string[], word: string): readonly Candidate[] {
  const before = word.slice(0, word.lastIndexOf(",") + 1);
  const given = before.split(",");
  return namesOf(titles)
    .filter((name) => !given.includes(name))
    .map((name) => ({ value: before + name, description: "" }));
}

/** Returns the columns to sort by; after a hyphen, descending. */
export function sortCandidates(titles: readonly string[], word: string): readonly Candidate[] {
  const sign = word.startsWith("-") ? "-" : "";
  return namesOf(titles).map((name) => ({ value: sign + name, description: "" }));
}

function namesOf(titles: readonly string[]): readonly string[] {
  return titles.map((title) => title.toLowerCase().replaceAll(" ", "-"));
}
