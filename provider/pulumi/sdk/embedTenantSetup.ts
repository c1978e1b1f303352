// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import * as utilities from "./utilities.ts";

/**
 * A customer of signed embedding: the embed tenant, its groups and attributes, and a notification with its recipients. Groups and attributes are maps by name, recipients a map by `externalId`.
 *
 * ## Example Usage
 *
 * ### A customer with two groups and a weekly report
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const acme = new svc.EmbedTenantSetup("acme", {
 *     tenant: {
 *         name: "acme-stores",
 *         displayName: "Acme Stores",
 *     },
 *     groups: {
 *         directors: {
 *             description: "See every store.",
 *         },
 *         managers: {},
 *     },
 *     attributes: {
 *         store: {
 *             type: "string",
 *             displayName: "Store",
 *             defaultValue: "none",
 *         },
 *     },
 *     notification: {
 *         deployment: "production",
 *         workbook: "sales-overview",
 *         schedule: "0 7 * * 1",
 *         timezone: "Europe/Berlin",
 *     },
 *     recipients: {
 *         "jane-4711": {
 *             email: "jane@acme.example",
 *             tenantGroups: ["managers"],
 *             tenantUserAttributes: [
 *                 {
 *                     name: "store",
 *                     value: "Berlin",
 *                 },
 *             ],
 *         },
 *     },
 * });
 * ```
 */
export class EmbedTenantSetup extends pulumi.ComponentResource {
    /** @internal */
    public static readonly __pulumiType = "svc:index:EmbedTenantSetup";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EmbedTenantSetup {
        return utilities.isOfType(obj, EmbedTenantSetup.__pulumiType);
    }

    /** The embed tenant. Value for properties that refer to it. */
    public declare readonly tenant: pulumi.Output<string>;
    /** Groups of the tenant, by name. Value for properties that refer to them. */
    public declare readonly groups: pulumi.Output<{ [key: string]: string }>;
    /** Attributes of the tenant, by name. Value for properties that refer to them. */
    public declare readonly attributes: pulumi.Output<{ [key: string]: string }>;
    /** A scheduled delivery to users of the tenant. Value for properties that refer to it. */
    public declare readonly notification: pulumi.Output<string | undefined>;
    /** Recipients of the notification, by `externalId`. Value for properties that refer to them. */
    public declare readonly recipients: pulumi.Output<{ [key: string]: string }>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EmbedTenantSetupArgs, opts?: pulumi.ComponentResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.urn) {
            utilities.require(args?.tenant, "tenant", opts);
            resourceInputs["tenant"] = args?.tenant;
            resourceInputs["groups"] = args?.groups;
            resourceInputs["attributes"] = args?.attributes;
            resourceInputs["notification"] = args?.notification;
            resourceInputs["recipients"] = args?.recipients;
        } else {
            resourceInputs["tenant"] = undefined /*out*/;
            resourceInputs["groups"] = undefined /*out*/;
            resourceInputs["attributes"] = undefined /*out*/;
            resourceInputs["notification"] = undefined /*out*/;
            resourceInputs["recipients"] = undefined /*out*/;
        }
        super(EmbedTenantSetup.__pulumiType, name, resourceInputs, utilities.optionsOf(opts), true /*remote*/);
    }
}

/** The arguments of EmbedTenantSetup. */
export interface EmbedTenantSetupArgs {
    /** The embed tenant. */
    tenant: pulumi.Input<inputs.EmbedTenantSetupTenantArgs>;
    /** Groups of the tenant, by name. */
    groups?: pulumi.Input<{ [key: string]: pulumi.Input<inputs.EmbedTenantSetupGroupArgs> } | undefined> | undefined;
    /** Attributes of the tenant, by name. */
    attributes?: pulumi.Input<{ [key: string]: pulumi.Input<inputs.EmbedTenantSetupAttributeArgs> } | undefined> | undefined;
    /** A scheduled delivery to users of the tenant. */
    notification?: pulumi.Input<inputs.EmbedTenantSetupNotificationArgs | undefined> | undefined;
    /** Recipients of the notification, by `externalId`. */
    recipients?: pulumi.Input<{ [key: string]: pulumi.Input<inputs.EmbedTenantSetupRecipientArgs> } | undefined> | undefined;
}
