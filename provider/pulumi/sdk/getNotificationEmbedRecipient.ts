// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationEmbedRecipient`. */
export interface GetNotificationEmbedRecipientArgs {
    /** The deployment of the notification. */
    deployment: string;
    /** The notification that is received. */
    notification: string;
    /** The tenant of the external user. */
    embedTenant: string;
    /** The external user's id in your own system; the user is made where there is none. */
    externalId: string;
}

/** The arguments of `getNotificationEmbedRecipientOutput`. */
export interface GetNotificationEmbedRecipientOutputArgs {
    /** The deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** The notification that is received. */
    notification: pulumi.Input<string>;
    /** The tenant of the external user. */
    embedTenant: pulumi.Input<string>;
    /** The external user's id in your own system; the user is made where there is none. */
    externalId: pulumi.Input<string>;
}

/** The result of `getNotificationEmbedRecipient`. */
export interface GetNotificationEmbedRecipientResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** The tenant of the external user. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** The external user's id in your own system; the user is made where there is none. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of its tenant that it is rendered with. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Values of its tenant's attributes that it is rendered with. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: outputs.AttributeValue[] | undefined;
    /** Security context of its queries: any object. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a notification. */
    notificationId: number;
    /** Id of a user. */
    userId: number;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** Finds one object by its key. An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
export function getNotificationEmbedRecipient(args: GetNotificationEmbedRecipientArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationEmbedRecipientResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationEmbedRecipient", { "deployment": args.deployment, "notification": args.notification, "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts)) as Promise<GetNotificationEmbedRecipientResult>;
}

/** Finds one object by its key. An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
export function getNotificationEmbedRecipientOutput(args: GetNotificationEmbedRecipientOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationEmbedRecipientResult> {
    return pulumi.runtime.invokeOutput<GetNotificationEmbedRecipientResult>("svc:index:getNotificationEmbedRecipient", { "deployment": args.deployment, "notification": args.notification, "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts));
}
