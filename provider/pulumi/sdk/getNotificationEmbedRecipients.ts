// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationEmbedRecipients`. */
export interface GetNotificationEmbedRecipientsArgs {
    /** Deployment of the notification. */
    deployment: string;
    /** Notification to receive. */
    notification: string;
}

/** The arguments of `getNotificationEmbedRecipientsOutput`. */
export interface GetNotificationEmbedRecipientsOutputArgs {
    /** Deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** Notification to receive. */
    notification: pulumi.Input<string>;
}

/** The result of `getNotificationEmbedRecipients`. */
export interface GetNotificationEmbedRecipientsResult {
    /** All objects of the collection. */
    items: outputs.NotificationEmbedRecipientItem[];
}

/** Lists notification embed recipients of one collection. An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export function getNotificationEmbedRecipients(args: GetNotificationEmbedRecipientsArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationEmbedRecipientsResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationEmbedRecipients", { "deployment": args.deployment, "notification": args.notification }, utilities.optionsOf(opts)) as Promise<GetNotificationEmbedRecipientsResult>;
}

/** Lists notification embed recipients of one collection. An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export function getNotificationEmbedRecipientsOutput(args: GetNotificationEmbedRecipientsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationEmbedRecipientsResult> {
    return pulumi.runtime.invokeOutput<GetNotificationEmbedRecipientsResult>("svc:index:getNotificationEmbedRecipients", { "deployment": args.deployment, "notification": args.notification }, utilities.optionsOf(opts));
}
