// Lists resource types, and their fields after a dot, for completion.
import { componentFields } from "../../core/kind/component-schema.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { components, kinds } from "../../resources/index.ts";
import type { Candidate } from "../shared/lookup/candidate.ts";

/** Returns the resource types. */
export function kindCandidates(): readonly Candidate[] {
  return kinds.map(({ name, doc }) => ({ value: name, description: firstSentence(doc) }));
}

function componentCandidates(): readonly Candidate[] {
  return components.map(({ name, doc }) => ({ value: name, description: firstSentence(doc) }));
}

/** Returns the resource types and components; the fields of one if the word names it with a dot. */
export function fieldCandidates(word: string): readonly Candidate[] {
  const [named] = word.split(".");
  if (!word.includes(".")) return [...kindCandidates(), ...componentCandidates()];
  const kind = kinds.find(({ name }) => name === named);
  const component = components.find(({ name }) => name === named);
  const fields = kind ? fieldsOf(kind) : component ? componentFields(component) : [];
  return fields.map(({ name, traits }) => ({
    value: `${named}.${name}`,
    description: firstSentence(traits.doc),
  }));
}

function firstSentence(doc: string): string {
  return doc.split(/\.(?:\s|$)/u, 1).join();
}
