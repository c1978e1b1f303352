// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getNotificationEmbedRecipient`. */
export interface GetNotificationEmbedRecipientArgs {
    /** Deployment of the notification. */
    deployment: string;
    /** Notification to receive. */
    notification: string;
    /** Embed tenant of the external user. */
    embedTenant: string;
    /** The external user's ID in your own system. The user is created if it does not exist. */
    externalId: string;
}

/** The arguments of `getNotificationEmbedRecipientOutput`. */
export interface GetNotificationEmbedRecipientOutputArgs {
    /** Deployment of the notification. */
    deployment: pulumi.Input<string>;
    /** Notification to receive. */
    notification: pulumi.Input<string>;
    /** Embed tenant of the external user. */
    embedTenant: pulumi.Input<string>;
    /** The external user's ID in your own system. The user is created if it does not exist. */
    externalId: pulumi.Input<string>;
}

/** The result of `getNotificationEmbedRecipient`. */
export interface GetNotificationEmbedRecipientResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: string;
    /** Embed tenant of the external user. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** The external user's ID in your own system. The user is created if it does not exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: outputs.AttributeValue[] | undefined;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: { [key: string]: unknown } | undefined;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a notification. */
    notificationId: number;
    /** ID of a user. */
    userId: number;
    /** Value for properties of other resources that refer to this one. */
    key: string;
}

/** Finds one object by its key. An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export function getNotificationEmbedRecipient(args: GetNotificationEmbedRecipientArgs, opts?: pulumi.InvokeOptions): Promise<GetNotificationEmbedRecipientResult> {
    return pulumi.runtime.invoke("svc:index:getNotificationEmbedRecipient", { "deployment": args.deployment, "notification": args.notification, "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts)) as Promise<GetNotificationEmbedRecipientResult>;
}

/** Finds one object by its key. An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export function getNotificationEmbedRecipientOutput(args: GetNotificationEmbedRecipientOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetNotificationEmbedRecipientResult> {
    return pulumi.runtime.invokeOutput<GetNotificationEmbedRecipientResult>("svc:index:getNotificationEmbedRecipient", { "deployment": args.deployment, "notification": args.notification, "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts));
}
