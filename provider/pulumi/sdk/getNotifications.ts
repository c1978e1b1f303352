// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotifications`. */
export interface GetNotificationsArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
}

/** The arguments of `getNotificationsOutput`. */
export interface GetNotificationsOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
}

/** The result of `getNotifications`. */
export interface GetNotificationsResult {
    /** All objects of the collection. */
    items: outputs.NotificationItem[];
}

/** Lists notifications of one collection. A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export function getNotifications(args: GetNotificationsArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationsResult> {
    return pulumi.runtime.invoke("svc:index:getNotifications", { "deployment": args.deployment }, utilities.optionsOf(opts)) as Promise<GetNotificationsResult>;
}

/** Lists notifications of one collection. A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export function getNotificationsOutput(args: GetNotificationsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationsResult> {
    return pulumi.runtime.invokeOutput<GetNotificationsResult>("svc:index:getNotifications", { "deployment": args.deployment }, utilities.optionsOf(opts));
}
