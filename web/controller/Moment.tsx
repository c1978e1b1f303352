// A moment: how long ago or ahead, with the date as its title.
import { escapeInvisible } from "../../core/text/escape-text.ts";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

export function Moment({ time }: { readonly time: string }) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return <span>{time}</span>;
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return (
    <time dateTime={time} title={dates.format(date)}>
      {relative.format(Math.round(seconds / length), unit)}
    </time>
  );
}

const times = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/u;

/** Shows a text of the controller, and its times as moments. */
export function TimedText({ text }: { readonly text: string }) {
  const parts = escapeInvisible(text).split(times);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <Moment time={part} /> : part))}</>;
}
