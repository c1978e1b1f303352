// Validates time zones by the database of the runtime.
import { isTimeZone } from "../../../core/text/time-zones.ts";
import { fieldError } from "./field-error.ts";

/** Throws `invalid` if `name`, the value of the member `member`, is not a time zone. */
export function checkTimezone(name: string, member = "timezone"): void {
  // Offsets such as +02:00 have no daylight saving time.
  if (/^[A-Za-z]/.test(name) && isTimeZone(name)) return;
  throw fieldError(member, ["invalid", `${member}: ${JSON.stringify(name)} is not a time zone`], {
    remedy: "Use a name of the IANA time zone database, such as Europe/Berlin or UTC.",
  });
}
