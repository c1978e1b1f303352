// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getWorkbooks`. */
export interface GetWorkbooksArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
}

/** The arguments of `getWorkbooksOutput`. */
export interface GetWorkbooksOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
}

/** The result of `getWorkbooks`. */
export interface GetWorkbooksResult {
    /** All objects of the collection. */
    items: outputs.WorkbookItem[];
}

/** Lists workbooks of one collection. A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export function getWorkbooks(args: GetWorkbooksArgs, opts?: pulumi.InvokeOptions): Promise<GetWorkbooksResult> {
    return pulumi.runtime.invoke("svc:index:getWorkbooks", { "deployment": args.deployment }, utilities.optionsOf(opts)) as Promise<GetWorkbooksResult>;
}

/** Lists workbooks of one collection. A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export function getWorkbooksOutput(args: GetWorkbooksOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetWorkbooksResult> {
    return pulumi.runtime.invokeOutput<GetWorkbooksResult>("svc:index:getWorkbooks", { "deployment": args.deployment }, utilities.optionsOf(opts));
}
