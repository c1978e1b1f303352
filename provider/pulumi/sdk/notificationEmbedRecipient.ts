// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/**
 * An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with.
 *
 * ## Example Usage
 *
 * ### A store manager receives a weekly report
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const weeklySalesJane = new svc.NotificationEmbedRecipient("weekly-sales-jane", {
 *     deployment: "production",
 *     notification: "sales-overview/0%209%20*%20*%201/Europe%2FBerlin",
 *     embedTenant: "acme-stores",
 *     externalId: "jane-4711",
 *     email: "jane@acme.example",
 *     groups: ["analysts"],
 *     tenantGroups: ["viewers"],
 *     userAttributes: [
 *         {
 *             name: "region",
 *             value: "EMEA",
 *         },
 *     ],
 *     tenantUserAttributes: [
 *         {
 *             name: "store",
 *             value: "Berlin",
 *         },
 *     ],
 *     securityContext: {
 *         store: "Berlin",
 *     },
 * });
 * ```
 */
export class NotificationEmbedRecipient extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): NotificationEmbedRecipient {
        return new NotificationEmbedRecipient(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:NotificationEmbedRecipient";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is NotificationEmbedRecipient {
        return utilities.isOfType(obj, NotificationEmbedRecipient.__pulumiType);
    }

    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    public declare readonly notification: pulumi.Output<string>;
    /** Embed tenant of the external user. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    public declare readonly embedTenant: pulumi.Output<string>;
    /** The external user's ID in your own system. The user is created if it does not exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly externalId: pulumi.Output<string>;
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    public declare readonly email: pulumi.Output<string | undefined>;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    public declare readonly groups: pulumi.Output<string[] | undefined>;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    public declare readonly tenantGroups: pulumi.Output<string[] | undefined>;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    public declare readonly userAttributes: pulumi.Output<outputs.AttributeValue[] | undefined>;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    public declare readonly tenantUserAttributes: pulumi.Output<outputs.AttributeValue[] | undefined>;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    public declare readonly securityContext: pulumi.Output<{ [key: string]: unknown } | undefined>;
    /** ID of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** ID of a notification. */
    public declare /*out*/ readonly notificationId: pulumi.Output<number>;
    /** ID of a user. */
    public declare /*out*/ readonly userId: pulumi.Output<number>;
    /** Value for properties of other resources that refer to this one. */
    public declare /*out*/ readonly key: pulumi.Output<string>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: NotificationEmbedRecipientArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.deployment, "deployment", opts);
            utilities.require(args?.notification, "notification", opts);
            utilities.require(args?.embedTenant, "embedTenant", opts);
            utilities.require(args?.externalId, "externalId", opts);
            resourceInputs["deployment"] = args?.deployment;
            resourceInputs["notification"] = args?.notification;
            resourceInputs["embedTenant"] = args?.embedTenant;
            resourceInputs["externalId"] = args?.externalId;
            resourceInputs["email"] = args?.email;
            resourceInputs["groups"] = args?.groups;
            resourceInputs["tenantGroups"] = args?.tenantGroups;
            resourceInputs["userAttributes"] = args?.userAttributes;
            resourceInputs["tenantUserAttributes"] = args?.tenantUserAttributes;
            resourceInputs["securityContext"] = args?.securityContext;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["key"] = undefined /*out*/;
        } else {
            resourceInputs["deployment"] = undefined /*out*/;
            resourceInputs["notification"] = undefined /*out*/;
            resourceInputs["embedTenant"] = undefined /*out*/;
            resourceInputs["externalId"] = undefined /*out*/;
            resourceInputs["email"] = undefined /*out*/;
            resourceInputs["groups"] = undefined /*out*/;
            resourceInputs["tenantGroups"] = undefined /*out*/;
            resourceInputs["userAttributes"] = undefined /*out*/;
            resourceInputs["tenantUserAttributes"] = undefined /*out*/;
            resourceInputs["securityContext"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["key"] = undefined /*out*/;
        }
        super(NotificationEmbedRecipient.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of NotificationEmbedRecipient. */
export interface NotificationEmbedRecipientArgs {
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: pulumi.Input<string>;
    /** Embed tenant of the external user. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: pulumi.Input<string>;
    /** The external user's ID in your own system. The user is created if it does not exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: pulumi.Input<string>;
    /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (email, at most 254 characters). */
    email?: pulumi.Input<string | undefined> | undefined;
    /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Groups of the embed tenant that the dashboard is rendered with. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: pulumi.Input<pulumi.Input<inputs.AttributeValueArgs>[] | undefined> | undefined;
    /** Values of the embed tenant's attributes that the dashboard is rendered with. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    tenantUserAttributes?: pulumi.Input<pulumi.Input<inputs.AttributeValueArgs>[] | undefined> | undefined;
    /** Security context of the dashboard's queries: any object. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    securityContext?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
}
