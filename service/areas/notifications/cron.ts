// Parses cron expressions with five fields, checks each field, and normalizes the text.
import { fieldError } from "../field-error.ts";

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const days = "SUN MON TUE WED THU FRI SAT".split(" ");

const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: months },
  { name: "day of the week", min: 0, max: 7, names: days },
];

/**
 * Returns the expression with single spaces and names in capitals. Throws `invalid` with the field's name if it is not
 * a cron expression of minute, hour, day of the month, month and day of the week.
 */
export function normalizeCron(text: string): string {
  const parts = text.trim().toUpperCase().split(/\s+/);
  if (parts.length !== fields.length) {
    throw fieldError("customCron", [
      "invalid",
      `customCron has ${parts.length} fields; it needs 5: minute, hour, day of the month, month, day of the week`,
    ]);
  }
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? "";
    if (part.split(",").every((item) => isValidItem(item, field))) continue;
    throw fieldError("customCron", [
      "invalid",
      `customCron: ${JSON.stringify(part)} is not a valid ${field.name}; use ${field.min} to ${field.max}`,
    ]);
  }
  return parts.join(" ");
}

/** Parses `*`, a value or a range, each with an optional step. */
function isValidItem(item: string, field: Field): boolean {
  const [range = "", step, ...more] = item.split("/");
  if (more.length > 0 || (step !== undefined && !/^[1-9][0-9]?$/.test(step))) return false;
  if (range === "*") return true;
  const [from, to, ...rest] = range.split("-").map((value) => fieldValue(value, field));
  if (from === undefined || rest.length > 0 || !isInRange(from, field)) return false;
  // A step needs a range.
  if (to === undefined) return !range.includes("-") && step === undefined;
  return isInRange(to, field) && from <= to;
}

function isInRange(value: number, { min, max }: Field): boolean {
  return value >= min && value <= max;
}

/** Returns the number, or the number of a name; NaN for anything else. */
function fieldValue(text: string, { min, names = [] }: Field): number {
  const named = names.indexOf(text);
  if (named >= 0) return named + min;
  return /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
}
