// When a notification is sent: what each type of schedule is made of, as a cron expression and in words.
import type { Static } from "typebox";
import type { ScheduleType } from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import { fieldError } from "../field-error.ts";
import { normalizeCron } from "./cron.ts";

type ScheduleKind = Static<typeof ScheduleType>;

const scheduleMembers = ["minute", "hour", "dayOfWeek", "dayOfMonth", "customCron"] as const;
type ScheduleMember = (typeof scheduleMembers)[number];

/** The members of a request that make up a schedule; `null` is the same as none. */
export type ScheduleInput = {
  readonly [M in Exclude<ScheduleMember, "customCron">]?: number | null;
} & {
  readonly customCron?: string | null;
};

/** A schedule as it is stored. */
export interface Schedule {
  readonly type: ScheduleKind;
  readonly cron: string;
}

const membersByType: Readonly<Record<ScheduleKind, readonly ScheduleMember[]>> = {
  HOURLY: ["minute"],
  DAILY: ["minute", "hour"],
  WEEKLY: ["minute", "hour", "dayOfWeek"],
  MONTHLY: ["minute", "hour", "dayOfMonth"],
  CUSTOM: ["customCron"],
};

const requiredMembers: readonly ScheduleMember[] = ["dayOfWeek", "dayOfMonth", "customCron"];

/**
 * The schedule that a request makes. Minute and hour are 0 unless given; `invalid` where a day or the cron expression that
 * the type needs is missing, and for members that the type has no use for.
 */
export function newSchedule(type: ScheduleKind, wish: ScheduleInput): Schedule {
  refuseUnusedMembers(type, wish);
  const missing = membersByType[type].filter(
    (name) => requiredMembers.includes(name) && wish[name] == null,
  );
  if (missing.length > 0) {
    throw new Failure("invalid", `a ${type} schedule needs ${missing.join(" and ")}`);
  }
  return { type, cron: toCron(type, wish) };
}

/** The schedule with the given members changed; the others stay. */
export function changedSchedule({ type, cron }: Schedule, wish: ScheduleInput): Schedule {
  refuseUnusedMembers(type, wish);
  const given = Object.fromEntries(
    scheduleMembers.flatMap((name) => (wish[name] == null ? [] : [[name, wish[name]]])),
  );
  if (Object.keys(given).length === 0) return { type, cron };
  return { type, cron: toCron(type, { ...parseCronMembers({ type, cron }), ...given }) };
}

function refuseUnusedMembers(type: ScheduleKind, wish: ScheduleInput): void {
  const useless = scheduleMembers.filter(
    (name) => wish[name] != null && !membersByType[type].includes(name),
  );
  if (useless.length === 0) return;
  const made = membersByType[type].join(", ");
  throw new Failure(
    "invalid",
    `a ${type} schedule is made of ${made}, so ${useless.join(", ")} cannot be given`,
  );
}

function toCron(type: ScheduleKind, wish: ScheduleInput): string {
  const { minute, hour, dayOfWeek, dayOfMonth, customCron } = wish;
  if (type === "CUSTOM") return normalizeCron(customCron ?? "");
  const day = type === "MONTHLY" ? dayOfMonth : "*";
  const weekday = type === "WEEKLY" ? dayOfWeek : "*";
  return `${minute ?? 0} ${type === "HOURLY" ? "*" : (hour ?? 0)} ${day} * ${weekday}`;
}

function parseCronMembers({ type, cron }: Schedule): ScheduleInput {
  if (type === "CUSTOM") return { customCron: cron };
  const [minute, hour, dayOfMonth, , dayOfWeek] = cron.split(" ").map(Number);
  const all = { minute, hour, dayOfMonth, dayOfWeek };
  return Object.fromEntries(
    membersByType[type].map((name) => [name, all[name as keyof typeof all]]),
  );
}

const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** The schedule in words: `Every Monday at 09:00`. */
export function describeSchedule({ type, cron }: Schedule): string {
  const { minute = 0, hour = 0, dayOfWeek, dayOfMonth } = parseCronMembers({ type, cron });
  const at = [hour, minute].map((part) => String(part).padStart(2, "0")).join(":");
  switch (type) {
    case "HOURLY":
      return `Every hour at minute ${minute}`;
    case "DAILY":
      return `Every day at ${at}`;
    case "WEEKLY":
      return `Every ${weekdays[dayOfWeek ?? 0]} at ${at}`;
    case "MONTHLY":
      return `On day ${dayOfMonth} of every month at ${at}`;
    default:
      return `By the cron expression ${cron}`;
  }
}

/** Refuses what is no name of a time zone. */
export function checkTimezone(name: string): void {
  if (isTimezone(name)) return;
  throw fieldError("timezone", ["invalid", `timezone: ${JSON.stringify(name)} is no time zone`], {
    remedy: "Use a name of the IANA time zone database, such as Europe/Berlin or UTC.",
  });
}

function isTimezone(name: string): boolean {
  // An offset is none: it knows no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
