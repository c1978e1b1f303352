// Writes generated pages in Markdown.

const notice = "<!-- Generated from the declarations by `npm run generate`. Do not edit. -->";

/** Returns a generated page. */
export function page(title: string, parts: readonly string[]): string {
  return [notice, `# ${title}`, ...parts].join("\n\n") + "\n";
}

/** Returns a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
