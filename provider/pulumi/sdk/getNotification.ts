// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotification`. */
export interface GetNotificationArgs {
    /** The deployment that it belongs to. */
    deployment: string;
    /** The workbook whose published dashboard is delivered. */
    workbook: string;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
    schedule: string;
    /** Time zone of the schedule, as the IANA database calls it. */
    timezone?: string | undefined;
}

/** The arguments of `getNotificationOutput`. */
export interface GetNotificationOutputArgs {
    /** The deployment that it belongs to. */
    deployment: pulumi.Input<string>;
    /** The workbook whose published dashboard is delivered. */
    workbook: pulumi.Input<string>;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
    schedule: pulumi.Input<string>;
    /** Time zone of the schedule, as the IANA database calls it. */
    timezone?: pulumi.Input<string | undefined> | undefined;
}

/** The result of `getNotification`. */
export interface GetNotificationResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The workbook whose published dashboard is delivered. Refers to a Workbook. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** Time zone of the schedule, as the IANA database calls it. Left out, it is "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** It runs at all. The API cannot clear it once it is set. */
    isEnabled?: boolean | undefined;
    /** Its runs are delivered to recipients. The API cannot clear it once it is set. */
    notificationEnabled?: boolean | undefined;
    /** What is delivered. The API cannot clear it once it is set. Allowed: "png", "pdf". */
    notificationFormat?: string | undefined;
    /** A written summary comes with it. The API cannot clear it once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters of the dashboard while it is rendered. */
    filters?: outputs.NotificationFilter[] | undefined;
    /** Time grains, as the product exports them. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, as the product exports them. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
    /** Numeric id, unique in its account. */
    notificationId: number;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a dashboard. */
    dashboardId: number;
    /** When it is sent, in words. */
    humanReadableSchedule: string;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** Finds one object by its key. A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
export function getNotification(args: GetNotificationArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationResult> {
    return pulumi.runtime.invoke("svc:index:getNotification", { "deployment": args.deployment, "workbook": args.workbook, "schedule": args.schedule, "timezone": args.timezone }, utilities.optionsOf(opts)) as Promise<GetNotificationResult>;
}

/** Finds one object by its key. A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
export function getNotificationOutput(args: GetNotificationOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationResult> {
    return pulumi.runtime.invokeOutput<GetNotificationResult>("svc:index:getNotification", { "deployment": args.deployment, "workbook": args.workbook, "schedule": args.schedule, "timezone": args.timezone }, utilities.optionsOf(opts));
}
