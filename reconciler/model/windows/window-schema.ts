// The schema of maintenance windows and freezes, and the checks that JSON Schema cannot express.
import { type Static, type TSchema, Type } from "typebox";
import { cronError } from "../../../core/text/cron.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  datePattern,
  offsetTimePattern,
  visiblePattern,
} from "../../../core/text/text-patterns.ts";
import { durationPattern } from "../../../core/text/text-patterns.ts";
import { milliseconds } from "../../../core/text/duration.ts";
import { isTimeZoneName, timeZoneRemedy } from "../../../core/text/time-zones.ts";

const closed = { additionalProperties: false } as const;

const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: visiblePattern, description });
const reason = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: visiblePattern,
  description: "Why the rule exists. Shown when it blocks a change.",
});

const match = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(name("A resource type."), {
        minItems: 1,
        description: "Resource types that the rule applies to.",
      }),
    ),
    names: Type.Optional(
      Type.Array(name("A metadata.name. `*` matches any text."), {
        minItems: 1,
        description:
          "Names that the rule applies to: the document's metadata.name, now or when it was last applied. `*` matches any text.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Labels that an object must have, all of them: in its document, now or when it was last applied.",
      }),
    ),
  },
  {
    ...closed,
    description:
      "The objects that the rule applies to; all conditions must match. Default: all objects.",
  },
);

const windowSchema = Type.Object(
  {
    effect: Type.String({
      enum: ["allow", "deny"],
      description:
        "`deny`: no changes inside the window. `allow`: changes only inside this window or another `allow` window. `deny` wins over `allow`.",
    }),
    schedule: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "When the window opens: a cron expression of five fields, such as `0 9 * * mon-fri`.",
    }),
    duration: Type.String({
      pattern: durationPattern,
      description:
        "How long the window stays open, in elapsed time, such as `8h`, `90m` or `1d12h`.",
    }),
    timeZone: Type.Optional(
      Type.String({
        default: "UTC",
        maxLength: 100,
        description: "Time zone of the schedule, such as `Europe/Berlin`.",
      }),
    ),
    match: Type.Optional(match),
    reason,
    owner: Type.Optional(name("Contact for questions about the rule.")),
    expires: Type.Optional(
      Type.String({
        pattern: datePattern,
        description: "Last day on which the window applies, in UTC, such as `2027-03-01`.",
      }),
    ),
  },
  { ...closed, description: "A recurring time in which changes are allowed or denied." },
);

const freezeSchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: offsetTimePattern,
        description:
          "Start, with UTC offset, such as `2026-12-20T18:00:00+01:00`. Default: already started.",
      }),
    ),
    to: Type.String({ pattern: offsetTimePattern, description: "End, with UTC offset." }),
    match: Type.Optional(match),
    reason,
    owner: name("Contact for questions about the rule."),
  },
  { ...closed, description: "A time in which no changes are made." },
);

/** A recurring time in which changes are allowed or denied. */
export type Window = Static<typeof windowSchema>;

/** A time in which no changes are made. */
export type Freeze = Static<typeof freezeSchema>;

/** The objects that a rule applies to. */
export type Match = Static<typeof match>;

/** The schema members `windows` and `freezes`. */
export const windowSchemaMembers = {
  windows: Type.Optional(
    Type.Array(windowSchema, {
      maxItems: limits.windows,
      description: "Maintenance windows: recurring times in which changes are allowed or denied.",
    }),
  ),
  freezes: Type.Optional(
    Type.Array(freezeSchema, {
      maxItems: limits.windows,
      description: "Freezes: times in which no changes are made.",
    }),
  ),
} satisfies Record<string, TSchema>;

/** Rules of one owner. A change must be allowed by every set. */
export interface WindowRuleSet {
  /** The owner of the rules, as words in a sentence: `the Stack`. */
  readonly by: string;
  readonly windows: readonly Window[];
  readonly freezes: readonly Freeze[];
}

/** An error in a rule that its schema accepts. The path begins at `windows` or `freezes`. */
export interface WindowRuleError {
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
}

/** Checks the rules that the schema cannot express. */
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
  const addError = (path: string, summary: string, remedy: string): void => {
    found.push({ path: `${at}${path}`, summary, remedy });
  };
  if (!isTimeZoneName(timeZone)) {
    addError(
      "/timeZone",
      `"${timeZone}" is not a time zone`,
      timeZoneRemedy(timeZone) ?? "Use an IANA name such as Europe/Berlin.",
    );
  } else {
    const why = cronError(schedule, timeZone);
    const remedy = "Write minute, hour, day of month, month, day of week, such as 0 9 * * mon-fri.";
    if (why !== undefined)
      addError("/schedule", `"${schedule}" is not a valid cron expression: ${why}`, remedy);
  }
  const maxDays = limits.windowDays;
  const length = milliseconds(duration);
  if (length < 60_000 || length > maxDays * 86_400_000)
    addError(
      "/duration",
      `"${duration}" is not between 1m and ${maxDays}d`,
      "Write a duration such as 8h.",
    );
  if (expires !== undefined && !isDay(expires))
    addError("/expires", `${expires} is not a date`, "Write YYYY-MM-DD.");
  return found;
}

function freezeErrors({ from, to }: Freeze, at: string): WindowRuleError[] {
  const remedy = "Write a date and time with UTC offset, such as 2026-12-20T18:00:00+01:00.";
  const invalid = (["from", "to"] as const).flatMap((member): WindowRuleError[] => {
    const given = { from, to }[member];
    if (given === undefined || !Number.isNaN(Date.parse(given))) return [];
    return [{ path: `${at}/${member}`, summary: `${given} is not a date and time`, remedy }];
  });
  if (invalid.length > 0 || from === undefined || Date.parse(from) < Date.parse(to)) return invalid;
  const summary = "the freeze ends before it begins";
  return [{ path: `${at}/to`, summary, remedy: "Set `to` after `from`." }];
}

/** Returns false for dates such as 30 February, which `Date` rolls over. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
