// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/**
 * A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications.
 *
 * ## Example Usage
 *
 * ### A published dashboard for customers
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const salesOverview = new svc.Workbook("sales-overview", {
 *     deployment: "production",
 *     slug: "sales-overview",
 *     name: "Sales overview",
 *     meta: {
 *         team: "analytics",
 *     },
 *     dashboard: {
 *         title: "Sales overview",
 *         description: "Orders and revenue, by store.",
 *         allowEmbed: true,
 *         widgets: [
 *             {
 *                 id: "headline",
 *                 type: "TEXT",
 *                 position: {
 *                     x: 0,
 *                     y: 0,
 *                     w: 12,
 *                     h: 2,
 *                 },
 *                 config: {
 *                     text: "Sales",
 *                 },
 *             },
 *         ],
 *     },
 * });
 * ```
 */
export class Workbook extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Workbook {
        return new Workbook(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:Workbook";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is Workbook {
        return utilities.isOfType(obj, Workbook.__pulumiType);
    }

    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** Name in URLs and references: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    public declare readonly slug: pulumi.Output<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string | undefined>;
    /** Custom values, by name. `{}` removes all of them. The API cannot clear the value once it is set. */
    public declare readonly meta: pulumi.Output<{ [key: string]: unknown } | undefined>;
    /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. The API cannot clear the value once it is set. */
    public declare readonly dashboard: pulumi.Output<outputs.WorkbookDashboard | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly workbookId: pulumi.Output<number>;
    /** ID of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** ID of a dashboard. */
    public declare /*out*/ readonly dashboardId: pulumi.Output<number | undefined>;
    /** ID of a published dashboard in URLs. It never changes. */
    public declare /*out*/ readonly publicId: pulumi.Output<string | undefined>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: WorkbookArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.deployment, "deployment", opts);
            utilities.require(args?.slug, "slug", opts);
            resourceInputs["deployment"] = args?.deployment;
            resourceInputs["slug"] = args?.slug;
            resourceInputs["name"] = args?.name;
            resourceInputs["meta"] = args?.meta;
            resourceInputs["dashboard"] = args?.dashboard;
            resourceInputs["workbookId"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["dashboardId"] = undefined /*out*/;
            resourceInputs["publicId"] = undefined /*out*/;
        } else {
            resourceInputs["deployment"] = undefined /*out*/;
            resourceInputs["slug"] = undefined /*out*/;
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["meta"] = undefined /*out*/;
            resourceInputs["dashboard"] = undefined /*out*/;
            resourceInputs["workbookId"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["dashboardId"] = undefined /*out*/;
            resourceInputs["publicId"] = undefined /*out*/;
        }
        super(Workbook.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of Workbook. */
export interface WorkbookArgs {
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Name in URLs and references: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    slug: pulumi.Input<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    name?: pulumi.Input<string | undefined> | undefined;
    /** Custom values, by name. `{}` removes all of them. The API cannot clear the value once it is set. */
    meta?: pulumi.Input<{ [key: string]: pulumi.Input<unknown> } | undefined> | undefined;
    /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. The API cannot clear the value once it is set. */
    dashboard?: pulumi.Input<inputs.WorkbookDashboardArgs | undefined> | undefined;
}
