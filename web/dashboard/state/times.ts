// Times of the page itself, such as the freshness of data.
import { shownLanguage } from "../../ui/i18n/text.ts";

/** Returns when data was read: the time, with the day unless it is today. */
export function clockText(time: string, zone: string | undefined): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const language = shownLanguage();
  const options = zone === undefined ? {} : { timeZone: zone };
  const dayOf = (one: Date) =>
    new Intl.DateTimeFormat(language, { ...options, dateStyle: "short" }).format(one);
  const isToday = dayOf(date) === dayOf(new Date());
  return new Intl.DateTimeFormat(language, {
    ...options,
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(date);
}
