// Suspensions of sources: those of the configuration, and those that operators set, which are documents of the state.
import { type Static, Type } from "typebox";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { durationText, milliseconds } from "../core/text/duration.ts";
import { datePattern, durationPattern, offsetTimePattern } from "../core/text/text-patterns.ts";
import type { Suspension } from "./api-types.ts";
import type { Source } from "./config.ts";
import type { Documents } from "./state-store.ts";

const suspensionSchema = Type.Object({
  by: Type.String(),
  reason: Type.String(),
  expires: Type.String(),
});

declaredValidator(suspensionSchema);

export const suspensionDocument = { name: "suspension", schema: suspensionSchema } as const;

/** Returns the suspension of a source that is in force: that of the configuration, or else the one that an operator set. */
export async function suspensionOf(
  { suspend }: Pick<Source, "suspend">,
  documents: Documents,
  now: Date,
): Promise<Suspension | undefined> {
  const configured = suspend && {
    by: suspend.owner,
    reason: suspend.reason,
    expires: endOfDay(suspend.expires),
    configured: true,
  };
  const isInForce = ({ expires }: { readonly expires: string }): boolean =>
    now.getTime() < Date.parse(expires);
  if (configured !== undefined && isInForce(configured)) return configured;
  const set = await documents.read(suspensionDocument);
  return set !== undefined && isInForce(set) ? { ...set, configured: false } : undefined;
}

/** Suspends a source. A later suspension replaces the earlier one. */
export function saveSuspension(
  documents: Documents,
  suspension: Static<typeof suspensionSchema>,
): Promise<void> {
  return documents.write(suspensionDocument, suspension);
}

/** Ends the suspension that an operator set. */
export function removeSuspension(documents: Documents): Promise<void> {
  return documents.remove(suspensionDocument);
}

/**
 * Returns the end of a suspension in ISO 8601 from a duration (`4h`), a date (its last day, in UTC) or a time with an offset.
 * Fails with `usage` for another text, and for an end that is past or too far.
 */
export function suspensionEnd(text: string, now: Date): string {
  const end = endOf(text, now);
  const remedy =
    "Write a duration such as 4h, a date such as 2027-03-01, or a time with an offset.";
  if (end === undefined)
    throw new Failure("usage", `${text} is not the end of a suspension`, { remedy });
  const left = end.getTime() - now.getTime();
  if (left <= 0)
    throw new Failure("usage", `the suspension would have ended before: ${text}`, { remedy });
  if (left > limits.controllerSuspensionMs) {
    const most = durationText(limits.controllerSuspensionMs);
    throw new Failure("usage", `a suspension lasts at most ${most}`, { remedy });
  }
  return end.toISOString();
}

function endOf(text: string, now: Date): Date | undefined {
  const matches = (pattern: string): boolean => new RegExp(pattern, "u").test(text);
  if (matches(durationPattern)) return dateOf(now.getTime() + milliseconds(text));
  if (matches(datePattern)) return dateOf(Date.parse(endOfDay(text)));
  return matches(offsetTimePattern) ? dateOf(Date.parse(text)) : undefined;
}

/** Returns undefined for a time that does not exist. */
function dateOf(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Returns the end of a day in UTC; the text itself if there is no such day. */
function endOfDay(date: string): string {
  const begin = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(begin) ? date : new Date(begin + 86_400_000).toISOString();
}
