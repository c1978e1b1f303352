// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/**
 * A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys.
 *
 * ## Example Usage
 *
 * ### An analyst with a region of her own
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const jane = new svc.User("jane", {
 *     email: "jane@corp.example",
 *     username: "jane",
 *     firstName: "Jane",
 *     title: "Analyst",
 *     picture: "https://corp.example/people/jane.png",
 *     isAdmin: false,
 *     isDeactivated: false,
 *     groups: ["analysts"],
 *     userAttributes: [
 *         {
 *             name: "region",
 *             value: "EMEA",
 *         },
 *     ],
 * });
 * ```
 *
 * ### A service user for CI pipelines
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const robot = new svc.User("robot", {
 *     email: "robot@corp.example",
 *     username: "robot",
 *     isAdmin: true,
 * });
 * ```
 */
export class User extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): User {
        return new User(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:User";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is User {
        return utilities.isOfType(obj, User.__pulumiType);
    }

    /** Email, in lowercase, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    public declare readonly email: pulumi.Output<string>;
    /** Username for sign-in, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly username: pulumi.Output<string>;
    /** Display name. Allowed: string (1 to 255 characters). */
    public declare readonly firstName: pulumi.Output<string | undefined>;
    /** Job title. Allowed: string (1 to 255 characters). */
    public declare readonly title: pulumi.Output<string | undefined>;
    /** HTTP or HTTPS URL of the avatar. Allowed: string (iri, at most 2048 characters). */
    public declare readonly picture: pulumi.Output<string | undefined>;
    /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. The API cannot clear the value once it is set. */
    public declare readonly isAdmin: pulumi.Output<boolean | undefined>;
    /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. The API cannot clear the value once it is set. */
    public declare readonly isDeactivated: pulumi.Output<boolean | undefined>;
    /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    public declare readonly groups: pulumi.Output<string[] | undefined>;
    /** Values of account-wide attributes. The list replaces all values; an empty list clears them. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. */
    public declare readonly userAttributes: pulumi.Output<outputs.AttributeValue[] | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly userId: pulumi.Output<number>;
    /** Time of creation, in UTC. */
    public declare /*out*/ readonly createdAt: pulumi.Output<string | undefined>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: UserArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.email, "email", opts);
            utilities.require(args?.username, "username", opts);
            resourceInputs["email"] = args?.email;
            resourceInputs["username"] = args?.username;
            resourceInputs["firstName"] = args?.firstName;
            resourceInputs["title"] = args?.title;
            resourceInputs["picture"] = args?.picture;
            resourceInputs["isAdmin"] = args?.isAdmin;
            resourceInputs["isDeactivated"] = args?.isDeactivated;
            resourceInputs["groups"] = args?.groups;
            resourceInputs["userAttributes"] = args?.userAttributes;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        } else {
            resourceInputs["email"] = undefined /*out*/;
            resourceInputs["username"] = undefined /*out*/;
            resourceInputs["firstName"] = undefined /*out*/;
            resourceInputs["title"] = undefined /*out*/;
            resourceInputs["picture"] = undefined /*out*/;
            resourceInputs["isAdmin"] = undefined /*out*/;
            resourceInputs["isDeactivated"] = undefined /*out*/;
            resourceInputs["groups"] = undefined /*out*/;
            resourceInputs["userAttributes"] = undefined /*out*/;
            resourceInputs["userId"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        }
        super(User.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of User. */
export interface UserArgs {
    /** Email, in lowercase, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    email: pulumi.Input<string>;
    /** Username for sign-in, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    username: pulumi.Input<string>;
    /** Display name. Allowed: string (1 to 255 characters). */
    firstName?: pulumi.Input<string | undefined> | undefined;
    /** Job title. Allowed: string (1 to 255 characters). */
    title?: pulumi.Input<string | undefined> | undefined;
    /** HTTP or HTTPS URL of the avatar. Allowed: string (iri, at most 2048 characters). */
    picture?: pulumi.Input<string | undefined> | undefined;
    /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. The API cannot clear the value once it is set. */
    isAdmin?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. The API cannot clear the value once it is set. */
    isDeactivated?: pulumi.Input<boolean | undefined> | undefined;
    /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Values of account-wide attributes. The list replaces all values; an empty list clears them. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. */
    userAttributes?: pulumi.Input<pulumi.Input<inputs.AttributeValueArgs>[] | undefined> | undefined;
}
