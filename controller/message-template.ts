// Templates of messages: text with {{FIELD}} in it, and no logic.
import { didYouMean, quoted } from "../core/text/naming.ts";

/** What a template may contain. */
export const messageFields = [
  "source",
  "type",
  "mode",
  "result",
  "reason",
  "commit",
  "plan",
  "drifted",
  "conflicts",
  "deletes",
  "time",
] as const;

/** The name of a field of a template. */
export type MessageField = (typeof messageFields)[number];

/** Matches a field in a template. */
export const placeholder = /\{\{\s*([^{}\s]*)\s*\}\}/gu;

/** Returns what is wrong with a template; undefined if nothing is. */
export function templateError(template: string): string | undefined {
  const fields = [...template.matchAll(placeholder)].map(([, field = ""]) => field);
  const unknown = fields.find((field) => !messageFields.some((name) => name === field));
  if (unknown !== undefined)
    return `a message has no field ${quoted(unknown)}. ${didYouMean(unknown, messageFields, quoted)}`.trim();
  return /\{\{|\}\}/u.test(template.replace(placeholder, ""))
    ? "{{ and }} must enclose the name of a field"
    : undefined;
}
