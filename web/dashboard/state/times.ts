// Times of the page itself, such as the freshness of data.
import { intlFormats } from "../../../charts/formats/intl-formats.ts";
import { shownLanguage } from "../../ui/i18n/text.ts";

const formatOf = intlFormats<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat);

/** Returns a time in a time zone, UTC if there is none, as a time without a zone. */
export function localTime(time: string, zone = "UTC"): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  // Swedish writes times as ISO 8601 does.
  const format = { timeZone: zone, dateStyle: "short", timeStyle: "medium" } as const;
  return formatOf("sv-SE", format).format(date);
}

/** Returns when data was read: the time, with the day unless it is today. */
export function clockText(time: string, zone: string | undefined): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const language = shownLanguage();
  const options = zone === undefined ? {} : { timeZone: zone };
  const format = (style: Intl.DateTimeFormatOptions) =>
    formatOf(language, { ...options, ...style });
  const day = format({ dateStyle: "short" });
  const isToday = day.format(date) === day.format(new Date());
  return format({ timeStyle: "short", ...(!isToday && { dateStyle: "medium" }) }).format(date);
}
