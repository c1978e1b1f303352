// Checks that the file and the heading of each link between pages exist.
import { posix } from "node:path";
import { anchorsOf, relativeLinks } from "../support/page-links.ts";

/** Returns the text of a file, "" for a folder, and undefined for a path that does not exist. */
export type ReadText = (path: string) => string | undefined;

/** Returns one line for each broken link of a page. */
export function linkProblems(page: string, textOf: ReadText): readonly string[] {
  return relativeLinks(textOf(page) ?? "").flatMap(({ path, anchor }) => {
    const target = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), path));
    const text = textOf(target.replace(/\/$/u, ""));
    if (text === undefined) return [`${page}: there is no ${target}`];
    const hasAnchor =
      anchor === undefined || !target.endsWith(".md") || anchorsOf(text).has(anchor);
    return hasAnchor ? [] : [`${page}: ${target} has no heading #${anchor}`];
  });
}
