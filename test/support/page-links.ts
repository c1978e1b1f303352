// Reads the links of a page in Markdown, and the anchors that others can link to.

/** A link to a file, or to a heading of it. The path of a heading of the same page is empty. */
export interface RelativeLink {
  readonly path: string;
  readonly anchor: string | undefined;
}

/** Returns the links of a page to files, except in code. */
export function relativeLinks(page: string): readonly RelativeLink[] {
  const text = withoutBlocks(page).replaceAll(/`[^`\n]*`/gu, "");
  return [...text.matchAll(/\]\(([^)\s]+)/gu)]
    .map(([, target = ""]) => target)
    .filter((target) => !target.includes(":"))
    .map((target) => {
      const [path = "", anchor] = target.split("#", 2);
      return { path, anchor };
    });
}

/** Returns the anchors of the headings of a page, as GitHub names them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = withoutBlocks(page).matchAll(/^#+ (.+)$/gmu);
  return new Set([...headings].map(([, heading = ""]) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

function withoutBlocks(page: string): string {
  return page.replaceAll(/^\s*```.*?^\s*```/gmsu, "");
}
