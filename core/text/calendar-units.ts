// The units of the calendar: intervals of data models are made of them, and every time dimension has them as granularities.

/** The units, shortest first. */
export const calendarUnits = [
  "second",
  "minute",
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
] as const;

/** A unit. */
export type CalendarUnit = (typeof calendarUnits)[number];

/** Returns whether a text names a unit. */
export function isCalendarUnit(text: string): text is CalendarUnit {
  return calendarUnits.some((unit) => unit === text);
}
