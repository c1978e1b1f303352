// Mentions in comments: "@" and a name. Pure.

/** A user whom comments can mention. */
export interface Person {
  readonly id: number;
  readonly name: string;
}

/** A name that is being written. */
export interface OpenMention {
  /** Where its "@" is. */
  readonly start: number;
  /** What follows the "@". */
  readonly search: string;
}

const longestName = 60;

/** Returns the mention that ends at the caret; undefined if there is none, or if its name is whole. */
export function mentionBefore(
  text: string,
  caret: number,
  chosen: readonly Person[],
): OpenMention | undefined {
  const found = /(?:^|\s)@([^@\n]*)$/u.exec(text.slice(0, caret));
  const search = found?.[1];
  if (search === undefined || search.length > longestName) return undefined;
  if (chosen.some(({ name }) => search.startsWith(`${name} `))) return undefined;
  return { start: caret - search.length - 1, search };
}

/** Returns a text with a name in place of what was written of it, and the place behind the name. */
export function withMention(
  text: string,
  { start, search }: OpenMention,
  { name }: Person,
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, start)}@${name} `;
  const after = text.slice(start + 1 + search.length);
  return { text: before + after.replace(/^ /u, ""), caret: before.length };
}

/** Returns the people whose mentions a text still has. */
export function mentionedIn(text: string, chosen: readonly Person[]): readonly Person[] {
  const mentions = partsOf(text, chosen).filter(({ isMention }) => isMention);
  const names = new Set(mentions.map((mention) => mention.text));
  return chosen.filter(({ name }) => names.has(`@${name}`));
}

/** Returns the parts of a text: mentions of these people, and what is between them. */
export function partsOf(
  text: string,
  people: readonly Person[],
): readonly { readonly text: string; readonly isMention: boolean }[] {
  // A longer name may begin with a shorter one.
  const names = people.map(({ name }) => `@${name}`).toSorted((a, b) => b.length - a.length);
  const parts: { text: string; isMention: boolean }[] = [];
  let rest = text;
  while (rest !== "") {
    const [first] = names
      .flatMap((name) => (rest.includes(name) ? [{ name, at: rest.indexOf(name) }] : []))
      .toSorted((a, b) => a.at - b.at);
    const before = rest.slice(0, first?.at);
    if (before !== "") parts.push({ text: before, isMention: false });
    if (first === undefined) break;
    parts.push({ text: first.name, isMention: true });
    rest = rest.slice(first.at + first.name.length);
  }
  return parts;
}
