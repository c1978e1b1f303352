// The topics of `svc help TOPIC`, which come from pages of the documentation.
import pages from "./topics.json" with { type: "json" };

/** The title of each topic by its name. */
export const topicTitles: ReadonlyMap<string, string> = new Map([
  ["topics", "the list of topics"],
  ...Object.entries(pages).map(([name, { title }]) => [name, title] as const),
]);

/** The text of each topic by its name; `topics` is the list of them. */
export const topics: ReadonlyMap<string, string> = new Map([
  ["topics", listOfTopics()],
  ...Object.entries(pages).map(
    ([name, { title, text }]) => [name, `${title}\n\n${text}\n`] as const,
  ),
]);

function listOfTopics(): string {
  const width = Math.max(...Object.keys(pages).map(({ length }) => length));
  const lines = Object.entries(pages).map(
    ([name, { title }]) => `  ${name.padEnd(width)}  ${title}\n`,
  );
  return `Topics of svc help TOPIC:\n${lines.join("")}`;
}
