// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getWorkbook`. */
export interface GetWorkbookArgs {
    /** The deployment that it belongs to. */
    deployment: string;
    /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
    slug: string;
}

/** The arguments of `getWorkbookOutput`. */
export interface GetWorkbookOutputArgs {
    /** The deployment that it belongs to. */
    deployment: pulumi.Input<string>;
    /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
    slug: pulumi.Input<string>;
}

/** The result of `getWorkbook`. */
export interface GetWorkbookResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. Allowed: string (1 to 255 characters). */
    slug: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    name?: string | undefined;
    /** Values of your own, by name; `{}` empties them. The API cannot clear it once it is set. */
    meta?: { [key: string]: unknown } | undefined;
    /** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. The API cannot clear it once it is set. */
    dashboard?: outputs.WorkbookDashboard | undefined;
    /** Numeric id, unique in its account. */
    workbookId: number;
    /** Id of a deployment. */
    deploymentId: number;
    /** Id of a dashboard. */
    dashboardId?: number | undefined;
    /** Id of a published dashboard in addresses; it never changes. */
    publicId?: string | undefined;
}

/** Finds one object by its key. A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
export function getWorkbook(args: GetWorkbookArgs, opts?: pulumi.InvokeOptions): Promise<GetWorkbookResult> {
    return pulumi.runtime.invoke("svc:index:getWorkbook", { "deployment": args.deployment, "slug": args.slug }, utilities.optionsOf(opts)) as Promise<GetWorkbookResult>;
}

/** Finds one object by its key. A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
export function getWorkbookOutput(args: GetWorkbookOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetWorkbookResult> {
    return pulumi.runtime.invokeOutput<GetWorkbookResult>("svc:index:getWorkbook", { "deployment": args.deployment, "slug": args.slug }, utilities.optionsOf(opts));
}
