// Path and query parameters come as text; their schemas say what they are. Bodies are never coerced.
import type { TObject, TSchema } from "typebox";
import { Failure } from "../../core/errors.ts";
import { unfitText } from "./body.ts";

type Texts = Readonly<Record<string, unknown>>;

/** The values that `texts` spell; what does not spell a value of its schema's type is left as it is, to be refused. */
export function coerce(schema: TObject, texts: unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(texts as Texts)) {
    for (const part of Array.isArray(text) ? text : [text]) refuseUnfit(name, part);
    const property: TSchema | undefined = Object.hasOwn(schema.properties, name)
      ? schema.properties[name]
      : undefined;
    values[name] = property === undefined ? text : valueOf(property, text);
  }
  return values;
}

function refuseUnfit(name: string, text: unknown): void {
  const problem = typeof text === "string" ? unfitText(`${name}${text}`) : undefined;
  if (problem !== undefined) throw new Failure("invalid", `the parameter ${problem}`);
}

function valueOf(schema: TSchema, text: unknown): unknown {
  const { type, items } = schema as { type?: unknown; items?: TSchema };
  if (type === "array") {
    const texts: readonly unknown[] = Array.isArray(text) ? text : [text];
    return items === undefined ? texts : texts.map((item) => valueOf(items, item));
  }
  if (typeof text !== "string") return text;
  if (type === "integer" && /^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (type === "number" && /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
