// Writes HTML from templates: every value is escaped unless it is already HTML. A template library would compile files
// at run time for a few static pages; here the types allow only escaped values.

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | undefined | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns HTML with the values of a template escaped. `undefined` is left out. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.map((part, index) => `${part}${textOf(values[index])}`).join("");
  return new Html(text);
}

function textOf(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value !== "string") return value.map(({ text }) => text).join("\n");
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
