// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getDeployment`. */
export interface GetDeploymentArgs {
    /** Name, unique in the account. A change renames the deployment and keeps its URL. */
    name: string;
}

/** The arguments of `getDeploymentOutput`. */
export interface GetDeploymentOutputArgs {
    /** Name, unique in the account. A change renames the deployment and keeps its URL. */
    name: pulumi.Input<string>;
}

/** The result of `getDeployment`. */
export interface GetDeploymentResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account. A change renames the deployment and keeps its URL. Allowed: string (1 to 255 characters). */
    name: string;
    /** Region that the deployment runs in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    region: string;
    /** Cloud provider that runs the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "svccloud", "aws", "gcp". */
    cloudProvider?: string | undefined;
    /** Cloud platform that hosts the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: "aws", "gcp". */
    targetPlatform?: string | undefined;
    /** Whether the vendor manages the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. */
    isManaged?: boolean | undefined;
    /** How the data model is first imported. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    creationMethod?: string | undefined;
    /** How changes to the data model are deployed. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "git", "cli". */
    deployMode?: string | undefined;
    /** Size of the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    template?: string | undefined;
    /** Domain that replaces the host of the deployment's URL. Allowed: string (1 to 253 characters). */
    customDomain?: string | undefined;
    /** Git branch that production is built from. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    deployBranchName?: string | undefined;
    /** Whether direct commits to the deploy branch are rejected. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchReadOnly?: boolean | undefined;
    /** Whether branches can be merged into the deploy branch. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchMergeAllowed?: boolean | undefined;
    /** Folder that contains the data model. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (at most 1024 characters). */
    deployProjectRoot?: string | undefined;
    /** Group of views shown first on the launchpad. Allowed: string (1 to 255 characters). */
    defaultLaunchpadViewGroup?: string | undefined;
    /** Tabs of the launchpad, in display order. The API cannot clear the value once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    launchpadTabs?: string[] | undefined;
    /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. The API cannot clear the value once it is set. */
    templateVariables?: { [key: string]: string | number | boolean } | undefined;
    /** Customer-provided storage. The API cannot clear the value once it is set. */
    cspsConfig?: outputs.DeploymentCspsConfig | undefined;
    /** Release channel and platform version. The API cannot clear the value once it is set. */
    release?: outputs.DeploymentRelease | undefined;
    /** Numeric ID, unique in the account. */
    deploymentId: number;
    /** URL of the deployment's data API. */
    deploymentUrl: string;
    /** Current step of the deployment's setup. */
    creationStep: string;
    /** Platform version that the deployment runs, such as `1.2.3`. */
    deploymentVersion?: string | undefined;
    /** Release channel of that version. */
    releaseChannel?: string | undefined;
}

/** Finds one object by its key. An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export function getDeployment(args: GetDeploymentArgs, opts?: pulumi.InvokeOptions): Promise<GetDeploymentResult> {
    return pulumi.runtime.invoke("svc:index:getDeployment", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetDeploymentResult>;
}

/** Finds one object by its key. An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export function getDeploymentOutput(args: GetDeploymentOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetDeploymentResult> {
    return pulumi.runtime.invokeOutput<GetDeploymentResult>("svc:index:getDeployment", { "name": args.name }, utilities.optionsOf(opts));
}
