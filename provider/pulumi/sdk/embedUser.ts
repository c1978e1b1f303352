// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/**
 * An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session.
 *
 * ## Example Usage
 *
 * ### A store manager
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const acmeJane = new svc.EmbedUser("acme-jane", {
 *     embedTenant: "acme-stores",
 *     externalId: "jane-4711",
 *     email: "jane@acme.example",
 *     displayName: "Jane Doe",
 *     picture: "https://acme.example/people/jane.png",
 *     groups: ["analysts"],
 *     tenantGroups: ["viewers"],
 *     userAttributes: [
 *         {
 *             name: "region",
 *             value: "EMEA",
 *         },
 *     ],
 * });
 * ```
 */
export class EmbedUser extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): EmbedUser {
        return new EmbedUser(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:EmbedUser";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EmbedUser {
        return utilities.isOfType(obj, EmbedUser.__pulumiType);
    }

    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    public declare readonly embedTenant: pulumi.Output<string>;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly externalId: pulumi.Output<string>;
    /** Email address that notifications are sent to. The API cannot clear the value once it is set. Allowed: string (email, at most 254 characters). */
    public declare readonly email: pulumi.Output<string | undefined>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly displayName: pulumi.Output<string | undefined>;
    /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    public declare readonly picture: pulumi.Output<string | undefined>;
    /** Account-wide groups of the user. An empty list removes all memberships. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    public declare readonly groups: pulumi.Output<string[] | undefined>;
    /** Groups of the embed tenant that the user is in. An empty list removes all memberships. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    public declare readonly tenantGroups: pulumi.Output<string[] | undefined>;
    /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    public declare readonly userAttributes: pulumi.Output<outputs.AttributeValue[] | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly embedUserId: pulumi.Output<number>;
    /** Name that the user signs in with. For an external user, the external ID. */
    public declare /*out*/ readonly username: pulumi.Output<string>;
    /** Time of creation, in UTC. */
    public declare /*out*/ readonly createdAt: pulumi.Output<string | undefined>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EmbedUserArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.embedTenant, "embedTenant", opts);
            utilities.require(args?.externalId, "externalId", opts);
            resourceInputs["embedTenant"] = args?.embedTenant;
            resourceInputs["externalId"] = args?.externalId;
            resourceInputs["email"] = args?.email;
            resourceInputs["displayName"] = args?.displayName;
            resourceInputs["picture"] = args?.picture;
            resourceInputs["groups"] = args?.groups;
            resourceInputs["tenantGroups"] = args?.tenantGroups;
            resourceInputs["userAttributes"] = args?.userAttributes;
            resourceInputs["embedUserId"] = undefined /*out*/;
            resourceInputs["username"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        } else {
            resourceInputs["embedTenant"] = undefined /*out*/;
            resourceInputs["externalId"] = undefined /*out*/;
            resourceInputs["email"] = undefined /*out*/;
            resourceInputs["displayName"] = undefined /*out*/;
            resourceInputs["picture"] = undefined /*out*/;
            resourceInputs["groups"] = undefined /*out*/;
            resourceInputs["tenantGroups"] = undefined /*out*/;
            resourceInputs["userAttributes"] = undefined /*out*/;
            resourceInputs["embedUserId"] = undefined /*out*/;
            resourceInputs["username"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        }
        super(EmbedUser.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of EmbedUser. */
export interface EmbedUserArgs {
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: pulumi.Input<string>;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: pulumi.Input<string>;
    /** Email address that notifications are sent to. The API cannot clear the value once it is set. Allowed: string (email, at most 254 characters). */
    email?: pulumi.Input<string | undefined> | undefined;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    picture?: pulumi.Input<string | undefined> | undefined;
    /** Account-wide groups of the user. An empty list removes all memberships. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Groups of the embed tenant that the user is in. An empty list removes all memberships. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: pulumi.Input<pulumi.Input<inputs.AttributeValueArgs>[] | undefined> | undefined;
}
