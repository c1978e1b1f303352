// A moment: how long ago or ahead, with the date as its title.

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
