// Durations: the form that documents use (`1d12h`) and the text that messages show (`1 d 12 h`).
import { invariant } from "../errors.ts";
import { durationPattern } from "./text-patterns.ts";

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Converts a text that matches {@link durationPattern} to milliseconds. */
export function milliseconds(text: string): number {
  invariant(new RegExp(durationPattern, "u").test(text), "the duration matches its pattern");
  const parts = [...text.matchAll(/(\d+)([dhms])/gu)];
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
}

/** Formats a duration by its two largest units: `2 d 3 h`; `0 s` for less than a second. */
export function durationText(ms: number): string {
  let remaining = Math.max(0, Math.floor(ms / 1000)) * 1000;
  const parts: string[] = [];
  for (const unit of ["d", "h", "m", "s"] as const) {
    const count = Math.floor(remaining / units[unit]);
    remaining -= count * units[unit];
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}
