// The comment of a pull request: the Markdown reports of its stacks, in what the host accepts.

/** Returns the first line of the comment of a check, which finds it again. */
export function commentMarker(name: string): string {
  return `<!-- svc comment ${encodeURIComponent(name)} -->`;
}

const reportStart = /^(?=<!-- svc )/mu;

/**
 * Returns the reports in at most `most` characters. Reports that do not fit are left out from the end, and named. A report
 * begins with the comment `<!-- svc … -->`, and a heading.
 */
export function commentBody(texts: readonly string[], most: number): string {
  const reports = texts.flatMap((text) => text.split(reportStart)).filter((text) => text.trim());
  const whole = reports.join("\n");
  if (whole.length <= most) return whole;
  const notices = reports.map((report) => `\n${titleOf(report)} (left out)\n`);
  const introduction =
    "\n**This comment is too long for all reports. Those of the job are complete.**\n";
  let room = most - introduction.length - notices.join("").length - reports.length;
  const kept = reports.findIndex((report, index) => {
    room += (notices[index] ?? "").length - report.length;
    return room < 0;
  });
  const shown = [...reports.slice(0, kept), introduction, ...notices.slice(kept)].join("\n");
  return shown.length <= most
    ? shown
    : `${introduction}\n${reports.length} reports are left out.\n`;
}

function titleOf(report: string): string {
  return /^###? .*$/mu.exec(report)?.[0].slice(0, 300) ?? "### Report";
}
