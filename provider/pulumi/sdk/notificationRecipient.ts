// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`.
 *
 * ## Example Usage
 *
 * ### The administrator receives it
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

    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    public declare readonly notification: pulumi.Output<string>;
    /** Email of the user, in lower case. The user has to exist. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    public declare readonly user: pulumi.Output<string>;
    /** Id of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** Id of a notification. */
    public declare /*out*/ readonly notificationId: pulumi.Output<number>;
    /** Id of a user. */
    public declare /*out*/ readonly userId: pulumi.Output<number>;
    /** Name that the user signs in with; an external user's is its external id. */
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
    /** The deployment of the notification. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** The notification that is received. Refers to a Notification. A change deletes the object and creates it anew. Allowed: string (1 to 2048 characters). */
    notification: pulumi.Input<string>;
    /** Email of the user, in lower case. The user has to exist. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    user: pulumi.Input<string>;
}
