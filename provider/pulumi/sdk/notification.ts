// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import type * as enums from "./types/enums.ts";
import * as utilities from "./utilities.ts";

/**
 * A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed.
 *
 * ## Example Usage
 *
 * ### Every Monday morning
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const weeklySales = new svc.Notification("weekly-sales", {
 *     deployment: "production",
 *     workbook: "sales-overview",
 *     schedule: "0 9 * * 1",
 *     timezone: "Europe/Berlin",
 *     isEnabled: true,
 *     notificationEnabled: true,
 *     notificationFormat: "pdf",
 *     notificationAiSummary: true,
 *     filters: [
 *         {
 *             member: "orders.status",
 *             operator: "equals",
 *             value: ["completed"],
 *         },
 *     ],
 *     timeGrains: [
 *         {
 *             member: "orders.createdAt",
 *             grain: "week",
 *         },
 *     ],
 *     memberSwitchers: [
 *         {
 *             from: "orders.count",
 *             to: "orders.total",
 *         },
 *     ],
 * });
 * ```
 */
export class Notification extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Notification {
        return new Notification(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:Notification";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is Notification {
        return utilities.isOfType(obj, Notification.__pulumiType);
    }

    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly workbook: pulumi.Output<string>;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    public declare readonly schedule: pulumi.Output<string>;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    public declare readonly timezone: pulumi.Output<string | undefined>;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    public declare readonly isEnabled: pulumi.Output<boolean | undefined>;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    public declare readonly notificationEnabled: pulumi.Output<boolean | undefined>;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    public declare readonly notificationFormat: pulumi.Output<string | undefined>;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    public declare readonly notificationAiSummary: pulumi.Output<boolean | undefined>;
    /** Filters applied to the dashboard when it is rendered. */
    public declare readonly filters: pulumi.Output<outputs.NotificationFilter[] | undefined>;
    /** Time grains, in the product's export format. */
    public declare readonly timeGrains: pulumi.Output<({ [key: string]: unknown })[] | undefined>;
    /** Member switchers, in the product's export format. */
    public declare readonly memberSwitchers: pulumi.Output<({ [key: string]: unknown })[] | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly notificationId: pulumi.Output<number>;
    /** ID of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** ID of a dashboard. */
    public declare /*out*/ readonly dashboardId: pulumi.Output<number>;
    /** Schedule in words. */
    public declare /*out*/ readonly humanReadableSchedule: pulumi.Output<string>;
    /** Value for properties of other resources that refer to this one. */
    public declare /*out*/ readonly key: pulumi.Output<string>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: NotificationArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.deployment, "deployment", opts);
            utilities.require(args?.workbook, "workbook", opts);
            utilities.require(args?.schedule, "schedule", opts);
            resourceInputs["deployment"] = args?.deployment;
            resourceInputs["workbook"] = args?.workbook;
            resourceInputs["schedule"] = args?.schedule;
            resourceInputs["timezone"] = args?.timezone;
            resourceInputs["isEnabled"] = args?.isEnabled;
            resourceInputs["notificationEnabled"] = args?.notificationEnabled;
            resourceInputs["notificationFormat"] = args?.notificationFormat;
            resourceInputs["notificationAiSummary"] = args?.notificationAiSummary;
            resourceInputs["filters"] = args?.filters;
            resourceInputs["timeGrains"] = args?.timeGrains;
            resourceInputs["memberSwitchers"] = args?.memberSwitchers;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["dashboardId"] = undefined /*out*/;
            resourceInputs["humanReadableSchedule"] = undefined /*out*/;
            resourceInputs["key"] = undefined /*out*/;
        } else {
            resourceInputs["deployment"] = undefined /*out*/;
            resourceInputs["workbook"] = undefined /*out*/;
            resourceInputs["schedule"] = undefined /*out*/;
            resourceInputs["timezone"] = undefined /*out*/;
            resourceInputs["isEnabled"] = undefined /*out*/;
            resourceInputs["notificationEnabled"] = undefined /*out*/;
            resourceInputs["notificationFormat"] = undefined /*out*/;
            resourceInputs["notificationAiSummary"] = undefined /*out*/;
            resourceInputs["filters"] = undefined /*out*/;
            resourceInputs["timeGrains"] = undefined /*out*/;
            resourceInputs["memberSwitchers"] = undefined /*out*/;
            resourceInputs["notificationId"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["dashboardId"] = undefined /*out*/;
            resourceInputs["humanReadableSchedule"] = undefined /*out*/;
            resourceInputs["key"] = undefined /*out*/;
        }
        super(Notification.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of Notification. */
export interface NotificationArgs {
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Workbook whose published dashboard is delivered. Refers to a Workbook. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    workbook: pulumi.Input<string>;
    /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). Allowed: string (at most 255 characters). */
    schedule: pulumi.Input<string>;
    /** IANA time zone of the schedule. Defaults to "UTC". Allowed: string (time-zone, 1 to 64 characters). */
    timezone?: pulumi.Input<string | undefined> | undefined;
    /** Whether the schedule is active. The API cannot clear the value once it is set. */
    isEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether each run is delivered to the recipients. The API cannot clear the value once it is set. */
    notificationEnabled?: pulumi.Input<boolean | undefined> | undefined;
    /** File format of the delivery. The API cannot clear the value once it is set. Allowed: "png", "pdf". */
    notificationFormat?: pulumi.Input<enums.NotificationNotificationFormat | (string & {}) | undefined> | undefined;
    /** Whether the delivery includes a generated summary. The API cannot clear the value once it is set. */
    notificationAiSummary?: pulumi.Input<boolean | undefined> | undefined;
    /** Filters applied to the dashboard when it is rendered. */
    filters?: pulumi.Input<pulumi.Input<inputs.NotificationFilterArgs>[] | undefined> | undefined;
    /** Time grains, in the product's export format. */
    timeGrains?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
    /** Member switchers, in the product's export format. */
    memberSwitchers?: pulumi.Input<pulumi.Input<{ [key: string]: pulumi.Input<unknown> }>[] | undefined> | undefined;
}
