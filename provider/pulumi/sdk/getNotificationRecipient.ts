// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationRecipient`. */
export interface GetNotificationRecipientArgs {
    /** Deployment of the notification. */
    deployment: string;
    /** Notification to receive. */
    notification: string;
    /** Email of the user, in lowercase. The user must exist. */
    user: string;
}

/** The arguments of `getNotificationRecipientOutput`. */
export interface GetNotificationRecipientOutputArgs {
    /** Deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** Notification to receive. */
    notification: pulumi.Input<string>;
    /** Email of the user, in lowercase. The user must exist. */
    user: pulumi.Input<string>;
}

/** The result of `getNotificationRecipient`. */
export interface GetNotificationRecipientResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Email of the user, in lowercase. The user must exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    user: string;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a notification. */
    notificationId: number;
    /** ID of a user. */
    userId: number;
    /** Name that the user signs in with. For an external user, the external ID. */
    username: string;
}

/** Finds one object by its key. A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export function getNotificationRecipient(args: GetNotificationRecipientArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationRecipientResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationRecipient", { "deployment": args.deployment, "notification": args.notification, "user": args.user }, utilities.optionsOf(opts)) as Promise<GetNotificationRecipientResult>;
}

/** Finds one object by its key. A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export function getNotificationRecipientOutput(args: GetNotificationRecipientOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationRecipientResult> {
    return pulumi.runtime.invokeOutput<GetNotificationRecipientResult>("svc:index:getNotificationRecipient", { "deployment": args.deployment, "notification": args.notification, "user": args.user }, utilities.optionsOf(opts));
}
