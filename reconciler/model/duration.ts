// Lengths of time as documents write them, whole numbers with units, and as people read them.
import { invariant } from "../../core/errors.ts";

/** What a length of time looks like: `30s`, `90m`, `24h`, `1d12h`; never nothing. */
export const durationPattern =
  "^(?=.*[1-9])([0-9]{1,4}d)?([0-9]{1,4}h)?([0-9]{1,5}m)?([0-9]{1,6}s)?$";

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a text that {@link durationPattern} lets pass. */
export function milliseconds(text: string): number {
  invariant(new RegExp(durationPattern, "u").test(text), "a length of time has its form");
  const parts = [...text.matchAll(/(\d+)([dhms])/gu)];
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
}

/** The two largest units of a length of time, for people: `2 d 3 h`; `0 s` for less than a second. */
export function durationText(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000)) * 1000;
  const parts: string[] = [];
  for (const unit of ["d", "h", "m", "s"] as const) {
    const count = Math.floor(left / units[unit]);
    left -= count * units[unit];
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}
