// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationRecipient`. */
export interface GetNotificationRecipientArgs {
    /** The deployment of the notification. */
    deployment: string;
    /** The notification that is received. */
    notification: string;
    /** Email of the user, in lower case. The user has to exist. */
    user: string;
}

/** The arguments of `getNotificationRecipientOutput`. */
export interface GetNotificationRecipientOutputArgs {
    /** The deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** The notification that is received. */
    notification: pulumi.Input<string>;
    /** Email of the user, in lower case. The user has to exist. */
    user: pulumi.Input<string>;
}

/** The result of `getNotificationRecipient`. */
export interface GetNotificationRecipientResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Email of the user, in lower case. The user has to exist. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    user: string;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a notification. */
    notificationId: number;
    /** Id of a user. */
    userId: number;
    /** Name that the user signs in with; an external user's is its external id. */
    username: string;
}

/** Finds one object by its key. One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
export function getNotificationRecipient(args: GetNotificationRecipientArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationRecipientResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationRecipient", { "deployment": args.deployment, "notification": args.notification, "user": args.user }, utilities.optionsOf(opts)) as Promise<GetNotificationRecipientResult>;
}

/** Finds one object by its key. One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
export function getNotificationRecipientOutput(args: GetNotificationRecipientOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationRecipientResult> {
    return pulumi.runtime.invokeOutput<GetNotificationRecipientResult>("svc:index:getNotificationRecipient", { "deployment": args.deployment, "notification": args.notification, "user": args.user }, utilities.optionsOf(opts));
}
