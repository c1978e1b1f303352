// Validates time zones by the database of the runtime.
import { fieldError } from "./field-error.ts";

/** Throws `invalid` if `name`, the value of the member `member`, is not a time zone. */
export function checkTimezone(name: string, member = "timezone"): void {
  if (isTimezone(name)) return;
  throw fieldError(member, ["invalid", `${member}: ${JSON.stringify(name)} is not a time zone`], {
    remedy: "Use a name of the IANA time zone database, such as Europe/Berlin or UTC.",
  });
}

function isTimezone(name: string): boolean {
  // Rejects offsets such as +02:00: they have no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
