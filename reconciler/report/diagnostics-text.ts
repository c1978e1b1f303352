// Formats diagnostics: position, severity, message and remedy. Worst first, up to a limit.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";
import { type Color, type TextStyle, paint } from "./style.ts";
import { pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

const severities = ["error", "warning", "info"] as const;
const severityColors: Readonly<Record<Diagnostic["severity"], Color>> = {
  error: "red",
  warning: "yellow",
  info: "cyan",
};

/** Formats diagnostics up to the limit, with a count of the rest; empty for none. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: TextStyle): string {
  if (diagnostics.length === 0) return "";
  const sorted = severities.flatMap((level) =>
    diagnostics.filter(({ severity }) => severity === level),
  );
  const shown = sorted.slice(0, limits.diagnosticsShown);
  const rest = sorted.slice(limits.diagnosticsShown);
  return [
    ...shown.flatMap((diagnostic) => diagnosticLines(diagnostic, style)),
    ...(rest.length > 0 ? [`… and ${countsText(rest)} more`] : []),
    ...(diagnostics.length > 1 ? [countsText(diagnostics)] : []),
  ].join("\n");
}

/** `stack.yaml:3:7`. */
export function placeText({ file, line, column }: Place): string {
  return `${escapeInvisible(file)}:${line}:${column}`;
}

function diagnosticLines(diagnostic: Diagnostic, style: TextStyle): readonly string[] {
  const { code, severity, summary, remedy, place, path, address } = diagnostic;
  const where = place === undefined ? "" : `${placeText(place)}: `;
  const of = address === undefined || summary.includes(address) ? [] : [escapeInvisible(address)];
  const field = [...(path === undefined || path === "" ? [] : [escapeInvisible(path)]), ...of].join(
    " of ",
  );
  return [
    `${where}${paint(style, severityColors[severity], severity)}: ${escapeInvisible(summary)} ${paint(style, "dim", `[${code}]`)}`,
    ...(field === "" ? [] : [`    ${paint(style, "dim", `at ${field}`)}`]),
    ...(remedy === undefined ? [] : [`    → ${escapeInvisible(remedy)}`]),
  ];
}

function countsText(diagnostics: readonly Diagnostic[]): string {
  const names = { error: "error", warning: "warning", info: "note" } as const;
  return severities
    .map((level) => ({
      level,
      count: diagnostics.filter(({ severity }) => severity === level).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ level, count }) => pluralize(count, names[level]))
    .join(", ");
}
