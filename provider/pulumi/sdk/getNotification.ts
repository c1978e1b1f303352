// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotification`. */
export interface GetNotificationArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
    /** Workbook whose published dashboard is delivered. */
    workbook: string;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
    schedule: string;
    /** IANA time zone of the schedule. */
    timezone?: string | undefined;
}

/** The arguments of `getNotificationOutput`. */
export interface GetNotificationOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
    /** Workbook whose published dashboard is delivered. */
    workbook: pulumi.Input<string>;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
    schedule: pulumi.Input<string>;
    /** IANA time zone of the schedule. */
    timezone?: pulumi.Input<string | undefined> | undefined;
}

/** The result of `getNotification`. */
export interface GetNotificationResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    workbook: string;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: string;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: string | undefined;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    isEnabled?: boolean | undefined;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    notificationEnabled?: boolean | undefined;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    notificationFormat?: string | undefined;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    notificationAiSummary?: boolean | undefined;
    /** Filters applied to the dashboard when it is rendered. */
    filters?: outputs.NotificationFilter[] | undefined;
    /** Time grains, in the product's export format. */
    timeGrains?: ({ [key: string]: unknown })[] | undefined;
    /** Member switchers, in the product's export format. */
    memberSwitchers?: ({ [key: string]: unknown })[] | undefined;
    /** Numeric ID, unique in the account. */
    notificationId: number;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a dashboard. */
    dashboardId: number;
    /** Schedule in words. */
    humanReadableSchedule: string;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** Finds one object by its key. A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export function getNotification(args: GetNotificationArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationResult> {
    return pulumi.runtime.invoke("svc:index:getNotification", { "deployment": args.deployment, "workbook": args.workbook, "schedule": args.schedule, "timezone": args.timezone }, utilities.optionsOf(opts)) as Promise<GetNotificationResult>;
}

/** Finds one object by its key. A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export function getNotificationOutput(args: GetNotificationOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationResult> {
    return pulumi.runtime.invokeOutput<GetNotificationResult>("svc:index:getNotification", { "deployment": args.deployment, "workbook": args.workbook, "schedule": args.schedule, "timezone": args.timezone }, utilities.optionsOf(opts));
}
