// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getDeployment`. */
export interface GetDeploymentArgs {
    /** Name, unique in the account; a change renames the deployment and keeps its address. */
    name: string;
}

/** The arguments of `getDeploymentOutput`. */
export interface GetDeploymentOutputArgs {
    /** Name, unique in the account; a change renames the deployment and keeps its address. */
    name: pulumi.Input<string>;
}

/** The result of `getDeployment`. */
export interface GetDeploymentResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account; a change renames the deployment and keeps its address. Allowed: string (1 to 255 characters). */
    name: string;
    /** Region that it lives in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    region: string;
    /** Who runs the machines. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "svccloud", "aws", "gcp". */
    cloudProvider?: string | undefined;
    /** Whose machines they are. A change deletes the object and creates it anew. Left out, the service chooses it. Allowed: "aws", "gcp". */
    targetPlatform?: string | undefined;
    /** The vendor runs it. A change deletes the object and creates it anew. Left out, the service chooses it. */
    isManaged?: boolean | undefined;
    /** How the data model comes in at first. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    creationMethod?: string | undefined;
    /** How changes of the data model come in. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "git", "cli". */
    deployMode?: string | undefined;
    /** How many machines it has. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    template?: string | undefined;
    /** Domain that replaces the host of its address. Allowed: string (1 to 253 characters). */
    customDomain?: string | undefined;
    /** Branch that production is built from. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    deployBranchName?: string | undefined;
    /** Nobody writes to the deploy branch directly. Left out, the service chooses it. The API cannot clear it once it is set. */
    deployBranchReadOnly?: boolean | undefined;
    /** Branches may be merged into the deploy branch. Left out, the service chooses it. The API cannot clear it once it is set. */
    deployBranchMergeAllowed?: boolean | undefined;
    /** Folder of the data model. Left out, the service chooses it. The API cannot clear it once it is set. Allowed: string (at most 1024 characters). */
    deployProjectRoot?: string | undefined;
    /** Group of views that people see first. Allowed: string (1 to 255 characters). */
    defaultLaunchpadViewGroup?: string | undefined;
    /** Tabs that people see, in their order. The API cannot clear it once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    launchpadTabs?: string[] | undefined;
    /** Values of the template, by name, all of them; never a secret. The API cannot clear it once it is set. */
    templateVariables?: { [key: string]: string | number | boolean } | undefined;
    /** The customer's own storage. The API cannot clear it once it is set. */
    cspsConfig?: outputs.DeploymentCspsConfig | undefined;
    /** Which version of the platform it runs. The API cannot clear it once it is set. */
    release?: outputs.DeploymentRelease | undefined;
    /** Numeric id, unique in its account. */
    deploymentId: number;
    /** Address of the deployment's data API. */
    deploymentUrl: string;
    /** How far its set-up has come. */
    creationStep: string;
    /** Version of the platform that it runs, such as `1.2.3`. */
    deploymentVersion?: string | undefined;
    /** Update channel that its version came from. */
    releaseChannel?: string | undefined;
}

/** Finds one object by its key. An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
export function getDeployment(args: GetDeploymentArgs, opts?: pulumi.InvokeOptions): Promise<GetDeploymentResult> {
    return pulumi.runtime.invoke("svc:index:getDeployment", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetDeploymentResult>;
}

/** Finds one object by its key. An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
export function getDeploymentOutput(args: GetDeploymentOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetDeploymentResult> {
    return pulumi.runtime.invokeOutput<GetDeploymentResult>("svc:index:getDeployment", { "name": args.name }, utilities.optionsOf(opts));
}
