// Lists failures: each distinct message once, with the first of its objects or checks.
import { limits } from "../core/limits/limits.ts";

/** A message about one object or check. */
export interface MessageAbout {
  /** `build of Deployment/a`. */
  readonly subject: string;
  readonly message: string;
}

/** Formats messages: `build of Deployment/a, Deployment/b and 3 more failed; GET https://shop.example answered 500`. */
export function foldMessages(all: readonly MessageAbout[], separator = " "): string {
  const texts = [...Map.groupBy(all, ({ message }) => message)].map(([message, about]) => {
    const subjects = subjectsText([...new Set(about.map(({ subject }) => subject))]);
    return subjects === "" ? message : `${subjects}${separator}${message}`;
  });
  const shown = texts.slice(0, limits.placesNamed);
  const rest = texts.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join("; ");
}

/** Formats the first subjects; words that begin all of them are written once. */
function subjectsText([first = "", ...others]: readonly string[]): string {
  const lead = first.slice(0, first.lastIndexOf(" ") + 1);
  const isShared = others.every((one) => one.startsWith(lead));
  const shown = others.slice(0, limits.placesNamed - 1);
  const rest = others.length - shown.length;
  const texts = [first, ...shown.map((one) => (isShared ? one.slice(lead.length) : one))];
  return `${texts.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
