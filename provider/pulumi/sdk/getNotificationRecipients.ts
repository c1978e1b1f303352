// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationRecipients`. */
export interface GetNotificationRecipientsArgs {
    /** Deployment of the notification. */
    deployment: string;
    /** Notification to receive. */
    notification: string;
}

/** The arguments of `getNotificationRecipientsOutput`. */
export interface GetNotificationRecipientsOutputArgs {
    /** Deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** Notification to receive. */
    notification: pulumi.Input<string>;
}

/** The result of `getNotificationRecipients`. */
export interface GetNotificationRecipientsResult {
    /** All objects of the collection. */
    items: outputs.NotificationRecipientItem[];
}

/** Lists notification recipients of one collection. A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export function getNotificationRecipients(args: GetNotificationRecipientsArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationRecipientsResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationRecipients", { "deployment": args.deployment, "notification": args.notification }, utilities.optionsOf(opts)) as Promise<GetNotificationRecipientsResult>;
}

/** Lists notification recipients of one collection. A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export function getNotificationRecipientsOutput(args: GetNotificationRecipientsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationRecipientsResult> {
    return pulumi.runtime.invokeOutput<GetNotificationRecipientsResult>("svc:index:getNotificationRecipients", { "deployment": args.deployment, "notification": args.notification }, utilities.optionsOf(opts));
}
