// Notification schedules: the members of each type, as a cron expression and as a description.
import type { Static } from "typebox";
import {
  requiredScheduleMembers,
  type ScheduleMember,
  scheduleMembers,
  scheduleMembersByType,
  type ScheduleType,
} from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import { normalizeCron } from "./normalize-cron.ts";

type ScheduleKind = Static<typeof ScheduleType>;

/** The members of a request that define a schedule. `null` counts as absent. */
export type ScheduleInput = {
  readonly [M in Exclude<ScheduleMember, "customCron">]?: number | null;
} & {
  readonly customCron?: string | null;
};

/** The stored form of a schedule. */
export interface Schedule {
  readonly type: ScheduleKind;
  readonly cron: string;
}

/**
 * Returns the schedule that a request defines. Minute and hour default to 0. Throws `invalid` if the type needs a day
 * or a cron expression that is missing, and for members that the type does not use.
 */
export function newSchedule(type: ScheduleKind, input: ScheduleInput): Schedule {
  refuseUnusedMembers(type, input);
  const missing = scheduleMembersByType[type].filter(
    (name) => requiredScheduleMembers.includes(name) && input[name] == null,
  );
  if (missing.length > 0) {
    throw new Failure("invalid", `a ${type} schedule needs ${missing.join(" and ")}`);
  }
  return { type, cron: toCron(type, input) };
}

/** Returns the schedule with the given members changed. The other members stay. */
export function changedSchedule({ type, cron }: Schedule, input: ScheduleInput): Schedule {
  refuseUnusedMembers(type, input);
  const given = Object.fromEntries(
    scheduleMembers.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]])),
  );
  if (Object.keys(given).length === 0) return { type, cron };
  return { type, cron: toCron(type, { ...parseCronMembers({ type, cron }), ...given }) };
}

function refuseUnusedMembers(type: ScheduleKind, input: ScheduleInput): void {
  const unused = scheduleMembers.filter(
    (name) => input[name] != null && !scheduleMembersByType[type].includes(name),
  );
  if (unused.length === 0) return;
  const used = scheduleMembersByType[type].join(", ");
  throw new Failure("invalid", `a ${type} schedule uses ${used} only; remove ${unused.join(", ")}`);
}

function toCron(type: ScheduleKind, input: ScheduleInput): string {
  const { minute, hour, dayOfWeek, dayOfMonth, customCron } = input;
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
    scheduleMembersByType[type].map((name) => [name, all[name as keyof typeof all]]),
  );
}

const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Describes the schedule in words: `Every Monday at 09:00`. */
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
