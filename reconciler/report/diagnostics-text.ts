// Diagnostics as text: where, how bad, what and what to do; the worst first, and no more than a person reads.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits.ts";
import { type Ink, type Look, paint } from "./style.ts";
import { counted, visible } from "./visible.ts";

const severities = ["error", "warning", "info"] as const;
const inks: Readonly<Record<Diagnostic["severity"], Ink>> = {
  error: "red",
  warning: "yellow",
  info: "cyan",
};

/** All diagnostics, those beyond the bound counted; empty for none. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], look: Look): string {
  if (diagnostics.length === 0) return "";
  const sorted = severities.flatMap((one) =>
    diagnostics.filter(({ severity }) => severity === one),
  );
  const shown = sorted.slice(0, limits.diagnosticsShown);
  const rest = sorted.slice(limits.diagnosticsShown);
  return [
    ...shown.flatMap((one) => diagnosticLines(one, look)),
    ...(rest.length > 0 ? [`… and ${tally(rest)} more`] : []),
    ...(diagnostics.length > 1 ? [tally(diagnostics)] : []),
  ].join("\n");
}

/** `stack.yaml:3:7`. */
export function placeText({ file, line, column }: Place): string {
  return `${visible(file)}:${line}:${column}`;
}

function diagnosticLines(diagnostic: Diagnostic, look: Look): readonly string[] {
  const { code, severity, summary, remedy, place, path, address } = diagnostic;
  const where = place === undefined ? "" : `${placeText(place)}: `;
  const of = address === undefined || summary.includes(address) ? [] : [visible(address)];
  const at = [...(path === undefined || path === "" ? [] : [visible(path)]), ...of].join(" of ");
  return [
    `${where}${paint(look, inks[severity], severity)}: ${visible(summary)} ${paint(look, "dim", `[${code}]`)}`,
    ...(at === "" ? [] : [`    ${paint(look, "dim", `at ${at}`)}`]),
    ...(remedy === undefined ? [] : [`    → ${visible(remedy)}`]),
  ];
}

function tally(diagnostics: readonly Diagnostic[]): string {
  const names = { error: "error", warning: "warning", info: "note" } as const;
  return severities
    .map((one) => ({ one, count: diagnostics.filter(({ severity }) => severity === one).length }))
    .filter(({ count }) => count > 0)
    .map(({ one, count }) => counted(count, names[one]))
    .join(", ");
}
