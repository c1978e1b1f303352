// Lists resource types, and their fields after a dot, for completion.
import { fieldsOf } from "../../core/fields.ts";
import { kinds } from "../../resources/index.ts";
import type { Candidate } from "../shared/candidate.ts";

/** Returns the resource types. */
export function kindCandidates(): readonly Candidate[] {
  return kinds.map(({ name, doc }) => ({ value: name, description: firstSentence(doc) }));
}

/** Returns the resource types; the fields of one if the word names it with a dot. */
export function fieldCandidates(word: string): readonly Candidate[] {
  const [named] = word.split(".");
  const kind = word.includes(".") ? kinds.find(({ name }) => name === named) : undefined;
  if (kind === undefined) return kindCandidates();
  return fieldsOf(kind).map(({ name, traits }) => ({
    value: `${kind.name}.${name}`,
    description: firstSentence(traits.doc),
  }));
}

function firstSentence(doc: string): string {
  return doc.split(/\.(?:\s|$)/u, 1).join();
}
