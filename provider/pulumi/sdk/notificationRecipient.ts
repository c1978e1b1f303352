// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`.
 *
 * ## Example Usage
 *
 * ### The administrator receives a weekly report
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const weeklySalesAdmin = new svc.NotificationRecipient("weekly-sales-admin", {
 *     deployment: "production",
 *     notification: "sales-overview/0%209%20*%20*%201/Europe%2FBerlin",
 *     user: "admin@svc.localhost",
 * });
 * ```
 */
export class NotificationRecipient extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): NotificationRecipient {
        return new NotificationRecipient(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:NotificationRecipient";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is NotificationRecipient {
        return utilities.isOfType(obj, NotificationRecipient.__pulumiType);
    }

    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    public declare readonly notification: pulumi.Output<string>;
    /** Email of the user, in lowercase. The user must exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    public declare readonly user: pulumi.Output<string>;
    /** ID of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** ID of a notification. */
    public declare /*out*/ readonly notificationId: pulumi.Output<number>;
    /** ID of a user. */
    public declare /*out*/ readonly userId: pulumi.Output<number>;
    /** Name that the user signs in with. For an external user, the external ID. */
    public declare /*out*/ readonly username: pulumi.Output<string>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: NotificationRecipientArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.deployment, "deployment", opts);
            utilities.require(args?.notification, "notification", opts);
            utilities.require(args?.user, "user", opts);
            resourceInputs["deployment"] = args?.deployment;
            resourceInputs["notification"] = args?.notification;
            resourceInputs["user"] = args?.user;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["username"] = undefined /*out*/;
        } else {
            resourceInputs["deployment"] = undefined /*out*/;
            resourceInputs["notification"] = undefined /*out*/;
            resourceInputs["user"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["username"] = undefined /*out*/;
        }
        super(NotificationRecipient.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of NotificationRecipient. */
export interface NotificationRecipientArgs {
    /** Deployment of the notification. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Notification to receive. Refers to a Notification. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 2048 characters). */
    notification: pulumi.Input<string>;
    /** Email of the user, in lowercase. The user must exist. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    user: pulumi.Input<string>;
}
