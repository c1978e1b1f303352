// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as inputs from "./types/input.ts";
import type * as outputs from "./types/output.ts";
import type * as enums from "./types/enums.ts";
import * as utilities from "./utilities.ts";

/**
 * An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it.
 *
 * ## Example Usage
 *
 * ### A production deployment on the release channel
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const production = new svc.Deployment("production", {
 *     name: "production",
 *     region: "aws-us-east-1",
 *     cloudProvider: "svccloud",
 *     targetPlatform: "aws",
 *     isManaged: true,
 *     creationMethod: "github",
 *     deployMode: "git",
 *     template: "simpleCluster",
 *     customDomain: "analytics.example.com",
 *     deployBranchName: "main",
 *     deployBranchReadOnly: true,
 *     deployBranchMergeAllowed: true,
 *     deployProjectRoot: "model",
 *     defaultLaunchpadViewGroup: "sales",
 *     launchpadTabs: ["dashboards", "reports"],
 *     templateVariables: {
 *         currency: "EUR",
 *         decimals: 2,
 *         beta: false,
 *     },
 *     cspsConfig: {
 *         enabled: true,
 *         storageProvider: "s3",
 *         s3Bucket: "extracts",
 *     },
 *     release: {
 *         channel: "release",
 *     },
 * });
 * ```
 */
export class Deployment extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Deployment {
        return new Deployment(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:Deployment";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is Deployment {
        return utilities.isOfType(obj, Deployment.__pulumiType);
    }

