// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * An account-wide group of users. Access policies and dashboards refer to it by name.
 *
 * ## Example Usage
 *
 * ### Analysts who may explore
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const analysts = new svc.UserGroup("analysts", {
 *     name: "analysts",
 *     description: "May explore every deployment.",
 * });
 * ```
 */
export class UserGroup extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): UserGroup {
        return new UserGroup(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:UserGroup";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is UserGroup {
        return utilities.isOfType(obj, UserGroup.__pulumiType);
    }

    /** Name, unique in the account. A change renames the group and keeps its members. Allowed: string (1 to 100 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Description. Allowed: string (1 to 500 characters). */
    public declare readonly description: pulumi.Output<string | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly userGroupId: pulumi.Output<number>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: UserGroupArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.name, "name", opts);
            resourceInputs["name"] = args?.name;
            resourceInputs["description"] = args?.description;
            resourceInputs["userGroupId"] = undefined /*out*/;
        } else {
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["description"] = undefined /*out*/;
            resourceInputs["userGroupId"] = undefined /*out*/;
        }
        super(UserGroup.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of UserGroup. */
export interface UserGroupArgs {
    /** Name, unique in the account. A change renames the group and keeps its members. Allowed: string (1 to 100 characters). */
    name: pulumi.Input<string>;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}
