// Finds substitutions without quotes inside braces and brackets, where YAML reads them as objects.
import { Composer, Parser, type Document as YamlDocument } from "yaml";
import { quoted } from "../../core/text/naming.ts";
import type { YamlSyntaxError } from "../../core/text/yaml-errors.ts";
import type { Source } from "./syntax-errors.ts";

/** A YAML document, and the substitutions in it that have no quotes. */
export interface ReadDocument {
  readonly yaml: YamlDocument.Parsed;
  readonly unquoted: readonly YamlSyntaxError[];
  /** The document with text in place of its substitutions. Its errors are those that do not follow from `unquoted`. */
  readonly corrected: YamlDocument.Parsed;
}

/** Reads the documents of a text. Reads them a second time only if a substitution has no quotes. */
export function* readDocuments(source: Source): Generator<ReadDocument> {
  let count = 0;
  let next: Generator<YamlDocument.Parsed> | undefined;
  let passed = 0;
  for (const yaml of composed(source.text)) {
    const unquoted = unquotedSubstitutions(source, yaml);
    count++;
    if (unquoted.length === 0) {
      yield { yaml, unquoted, corrected: yaml };
      continue;
    }
    next ??= composed(withoutSubstitutions(source.text));
    let corrected: YamlDocument.Parsed | undefined;
    for (; passed < count; passed++) corrected = next.next().value as typeof corrected;
    yield { yaml, unquoted, corrected: corrected ?? yaml };
  }
}

function composed(text: string): Generator<YamlDocument.Parsed> {
  // The conversion reports duplicate keys: the library compares each key with all others.
  const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
  return new Composer({ ...options, uniqueKeys: false }).compose(new Parser().parse(text));
}

/** The length of text that is searched for the end of a substitution. */
const longest = 200;

function unquotedSubstitutions(
  { text }: Source,
  { errors }: YamlDocument.Parsed,
): readonly YamlSyntaxError[] {
  return errors.flatMap(({ pos: [offset] }) => {
    const start = offset - 1;
    if (!/^\$\{[^}\n]*\}/u.test(text.slice(start, start + longest))) return [];
    const message = "text with ${...} inside { } or [ ] has no quotes";
    const remedy = `Put quotes around the text: ${quoted(textAround(text, start))}.`;
    return [{ offset: start, message, remedy }];
  });
}

/** Returns the whole text that a substitution is in: between commas, brackets, a colon, and a comment. */
function textAround(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - longest), start);
  const [begun = ""] = before.split(/[\n,[\]{}]|:\s|(?<="):/u).slice(-1);
  const after = /^(?:\$\{[^}\n]*\}|(?!:\s|\s#)[^\n,[\]{}])*/u;
  const [rest = ""] = after.exec(text.slice(start, start + longest)) ?? [];
  return `${begun}${rest}`.trim();
}

/** Returns a text of the same length and lines in which YAML reads substitutions as text. */
function withoutSubstitutions(text: string): string {
  return text.replaceAll(/\$\{[^}\n]*\}/gu, (one) => one.replaceAll(/\W/gu, "_"));
}