    /** Name, unique in the account. A change renames the deployment and keeps its URL. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Region that the deployment runs in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    public declare readonly region: pulumi.Output<string>;
    /** Cloud provider that runs the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "svccloud", "aws", "gcp". */
    public declare readonly cloudProvider: pulumi.Output<string | undefined>;
    /** Cloud platform that hosts the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: "aws", "gcp". */
    public declare readonly targetPlatform: pulumi.Output<string | undefined>;
    /** Whether the vendor manages the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. */
    public declare readonly isManaged: pulumi.Output<boolean | undefined>;
    /** How the data model is first imported. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    public declare readonly creationMethod: pulumi.Output<string | undefined>;
    /** How changes to the data model are deployed. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "git", "cli". */
    public declare readonly deployMode: pulumi.Output<string | undefined>;
    /** Size of the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    public declare readonly template: pulumi.Output<string | undefined>;
    /** Domain that replaces the host of the deployment's URL. Allowed: string (1 to 253 characters). */
    public declare readonly customDomain: pulumi.Output<string | undefined>;
    /** Git branch that production is built from. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly deployBranchName: pulumi.Output<string | undefined>;
    /** Whether direct commits to the deploy branch are rejected. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    public declare readonly deployBranchReadOnly: pulumi.Output<boolean | undefined>;
    /** Whether branches can be merged into the deploy branch. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    public declare readonly deployBranchMergeAllowed: pulumi.Output<boolean | undefined>;
    /** Folder that contains the data model. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (at most 1024 characters). */
    public declare readonly deployProjectRoot: pulumi.Output<string | undefined>;
    /** Group of views shown first on the launchpad. Allowed: string (1 to 255 characters). */
    public declare readonly defaultLaunchpadViewGroup: pulumi.Output<string | undefined>;
    /** Tabs of the launchpad, in display order. The API cannot clear the value once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    public declare readonly launchpadTabs: pulumi.Output<string[] | undefined>;
    /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. The API cannot clear the value once it is set. */
    public declare readonly templateVariables: pulumi.Output<{ [key: string]: string | number | boolean } | undefined>;
    /** Customer-provided storage. The API cannot clear the value once it is set. */
    public declare readonly cspsConfig: pulumi.Output<outputs.DeploymentCspsConfig | undefined>;
    /** Release channel and platform version. The API cannot clear the value once it is set. */
    public declare readonly release: pulumi.Output<outputs.DeploymentRelease | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;
    /** URL of the deployment's data API. */
    public declare /*out*/ readonly deploymentUrl: pulumi.Output<string>;
    /** Current step of the deployment's setup. */
    public declare /*out*/ readonly creationStep: pulumi.Output<string>;
    /** Platform version that the deployment runs, such as `1.2.3`. */
    public declare /*out*/ readonly deploymentVersion: pulumi.Output<string | undefined>;
    /** Release channel of that version. */
    public declare /*out*/ readonly releaseChannel: pulumi.Output<string | undefined>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: DeploymentArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.name, "name", opts);
            utilities.require(args?.region, "region", opts);
            resourceInputs["name"] = args?.name;
            resourceInputs["region"] = args?.region;
            resourceInputs["cloudProvider"] = args?.cloudProvider;
            resourceInputs["targetPlatform"] = args?.targetPlatform;
            resourceInputs["isManaged"] = args?.isManaged;
            resourceInputs["creationMethod"] = args?.creationMethod;
            resourceInputs["deployMode"] = args?.deployMode;
            resourceInputs["template"] = args?.template;
            resourceInputs["customDomain"] = args?.customDomain;
            resourceInputs["deployBranchName"] = args?.deployBranchName;
            resourceInputs["deployBranchReadOnly"] = args?.deployBranchReadOnly;
            resourceInputs["deployBranchMergeAllowed"] = args?.deployBranchMergeAllowed;
            resourceInputs["deployProjectRoot"] = args?.deployProjectRoot;
            resourceInputs["defaultLaunchpadViewGroup"] = args?.defaultLaunchpadViewGroup;
            resourceInputs["launchpadTabs"] = args?.launchpadTabs;
            resourceInputs["templateVariables"] = args?.templateVariables;
            resourceInputs["cspsConfig"] = args?.cspsConfig;
            resourceInputs["release"] = args?.release;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["deploymentUrl"] = undefined /*out*/;
            resourceInputs["creationStep"] = undefined /*out*/;
            resourceInputs["deploymentVersion"] = undefined /*out*/;
            resourceInputs["releaseChannel"] = undefined /*out*/;
        } else {
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["region"] = undefined /*out*/;
            resourceInputs["cloudProvider"] = undefined /*out*/;
            resourceInputs["targetPlatform"] = undefined /*out*/;
            resourceInputs["isManaged"] = undefined /*out*/;
            resourceInputs["creationMethod"] = undefined /*out*/;
            resourceInputs["deployMode"] = undefined /*out*/;
            resourceInputs["template"] = undefined /*out*/;
            resourceInputs["customDomain"] = undefined /*out*/;
            resourceInputs["deployBranchName"] = undefined /*out*/;
            resourceInputs["deployBranchReadOnly"] = undefined /*out*/;
            resourceInputs["deployBranchMergeAllowed"] = undefined /*out*/;
            resourceInputs["deployProjectRoot"] = undefined /*out*/;
            resourceInputs["defaultLaunchpadViewGroup"] = undefined /*out*/;
            resourceInputs["launchpadTabs"] = undefined /*out*/;
            resourceInputs["templateVariables"] = undefined /*out*/;
            resourceInputs["cspsConfig"] = undefined /*out*/;
            resourceInputs["release"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
            resourceInputs["deploymentUrl"] = undefined /*out*/;
            resourceInputs["creationStep"] = undefined /*out*/;
            resourceInputs["deploymentVersion"] = undefined /*out*/;
            resourceInputs["releaseChannel"] = undefined /*out*/;
        }
        super(Deployment.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of Deployment. */
export interface DeploymentArgs {
    /** Name, unique in the account. A change renames the deployment and keeps its URL. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Region that the deployment runs in, such as `aws-us-east-1`. Allowed: string (1 to 255 characters). */
    region: pulumi.Input<string>;
    /** Cloud provider that runs the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "svccloud", "aws", "gcp". */
    cloudProvider?: pulumi.Input<enums.DeploymentCloudProvider | (string & {}) | undefined> | undefined;
    /** Cloud platform that hosts the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: "aws", "gcp". */
    targetPlatform?: pulumi.Input<enums.DeploymentTargetPlatform | (string & {}) | undefined> | undefined;
    /** Whether the vendor manages the deployment. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. */
    isManaged?: pulumi.Input<boolean | undefined> | undefined;
    /** How the data model is first imported. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "upload", "svccloud", "github", "ssh". */
    creationMethod?: pulumi.Input<enums.DeploymentCreationMethod | (string & {}) | undefined> | undefined;
    /** How changes to the data model are deployed. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "git", "cli". */
    deployMode?: pulumi.Input<enums.DeploymentDeployMode | (string & {}) | undefined> | undefined;
    /** Size of the deployment. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: "single", "simpleCluster", "multiCluster". */
    template?: pulumi.Input<enums.DeploymentTemplate | (string & {}) | undefined> | undefined;
    /** Domain that replaces the host of the deployment's URL. Allowed: string (1 to 253 characters). */
    customDomain?: pulumi.Input<string | undefined> | undefined;
    /** Git branch that production is built from. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    deployBranchName?: pulumi.Input<string | undefined> | undefined;
    /** Whether direct commits to the deploy branch are rejected. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchReadOnly?: pulumi.Input<boolean | undefined> | undefined;
    /** Whether branches can be merged into the deploy branch. If omitted, the service chooses the value. The API cannot clear the value once it is set. */
    deployBranchMergeAllowed?: pulumi.Input<boolean | undefined> | undefined;
    /** Folder that contains the data model. If omitted, the service chooses the value. The API cannot clear the value once it is set. Allowed: string (at most 1024 characters). */
    deployProjectRoot?: pulumi.Input<string | undefined> | undefined;
    /** Group of views shown first on the launchpad. Allowed: string (1 to 255 characters). */
    defaultLaunchpadViewGroup?: pulumi.Input<string | undefined> | undefined;
    /** Tabs of the launchpad, in display order. The API cannot clear the value once it is set. Allowed: list (at most 100 items) of string (1 to 255 characters). */
    launchpadTabs?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
    /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. The API cannot clear the value once it is set. */
    templateVariables?: pulumi.Input<{ [key: string]: pulumi.Input<string | number | boolean> } | undefined> | undefined;
    /** Customer-provided storage. The API cannot clear the value once it is set. */
    cspsConfig?: pulumi.Input<inputs.DeploymentCspsConfigArgs | undefined> | undefined;
    /** Release channel and platform version. The API cannot clear the value once it is set. */
    release?: pulumi.Input<inputs.DeploymentReleaseArgs | undefined> | undefined;
}
