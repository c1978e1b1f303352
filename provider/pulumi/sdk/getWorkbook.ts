// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getWorkbook`. */
export interface GetWorkbookArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
    /** Name in URLs and references: lowercase, unique in the deployment. */
    slug: string;
}

/** The arguments of `getWorkbookOutput`. */
export interface GetWorkbookOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
    /** Name in URLs and references: lowercase, unique in the deployment. */
    slug: pulumi.Input<string>;
}

/** The result of `getWorkbook`. */
export interface GetWorkbookResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name in URLs and references: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    slug: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    name?: string | undefined;
    /** Custom values, by name. `{}` removes all of them. The API cannot clear the value once it is set. */
    meta?: { [key: string]: unknown } | undefined;
    /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. The API cannot clear the value once it is set. */
    dashboard?: outputs.WorkbookDashboard | undefined;
    /** Numeric ID, unique in the account. */
    workbookId: number;
    /** ID of a deployment. */
    deploymentId: number;
    /** ID of a dashboard. */
    dashboardId?: number | undefined;
    /** ID of a published dashboard in URLs. It never changes. */
    publicId?: string | undefined;
}

/** Finds one object by its key. A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export function getWorkbook(args: GetWorkbookArgs, opts?: pulumi.InvokeOptions): Promise<GetWorkbookResult> {
    return pulumi.runtime.invoke("svc:index:getWorkbook", { "deployment": args.deployment, "slug": args.slug }, utilities.optionsOf(opts)) as Promise<GetWorkbookResult>;
}

/** Finds one object by its key. A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export function getWorkbookOutput(args: GetWorkbookOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetWorkbookResult> {
    return pulumi.runtime.invokeOutput<GetWorkbookResult>("svc:index:getWorkbook", { "deployment": args.deployment, "slug": args.slug }, utilities.optionsOf(opts));
}
