// Tells the templates of a data model from plain YAML.
import { Lexer } from "yaml";
import { templateFile } from "./model-path.ts";

const tag = /\{%|\{\{|\{#[^]*?#\}/u;
/** What the lexer writes before the text of a scalar, and all that it writes between the parts of a text. */
const scalarMark = "\u001F";
const marks: ReadonlySet<string> = new Set([scalarMark, "\u0002", "\u0018"]);

/** Returns whether a file is a template of Jinja: by its name, or because its YAML has `{{`, `{%` or `{# #}` outside comments. */
export function isTemplate(path: string, text: string): boolean {
  return templateFile.test(path) || hasTags(text);
}

/** Returns whether YAML has tags of Jinja outside its comments. */
export function hasTags(text: string): boolean {
  if (!tag.test(text)) return false;
  let kept = "";
  let previous = "";
  for (const lexeme of new Lexer().lex(text)) {
    // A comment of YAML follows white space.
    const isComment = lexeme.startsWith("#") && previous !== scalarMark && previous !== "{";
    if (!isComment && !marks.has(lexeme)) kept += lexeme;
    previous = lexeme;
  }
  return tag.test(kept);
}
