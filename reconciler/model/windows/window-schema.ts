// Windows and freezes as they are written: when changes may be made, by whom that was said, and why.
import { type Static, type TSchema, Type } from "typebox";
import { limits } from "../../../core/limits.ts";
import { isTimeZone } from "../../../core/text-patterns.ts";
import { durationPattern, milliseconds } from "../duration.ts";
import { isSchedule } from "./schedule.ts";

const closed = { additionalProperties: false } as const;
const timestampPattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$";

const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description });
const reason = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: "\\S",
  description: "Why, for whoever is kept waiting.",
});

const match = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(name("A kind."), { minItems: 1, description: "Objects of one of these kinds." }),
    ),
    names: Type.Optional(
      Type.Array(name("A document's metadata.name; * stands for any text."), {
        minItems: 1,
        description:
          "Objects with one of these names, by their documents or when they were written last; * stands for any text.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Objects with all of these labels, by their documents or when they were written last.",
      }),
    ),
  },
  { ...closed, description: "Which objects it holds for, by all that is given; without it, all." },
);

const windowSchema = Type.Object(
  {
    effect: Type.String({
      enum: ["allow", "deny"],
      description:
        "deny: nothing is changed in the window. allow: nothing is changed outside it, and outside every other that allows. What denies wins.",
    }),
    schedule: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "When it opens, as cron of five fields: 0 9 * * mon-fri.",
    }),
    duration: Type.String({
      pattern: durationPattern,
      description: "How long it is open from then on, in time that passes: 8h, 90m, 1d12h.",
    }),
    timeZone: Type.Optional(
      Type.String({
        default: "UTC",
        maxLength: 100,
        description: "Time zone of the schedule: Europe/Berlin.",
      }),
    ),
    match: Type.Optional(match),
    reason,
    owner: Type.Optional(name("Whom to ask.")),
    expires: Type.Optional(
      Type.String({
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        description: "Last day on which it holds, in UTC: 2027-03-01.",
      }),
    ),
  },
  { ...closed, description: "A time in which changes are allowed, or are not." },
);

const freezeSchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: timestampPattern,
        description: "From when on, with its offset: 2026-12-20T18:00:00+01:00; without it, now.",
      }),
    ),
    to: Type.String({ pattern: timestampPattern, description: "Until when, with its offset." }),
    match: Type.Optional(match),
    reason,
    owner: name("Whom to ask."),
  },
  { ...closed, description: "Nothing is changed until it is over." },
);

/** A time that comes again, in which changes are allowed or denied. */
export type Window = Static<typeof windowSchema>;

/** A time in which nothing is changed. */
export type Freeze = Static<typeof freezeSchema>;

/** Which objects a rule holds for. */
export type Match = Static<typeof match>;

/** `windows` and `freezes` as members of a schema. */
export const windowSchemaMembers = {
  windows: Type.Optional(
    Type.Array(windowSchema, {
      maxItems: limits.windows,
      description: "Times in which changes are allowed, or are not.",
    }),
  ),
  freezes: Type.Optional(
    Type.Array(freezeSchema, {
      maxItems: limits.windows,
      description: "Times in which nothing is changed.",
    }),
  ),
} satisfies Record<string, TSchema>;

/** Rules that hold together: where one of several sets is closed, all are. */
export interface WindowRuleSet {
  /** Whose they are, within a sentence: `the Stack`. */
  readonly by: string;
  readonly windows: readonly Window[];
  readonly freezes: readonly Freeze[];
}

/** A rule that fits its schema and means nothing all the same; the path begins at `windows` or `freezes`. */
export interface WindowRuleError {
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
}

/** What a schema cannot say of rules. */
export function windowRuleErrors({
  windows,
  freezes,
}: Omit<WindowRuleSet, "by">): readonly WindowRuleError[] {
  return [
    ...windows.flatMap((one, index) => windowErrors(one, `/windows/${index}`)),
    ...freezes.flatMap((one, index) => freezeErrors(one, `/freezes/${index}`)),
  ];
}

function windowErrors(one: Window, at: string): WindowRuleError[] {
  const { schedule, timeZone = "UTC", duration, expires } = one;
  const found: WindowRuleError[] = [];
  const tell = (path: string, summary: string, remedy: string): void => {
    found.push({ path: `${at}${path}`, summary, remedy });
  };
  if (!isTimeZone(timeZone)) {
    tell("/timeZone", `there is no time zone "${timeZone}"`, "Use a name such as Europe/Berlin.");
  } else if (!isSchedule(schedule, timeZone)) {
    const remedy = "Write minute, hour, day of month, month and day of week: 0 9 * * mon-fri.";
    tell("/schedule", `"${schedule}" is no cron schedule, or never comes`, remedy);
  }
  const most = limits.windowDays;
  const lasts = milliseconds(duration);
  if (lasts < 60_000 || lasts > most * 86_400_000)
    tell("/duration", `"${duration}" is not within 1m and ${most}d`, "Write 8h, 90m or 1d12h.");
  if (expires !== undefined && !isDay(expires))
    tell("/expires", `there is no day ${expires}`, "Write YYYY-MM-DD.");
  return found;
}

function freezeErrors({ from, to }: Freeze, at: string): WindowRuleError[] {
  const remedy = "Write a date and time with its offset: 2026-12-20T18:00:00+01:00.";
  const wrong = (["from", "to"] as const).flatMap((member): WindowRuleError[] => {
    const given = { from, to }[member];
    if (given === undefined || !Number.isNaN(Date.parse(given))) return [];
    return [{ path: `${at}/${member}`, summary: `there is no moment ${given}`, remedy }];
  });
  if (wrong.length > 0 || from === undefined || Date.parse(from) < Date.parse(to)) return wrong;
  const summary = "the freeze ends before it begins";
  return [{ path: `${at}/to`, summary, remedy: "Let `to` come after `from`." }];
}

/** Not the 30th of February, which dates roll over. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
