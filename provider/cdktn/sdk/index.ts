// Generated from the kinds by `npm run generate`. Do not edit. State version 0.
import * as cdk from "cdktn";
import type { Construct } from "constructs";
import { type ArgumentNames, argumentConverter } from "../../cdk/argument-converter.ts";

const metadata = { providerName: "svc", providerVersion: "0.1.0" };
const toArguments = argumentConverter(cdk);

/** The configuration of the provider. */
export interface SvcProviderConfig {
  /** The alias of this provider configuration. */
  readonly alias?: string;
  /** Origin of the server, such as `https://acme.example.com`. Default: `SVC_API_URL`. */
  readonly url?: string;
  /** API key. Default: `SVC_API_KEY`. */
  readonly apiKey?: string;
  /** `bearer` or `api-key`. Default: `SVC_AUTH_SCHEME`, or else the scheme that fits the key. */
  readonly authScheme?: string;
  /** Maximum requests a second. Default: as many as the server allows. */
  readonly requestsPerSecond?: number;
  /** Maximum retries of a request, 0 to 6. Default: 6. */
  readonly retries?: number;
  /** Certificate authorities to trust: PEM text, or the path of a PEM file. Default: `SVC_CA_FILE`. */
  readonly ca?: string;
}

const providerNames: ArgumentNames = { url: ["url"], apiKey: ["api_key"], authScheme: ["auth_scheme"], requestsPerSecond: ["requests_per_second"], retries: ["retries"], ca: ["ca"] };

/** Manages a hosted analytics platform. */
export class SvcProvider extends cdk.TerraformProvider {
  static readonly tfResourceType = "svc";
  readonly #config: SvcProviderConfig;

  constructor(scope: Construct, id: string, config: SvcProviderConfig = {}) {
    super(scope, id, {
      terraformResourceType: "svc",
      terraformGeneratorMetadata: { ...metadata, providerVersionConstraint: "0.1.0" },
      terraformProviderSource: "svc/svc",
    });
    this.#config = config;
    if (config.alias !== undefined) this.alias = config.alias;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { alias: this.alias, ...toArguments(providerNames, this.#config) };
  }
}

/** The arguments of Deployment. */
export interface DeploymentConfig extends cdk.TerraformMetaArguments {
  /** Name, unique in the account. A change renames the deployment and keeps its URL. */
  readonly name: string;
  /** Region that the deployment runs in, such as `aws-us-east-1`. */
  readonly region: string;
  /** Cloud provider that runs the deployment. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  readonly cloudProvider?: string;
  /** Cloud platform that hosts the deployment. One of `"aws"`, `"gcp"`. Changing this forces a new resource to be created. */
  readonly targetPlatform?: string;
  /** Whether the vendor manages the deployment. Changing this forces a new resource to be created. */
  readonly isManaged?: boolean | cdk.IResolvable;
  /** How the data model is first imported. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  readonly creationMethod?: string;
  /** How changes to the data model are deployed. One of `"git"`, `"cli"`. */
  readonly deployMode?: string;
  /** Size of the deployment. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  readonly template?: string;
  /** Domain that replaces the host of the deployment's URL. */
  readonly customDomain?: string;
  /** Git branch that production is built from. */
  readonly deployBranchName?: string;
  /** Whether direct commits to the deploy branch are rejected. */
  readonly deployBranchReadOnly?: boolean | cdk.IResolvable;
  /** Whether branches can be merged into the deploy branch. */
  readonly deployBranchMergeAllowed?: boolean | cdk.IResolvable;
  /** Folder that contains the data model. */
  readonly deployProjectRoot?: string;
  /** Group of views shown first on the launchpad. */
  readonly defaultLaunchpadViewGroup?: string;
  /** Tabs of the launchpad, in display order. */
  readonly launchpadTabs?: readonly string[];
  /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Customer-provided storage. */
  readonly cspsConfig?: {
    /** Whether the storage is used. */
    readonly enabled: boolean | cdk.IResolvable;
    /** Storage provider. */
    readonly storageProvider: string;
    /** S3 bucket. */
    readonly s3Bucket?: string;
    /** Region of the S3 bucket. */
    readonly s3Region?: string;
    /** Server-side encryption of the S3 bucket. */
    readonly s3Sse?: string;
    /** ARN of the AWS role. */
    readonly awsRoleArn?: string;
    /** Google Cloud Storage bucket. */
    readonly gcsBucket?: string;
    /** Email of the GCP service account. */
    readonly gcpServiceAccountEmail?: string;
    /** GCP workload identity provider. */
    readonly gcpWorkloadIdentityProvider?: string;
    /** Azure storage account. */
    readonly azureStorageAccount?: string;
    /** Azure storage container. */
    readonly azureContainer?: string;
    /** ID of the Azure tenant. */
    readonly azureTenantId?: string;
    /** ID of the Azure client. */
    readonly azureClientId?: string;
  };
  /** Release channel and platform version. */
  readonly release?: {
    /** Release channel. A change of the channel without a version upgrades to the newest version of the channel. One of `"latest"`, `"release"`. */
    readonly channel?: string;
    /** Platform version: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which are equivalent. It must be one of the deployment's available versions. */
    readonly version?: string;
    /** Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel. */
    readonly hold?: boolean | cdk.IResolvable;
  };
}

const deploymentNames: ArgumentNames = { name: ["name"], region: ["region"], cloudProvider: ["cloud_provider"], targetPlatform: ["target_platform"], isManaged: ["is_managed"], creationMethod: ["creation_method"], deployMode: ["deploy_mode"], template: ["template"], customDomain: ["custom_domain"], deployBranchName: ["deploy_branch_name"], deployBranchReadOnly: ["deploy_branch_read_only"], deployBranchMergeAllowed: ["deploy_branch_merge_allowed"], deployProjectRoot: ["deploy_project_root"], defaultLaunchpadViewGroup: ["default_launchpad_view_group"], launchpadTabs: ["launchpad_tabs"], templateVariables: ["template_variables", { each: "json" }], cspsConfig: ["csps_config", { members: { enabled: ["enabled"], storageProvider: ["storage_provider"], s3Bucket: ["s3_bucket"], s3Region: ["s3_region"], s3Sse: ["s3_sse"], awsRoleArn: ["aws_role_arn"], gcsBucket: ["gcs_bucket"], gcpServiceAccountEmail: ["gcp_service_account_email"], gcpWorkloadIdentityProvider: ["gcp_workload_identity_provider"], azureStorageAccount: ["azure_storage_account"], azureContainer: ["azure_container"], azureTenantId: ["azure_tenant_id"], azureClientId: ["azure_client_id"] } }], release: ["release", { members: { channel: ["channel"], version: ["version"], hold: ["hold"] } }] };

/** An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export class Deployment extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_deployment";
  readonly #config: DeploymentConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_deployment";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_deployment",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name, unique in the account. A change renames the deployment and keeps its URL. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Region that the deployment runs in, such as `aws-us-east-1`. */
  get region(): string {
    return this.getStringAttribute("region");
  }

  /** Cloud provider that runs the deployment. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  get cloudProvider(): string {
    return this.getStringAttribute("cloud_provider");
  }

  /** Cloud platform that hosts the deployment. One of `"aws"`, `"gcp"`. Changing this forces a new resource to be created. */
  get targetPlatform(): string {
    return this.getStringAttribute("target_platform");
  }

  /** Whether the vendor manages the deployment. Changing this forces a new resource to be created. */
  get isManaged(): cdk.IResolvable {
    return this.getBooleanAttribute("is_managed");
  }

  /** How the data model is first imported. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  get creationMethod(): string {
    return this.getStringAttribute("creation_method");
  }

  /** How changes to the data model are deployed. One of `"git"`, `"cli"`. */
  get deployMode(): string {
    return this.getStringAttribute("deploy_mode");
  }

  /** Size of the deployment. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  get template(): string {
    return this.getStringAttribute("template");
  }

  /** Domain that replaces the host of the deployment's URL. */
  get customDomain(): string {
    return this.getStringAttribute("custom_domain");
  }

  /** Git branch that production is built from. */
  get deployBranchName(): string {
    return this.getStringAttribute("deploy_branch_name");
  }

  /** Whether direct commits to the deploy branch are rejected. */
  get deployBranchReadOnly(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_read_only");
  }

  /** Whether branches can be merged into the deploy branch. */
  get deployBranchMergeAllowed(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_merge_allowed");
  }

  /** Folder that contains the data model. */
  get deployProjectRoot(): string {
    return this.getStringAttribute("deploy_project_root");
  }

  /** Group of views shown first on the launchpad. */
  get defaultLaunchpadViewGroup(): string {
    return this.getStringAttribute("default_launchpad_view_group");
  }

  /** Tabs of the launchpad, in display order. */
  get launchpadTabs(): string[] {
    return this.getListAttribute("launchpad_tabs");
  }

  /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. Each value is JSON text; use `jsonencode`. */
  get templateVariables(): cdk.IResolvable {
    return this.interpolationForAttribute("template_variables");
  }

  /** Customer-provided storage. */
  get cspsConfig(): cdk.IResolvable {
    return this.interpolationForAttribute("csps_config");
  }

  /** Release channel and platform version. */
  get release(): cdk.IResolvable {
    return this.interpolationForAttribute("release");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** URL of the deployment's data API. */
  get deploymentUrl(): string {
    return this.getStringAttribute("deployment_url");
  }

  /** Current step of the deployment's setup. One of `"project"`, `"upload"`, `"schema"`, `"github"`, `"ssh"`, `"databases"`, `"ready"`, `"demo"`. */
  get creationStep(): string {
    return this.getStringAttribute("creation_step");
  }

  /** Platform version that the deployment runs, such as `1.2.3`. */
  get version(): string {
    return this.getStringAttribute("version");
  }

  /** Release channel of that version. One of `"latest"`, `"release"`. */
  get releaseChannel(): string {
    return this.getStringAttribute("release_channel");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(deploymentNames, this.#config);
  }
}

/** The arguments of EnvironmentVariable. */
export interface EnvironmentVariableConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Name: letters, digits and underscores. Does not start with a digit. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Value. It is never shown, regardless of the name. */
  readonly value: string;
  /** Version of `value`. The provider increases it with each write. If you set it, `value` is written only when the version changes. */
  readonly valueVersion?: number;
}

const environmentVariableNames: ArgumentNames = { deployment: ["deployment"], name: ["name"], value: ["value"], valueVersion: ["value_version"] };

/** An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export class EnvironmentVariable extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_environment_variable";
  readonly #config: EnvironmentVariableConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_environment_variable";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: EnvironmentVariableConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_environment_variable",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name: letters, digits and underscores. Does not start with a digit. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Version of `value`. The provider increases it with each write. If you set it, `value` is written only when the version changes. */
  get valueVersion(): number {
    return this.getNumberAttribute("value_version");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** The id for `terraform import`: `deployment/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(environmentVariableNames, this.#config);
  }
}

/** The arguments of UserAttribute. */
export interface UserAttributeConfig extends cdk.TerraformMetaArguments {
  /** Name that data models and sessions refer to. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  readonly type: string;
  /** Display name. */
  readonly displayName?: string;
  /** Description. */
  readonly description?: string;
  /** Default value, as text, for users without a value. */
  readonly defaultValue?: string;
}

const userAttributeNames: ArgumentNames = { name: ["name"], type: ["type"], displayName: ["display_name"], description: ["description"], defaultValue: ["default_value"] };

/** An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export class UserAttribute extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_user_attribute";
  readonly #config: UserAttributeConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_user_attribute";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: UserAttributeConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_attribute",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name that data models and sessions refer to. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Default value, as text, for users without a value. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(userAttributeNames, this.#config);
  }
}

/** The arguments of UserGroup. */
export interface UserGroupConfig extends cdk.TerraformMetaArguments {
  /** Name, unique in the account. A change renames the group and keeps its members. */
  readonly name: string;
  /** Description. */
  readonly description?: string;
}

const userGroupNames: ArgumentNames = { name: ["name"], description: ["description"] };

/** An account-wide group of users. Access policies and dashboards refer to it by name. */
export class UserGroup extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_user_group";
  readonly #config: UserGroupConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_user_group";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: UserGroupConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_group",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name, unique in the account. A change renames the group and keeps its members. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(userGroupNames, this.#config);
  }
}

/** The arguments of User. */
export interface UserConfig extends cdk.TerraformMetaArguments {
  /** Email, in lowercase, unique in the account. Changing this forces a new resource to be created. */
  readonly email: string;
  /** Username for sign-in, unique in the account. Changing this forces a new resource to be created. */
  readonly username: string;
  /** Display name. */
  readonly firstName?: string;
  /** Job title. */
  readonly title?: string;
  /** HTTP or HTTPS URL of the avatar. */
  readonly picture?: string;
  /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. */
  readonly isAdmin?: boolean | cdk.IResolvable;
  /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. */
  readonly isDeactivated?: boolean | cdk.IResolvable;
  /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. The `reference` of a `svc_user_group`. */
  readonly groups?: readonly string[];
  /** Values of account-wide attributes. The list replaces all values; an empty list clears them. */
  readonly userAttributes?: readonly {
    /** Name of the attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Value of the attribute, of the attribute's type. */
    readonly value: unknown;
  }[];
}

const userNames: ArgumentNames = { email: ["email"], username: ["username"], firstName: ["first_name"], title: ["title"], picture: ["picture"], isAdmin: ["is_admin"], isDeactivated: ["is_deactivated"], groups: ["groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }] };

/** A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export class User extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_user";
  readonly #config: UserConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_user";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: UserConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Email, in lowercase, unique in the account. Changing this forces a new resource to be created. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Username for sign-in, unique in the account. Changing this forces a new resource to be created. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Display name. */
  get firstName(): string {
    return this.getStringAttribute("first_name");
  }

  /** Job title. */
  get title(): string {
    return this.getStringAttribute("title");
  }

  /** HTTP or HTTPS URL of the avatar. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. */
  get isAdmin(): cdk.IResolvable {
    return this.getBooleanAttribute("is_admin");
  }

  /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. */
  get isDeactivated(): cdk.IResolvable {
    return this.getBooleanAttribute("is_deactivated");
  }

  /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. The `reference` of a `svc_user_group`. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Values of account-wide attributes. The list replaces all values; an empty list clears them. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The id for `terraform import`: `email`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(userNames, this.#config);
  }
}

/** The arguments of ApiKey. */
export interface ApiKeyConfig extends cdk.TerraformMetaArguments {
  /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
  readonly name: string;
  /** Email of the user whose permissions the key has. Defaults to the user who creates the key. The `reference` of a `svc_user`. Changing this forces a new resource to be created. */
  readonly owner?: string;
  /** Deployments that the key can access. `null` means all deployments. The `reference` of a `svc_deployment`. */
  readonly deployments?: readonly string[];
}

const apiKeyNames: ArgumentNames = { name: ["name"], owner: ["owner"], deployments: ["deployments"] };

/** An API credential. The secret is returned once, when the key is created. */
export class ApiKey extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_api_key";
  readonly #config: ApiKeyConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_api_key";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: ApiKeyConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_api_key",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Email of the user whose permissions the key has. Defaults to the user who creates the key. The `reference` of a `svc_user`. Changing this forces a new resource to be created. */
  get owner(): string {
    return this.getStringAttribute("owner");
  }

  /** Deployments that the key can access. `null` means all deployments. The `reference` of a `svc_deployment`. */
  get deployments(): string[] {
    return this.getListAttribute("deployments");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** First characters of the secret, to identify the key. */
  get prefix(): string {
    return this.getStringAttribute("prefix");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The key: `sk-` followed by 43 characters. */
  get token(): string {
    return this.getStringAttribute("token");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(apiKeyNames, this.#config);
  }
}

/** The arguments of EmbedTenant. */
export interface EmbedTenantConfig extends cdk.TerraformMetaArguments {
  /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Display name. */
  readonly displayName?: string;
}

const embedTenantNames: ArgumentNames = { name: ["name"], displayName: ["display_name"] };

/** A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export class EmbedTenant extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_embed_tenant";
  readonly #config: EmbedTenantConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_embed_tenant";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: EmbedTenantConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_tenant",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(embedTenantNames, this.#config);
  }
}

/** The arguments of EmbedGroup. */
export interface EmbedGroupConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Name, unique in the embed tenant. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Description. A server without direct group operations can update it but cannot clear it. */
  readonly description?: string;
}

const embedGroupNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"], description: ["description"] };

/** A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export class EmbedGroup extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_embed_group";
  readonly #config: EmbedGroupConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_embed_group";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: EmbedGroupConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_group",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the embed tenant. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Description. A server without direct group operations can update it but cannot clear it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `embedTenant/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(embedGroupNames, this.#config);
  }
}

/** The arguments of EmbedUserAttribute. */
export interface EmbedUserAttributeConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Name, unique in the embed tenant. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  readonly type: string;
  /** Display name. */
  readonly displayName?: string;
  /** Default value, as text, for users without a value. */
  readonly defaultValue?: string;
  /** Description. */
  readonly description?: string;
}

const embedUserAttributeNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"], type: ["type"], displayName: ["display_name"], defaultValue: ["default_value"], description: ["description"] };

/** An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export class EmbedUserAttribute extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_embed_user_attribute";
  readonly #config: EmbedUserAttributeConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_embed_user_attribute";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: EmbedUserAttributeConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_user_attribute",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the embed tenant. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Default value, as text, for users without a value. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `embedTenant/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(embedUserAttributeNames, this.#config);
  }
}

/** The arguments of EmbedUser. */
export interface EmbedUserConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. Changing this forces a new resource to be created. */
  readonly externalId: string;
  /** Email address that notifications are sent to. */
  readonly email?: string;
  /** Display name. */
  readonly displayName?: string;
  /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API does not return it, so drift is not detected. */
  readonly picture?: string;
  /** Account-wide groups of the user. An empty list removes all memberships. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  readonly groups?: readonly string[];
  /** Groups of the embed tenant that the user is in. An empty list removes all memberships. The `reference` of a `svc_embed_group`. */
  readonly tenantGroups?: readonly string[];
  /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. The API does not return it, so drift is not detected. */
  readonly userAttributes?: readonly {
    /** Name of the attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Value of the attribute, of the attribute's type. */
    readonly value: unknown;
  }[];
}

const embedUserNames: ArgumentNames = { embedTenant: ["embed_tenant"], externalId: ["external_id"], email: ["email"], displayName: ["display_name"], picture: ["picture"], groups: ["groups"], tenantGroups: ["tenant_groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }] };

/** An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export class EmbedUser extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_embed_user";
  readonly #config: EmbedUserConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_embed_user";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: EmbedUserConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_user",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. Changing this forces a new resource to be created. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Email address that notifications are sent to. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API does not return it, so drift is not detected. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Account-wide groups of the user. An empty list removes all memberships. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Groups of the embed tenant that the user is in. An empty list removes all memberships. The `reference` of a `svc_embed_group`. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. The API does not return it, so drift is not detected. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Name that the user signs in with. For an external user, the external ID. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The id for `terraform import`: `embedTenant/externalId`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(embedUserNames, this.#config);
  }
}

/** The arguments of Workbook. */
export interface WorkbookConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Name in URLs and references: lowercase, unique in the deployment. */
  readonly slug: string;
  /** Display name. */
  readonly name?: string;
  /** Custom values, by name. `{}` removes all of them. */
  readonly meta?: unknown;
  /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. */
  readonly dashboard?: {
    /** Title of the dashboard. */
    readonly title?: string;
    /** Description of the dashboard. */
    readonly description?: string;
    /** Type of dashboard: classic, or app. One of `"CLASSIC"`, `"APP"`. */
    readonly kind?: string;
    /** Layout, in the product's export format. */
    readonly layout?: unknown;
    /** Theme, in the product's export format. */
    readonly theme?: unknown;
    /** Settings, in the product's export format. */
    readonly settings?: unknown;
    /** Widgets of the dashboard, from top to bottom. */
    readonly widgets?: readonly {
      /** ID of the widget, unique on the dashboard. */
      readonly id: string;
      /** Type of the widget. One of `"CHART"`, `"TEXT"`, `"FILTER"`, `"AI"`, `"TIME_GRAIN"`, `"FIELD"`, `"PARENT"`, `"SPACER"`, `"DIVIDER"`, `"CONTAINER"`. */
      readonly type: string;
      /** Position on the dashboard's grid. */
      readonly position: {
        /** Column, counted from the left. */
        readonly x: number;
        /** Row, counted from the top. */
        readonly y: number;
        /** Width in columns. */
        readonly w: number;
        /** Height in rows. */
        readonly h: number;
      };
      /** Positions at other screen widths, in the product's export format. */
      readonly responsiveLayouts?: unknown;
      /** Content and layout of the dashboard. */
      readonly config?: unknown;
      /** Style, in the product's export format. */
      readonly style?: unknown;
    }[];
    /** Whether signed embedding can show the dashboard. */
    readonly allowEmbed?: boolean | cdk.IResolvable;
  };
}

const workbookNames: ArgumentNames = { deployment: ["deployment"], slug: ["slug"], name: ["name"], meta: ["meta", "json"], dashboard: ["dashboard", { members: { title: ["title"], description: ["description"], kind: ["kind"], layout: ["layout", "json"], theme: ["theme", "json"], settings: ["settings", "json"], widgets: ["widgets", { each: { members: { id: ["id"], type: ["type"], position: ["position", { members: { x: ["x"], y: ["y"], w: ["w"], h: ["h"] } }], responsiveLayouts: ["responsive_layouts", "json"], config: ["config", "json"], style: ["style", "json"] } } }], allowEmbed: ["allow_embed"] } }] };

/** A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export class Workbook extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_workbook";
  readonly #config: WorkbookConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_workbook";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: WorkbookConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_workbook",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name in URLs and references: lowercase, unique in the deployment. */
  get slug(): string {
    return this.getStringAttribute("slug");
  }

  /** Display name. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Custom values, by name. `{}` removes all of them. JSON text; use `jsonencode`. */
  get meta(): string {
    return this.getStringAttribute("meta");
  }

  /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. */
  get dashboard(): cdk.IResolvable {
    return this.interpolationForAttribute("dashboard");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** ID of a published dashboard in URLs. It never changes. */
  get publicId(): string {
    return this.getStringAttribute("public_id");
  }

  /** The id for `terraform import`: `deployment/slug`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(workbookNames, this.#config);
  }
}

/** The arguments of Notification. */
export interface NotificationConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. Changing this forces a new resource to be created. */
  readonly workbook: string;
  /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /** IANA time zone of the schedule. Default: `"UTC"`. */
  readonly timezone?: string;
  /** Whether the schedule is active. */
  readonly isEnabled?: boolean | cdk.IResolvable;
  /** Whether each run is delivered to the recipients. */
  readonly notificationEnabled?: boolean | cdk.IResolvable;
  /** File format of the delivery. One of `"png"`, `"pdf"`. */
  readonly notificationFormat?: string;
  /** Whether the delivery includes a generated summary. */
  readonly notificationAiSummary?: boolean | cdk.IResolvable;
  /** Filters applied to the dashboard when it is rendered. */
  readonly filters?: readonly {
    /** Member of the data model: `view.member`. */
    readonly member: string;
    /** Comparison operator. */
    readonly operator?: string;
    /** Value that the member is compared with. */
    readonly value?: unknown;
    /** Whether the comparison is case-sensitive. */
    readonly caseSensitive?: boolean | cdk.IResolvable;
    /** Whether the start of a range is included. */
    readonly startInclusive?: boolean | cdk.IResolvable;
    /** Whether the end of a range is included. */
    readonly endInclusive?: boolean | cdk.IResolvable;
  }[];
  /** Time grains, in the product's export format. */
  readonly timeGrains?: readonly unknown[];
  /** Member switchers, in the product's export format. */
  readonly memberSwitchers?: readonly unknown[];
}

const notificationNames: ArgumentNames = { deployment: ["deployment"], workbook: ["workbook"], schedule: ["schedule"], timezone: ["timezone"], isEnabled: ["is_enabled"], notificationEnabled: ["notification_enabled"], notificationFormat: ["notification_format"], notificationAiSummary: ["notification_ai_summary"], filters: ["filters", { each: { members: { member: ["member"], operator: ["operator"], value: ["value", "json"], caseSensitive: ["case_sensitive"], startInclusive: ["start_inclusive"], endInclusive: ["end_inclusive"] } } }], timeGrains: ["time_grains", { each: "json" }], memberSwitchers: ["member_switchers", { each: "json" }] };

/** A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export class Notification extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_notification";
  readonly #config: NotificationConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_notification";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: NotificationConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. Changing this forces a new resource to be created. */
  get workbook(): string {
    return this.getStringAttribute("workbook");
  }

  /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  get schedule(): string {
    return this.getStringAttribute("schedule");
  }

  /** IANA time zone of the schedule. Default: `"UTC"`. */
  get timezone(): string {
    return this.getStringAttribute("timezone");
  }

  /** Whether the schedule is active. */
  get isEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("is_enabled");
  }

  /** Whether each run is delivered to the recipients. */
  get notificationEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_enabled");
  }

  /** File format of the delivery. One of `"png"`, `"pdf"`. */
  get notificationFormat(): string {
    return this.getStringAttribute("notification_format");
  }

  /** Whether the delivery includes a generated summary. */
  get notificationAiSummary(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_ai_summary");
  }

  /** Filters applied to the dashboard when it is rendered. */
  get filters(): cdk.IResolvable {
    return this.interpolationForAttribute("filters");
  }

  /** Time grains, in the product's export format. Each value is JSON text; use `jsonencode`. */
  get timeGrains(): cdk.IResolvable {
    return this.interpolationForAttribute("time_grains");
  }

  /** Member switchers, in the product's export format. Each value is JSON text; use `jsonencode`. */
  get memberSwitchers(): cdk.IResolvable {
    return this.interpolationForAttribute("member_switchers");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** Schedule in words. */
  get humanReadableSchedule(): string {
    return this.getStringAttribute("human_readable_schedule");
  }

  /** The id for `terraform import`: `deployment/workbook/schedule/timezone`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(notificationNames, this.#config);
  }
}

/** The arguments of NotificationRecipient. */
export interface NotificationRecipientConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  readonly notification: string;
  /** Email of the user, in lowercase. The user must exist. Changing this forces a new resource to be created. */
  readonly user: string;
}

const notificationRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], user: ["user"] };

/** A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export class NotificationRecipient extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_notification_recipient";
  readonly #config: NotificationRecipientConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_notification_recipient";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: NotificationRecipientConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_recipient",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Email of the user, in lowercase. The user must exist. Changing this forces a new resource to be created. */
  get user(): string {
    return this.getStringAttribute("user");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** ID of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** Name that the user signs in with. For an external user, the external ID. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** The id for `terraform import`: `deployment/notification/user`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(notificationRecipientNames, this.#config);
  }
}

/** The arguments of NotificationEmbedRecipient. */
export interface NotificationEmbedRecipientConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  readonly notification: string;
  /** Embed tenant of the external user. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** The external user's ID in your own system. The user is created if it does not exist. Changing this forces a new resource to be created. */
  readonly externalId: string;
  /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API does not return it, so drift is not detected. */
  readonly email?: string;
  /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  readonly groups?: readonly string[];
  /** Groups of the embed tenant that the dashboard is rendered with. The `reference` of a `svc_embed_group`. The API does not return it, so drift is not detected. */
  readonly tenantGroups?: readonly string[];
  /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. The API does not return it, so drift is not detected. */
  readonly userAttributes?: readonly {
    /** Name of the attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Value of the attribute, of the attribute's type. */
    readonly value: unknown;
  }[];
  /** Values of the embed tenant's attributes that the dashboard is rendered with. The API does not return it, so drift is not detected. */
  readonly tenantUserAttributes?: readonly {
    /** Name of the attribute. The `reference` of a `svc_embed_user_attribute`. */
    readonly name: string;
    /** Value of the attribute, of the attribute's type. */
    readonly value: unknown;
  }[];
  /** Security context of the dashboard's queries: any object. The API does not return it, so drift is not detected. */
  readonly securityContext?: unknown;
}

const notificationEmbedRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], embedTenant: ["embed_tenant"], externalId: ["external_id"], email: ["email"], groups: ["groups"], tenantGroups: ["tenant_groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }], tenantUserAttributes: ["tenant_user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }], securityContext: ["security_context", "json"] };

/** An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export class NotificationEmbedRecipient extends cdk.TerraformResource {
  static readonly tfResourceType = "svc_notification_embed_recipient";
  readonly #config: NotificationEmbedRecipientConfig;

  /** Imports an existing object by its import id; `plan -generate-config-out` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "svc_notification_embed_recipient";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }

  constructor(scope: Construct, id: string, config: NotificationEmbedRecipientConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_embed_recipient",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Embed tenant of the external user. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** The external user's ID in your own system. The user is created if it does not exist. Changing this forces a new resource to be created. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it. The API does not return it, so drift is not detected. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Account-wide groups that the dashboard is rendered with. Together with `tenantGroups`, they replace the user's own groups. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Groups of the embed tenant that the dashboard is rendered with. The `reference` of a `svc_embed_group`. The API does not return it, so drift is not detected. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Values of account-wide attributes that the dashboard is rendered with. Together with `tenantUserAttributes`, they replace the user's own values. The API does not return it, so drift is not detected. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Values of the embed tenant's attributes that the dashboard is rendered with. The API does not return it, so drift is not detected. */
  get tenantUserAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("tenant_user_attributes");
  }

  /** Security context of the dashboard's queries: any object. The API does not return it, so drift is not detected. JSON text; use `jsonencode`. */
  get securityContext(): string {
    return this.getStringAttribute("security_context");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** ID of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** The id for `terraform import`: `deployment/notification/embedTenant/externalId`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(notificationEmbedRecipientNames, this.#config);
  }
}

/** The arguments of DataDeployment. */
export interface DataDeploymentConfig extends cdk.TerraformMetaArguments {
  /** Name, unique in the account. A change renames the deployment and keeps its URL. */
  readonly name: string;
}

const dataDeploymentNames: ArgumentNames = { name: ["name"] };

/** An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export class DataDeployment extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_deployment";
  readonly #config: DataDeploymentConfig;

  constructor(scope: Construct, id: string, config: DataDeploymentConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_deployment",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name, unique in the account. A change renames the deployment and keeps its URL. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Region that the deployment runs in, such as `aws-us-east-1`. */
  get region(): string {
    return this.getStringAttribute("region");
  }

  /** Cloud provider that runs the deployment. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  get cloudProvider(): string {
    return this.getStringAttribute("cloud_provider");
  }

  /** Cloud platform that hosts the deployment. One of `"aws"`, `"gcp"`. */
  get targetPlatform(): string {
    return this.getStringAttribute("target_platform");
  }

  /** Whether the vendor manages the deployment. */
  get isManaged(): cdk.IResolvable {
    return this.getBooleanAttribute("is_managed");
  }

  /** How the data model is first imported. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  get creationMethod(): string {
    return this.getStringAttribute("creation_method");
  }

  /** How changes to the data model are deployed. One of `"git"`, `"cli"`. */
  get deployMode(): string {
    return this.getStringAttribute("deploy_mode");
  }

  /** Size of the deployment. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  get template(): string {
    return this.getStringAttribute("template");
  }

  /** Domain that replaces the host of the deployment's URL. */
  get customDomain(): string {
    return this.getStringAttribute("custom_domain");
  }

  /** Git branch that production is built from. */
  get deployBranchName(): string {
    return this.getStringAttribute("deploy_branch_name");
  }

  /** Whether direct commits to the deploy branch are rejected. */
  get deployBranchReadOnly(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_read_only");
  }

  /** Whether branches can be merged into the deploy branch. */
  get deployBranchMergeAllowed(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_merge_allowed");
  }

  /** Folder that contains the data model. */
  get deployProjectRoot(): string {
    return this.getStringAttribute("deploy_project_root");
  }

  /** Group of views shown first on the launchpad. */
  get defaultLaunchpadViewGroup(): string {
    return this.getStringAttribute("default_launchpad_view_group");
  }

  /** Tabs of the launchpad, in display order. */
  get launchpadTabs(): string[] {
    return this.getListAttribute("launchpad_tabs");
  }

  /** Template variables, by name. Variables that are not listed are removed. Values must not be secrets. Each value is JSON text; use `jsonencode`. */
  get templateVariables(): cdk.IResolvable {
    return this.interpolationForAttribute("template_variables");
  }

  /** Customer-provided storage. */
  get cspsConfig(): cdk.IResolvable {
    return this.interpolationForAttribute("csps_config");
  }

  /** Release channel and platform version. */
  get release(): cdk.IResolvable {
    return this.interpolationForAttribute("release");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** URL of the deployment's data API. */
  get deploymentUrl(): string {
    return this.getStringAttribute("deployment_url");
  }

  /** Current step of the deployment's setup. One of `"project"`, `"upload"`, `"schema"`, `"github"`, `"ssh"`, `"databases"`, `"ready"`, `"demo"`. */
  get creationStep(): string {
    return this.getStringAttribute("creation_step");
  }

  /** Platform version that the deployment runs, such as `1.2.3`. */
  get version(): string {
    return this.getStringAttribute("version");
  }

  /** Release channel of that version. One of `"latest"`, `"release"`. */
  get releaseChannel(): string {
    return this.getStringAttribute("release_channel");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataDeploymentNames, this.#config);
  }
}

/** The arguments of DataDeployments. */
export interface DataDeploymentsConfig extends cdk.TerraformMetaArguments {

}

const dataDeploymentsNames: ArgumentNames = {  };

/** An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export class DataDeployments extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_deployments";
  readonly #config: DataDeploymentsConfig;

  constructor(scope: Construct, id: string, config: DataDeploymentsConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_deployments",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every Deployment of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataDeploymentsNames, this.#config);
  }
}

/** The arguments of DataEnvironmentVariable. */
export interface DataEnvironmentVariableConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Name: letters, digits and underscores. Does not start with a digit. */
  readonly name: string;
}

const dataEnvironmentVariableNames: ArgumentNames = { deployment: ["deployment"], name: ["name"] };

/** An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export class DataEnvironmentVariable extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_environment_variable";
  readonly #config: DataEnvironmentVariableConfig;

  constructor(scope: Construct, id: string, config: DataEnvironmentVariableConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_environment_variable",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name: letters, digits and underscores. Does not start with a digit. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** The id for `terraform import`: `deployment/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEnvironmentVariableNames, this.#config);
  }
}

/** The arguments of DataEnvironmentVariables. */
export interface DataEnvironmentVariablesConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataEnvironmentVariablesNames: ArgumentNames = { deployment: ["deployment"] };

/** An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export class DataEnvironmentVariables extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_environment_variables";
  readonly #config: DataEnvironmentVariablesConfig;

  constructor(scope: Construct, id: string, config: DataEnvironmentVariablesConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_environment_variables",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Every EnvironmentVariable of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEnvironmentVariablesNames, this.#config);
  }
}

/** The arguments of DataUserAttribute. */
export interface DataUserAttributeConfig extends cdk.TerraformMetaArguments {
  /** Name that data models and sessions refer to. */
  readonly name: string;
}

const dataUserAttributeNames: ArgumentNames = { name: ["name"] };

/** An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export class DataUserAttribute extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_user_attribute";
  readonly #config: DataUserAttributeConfig;

  constructor(scope: Construct, id: string, config: DataUserAttributeConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_attribute",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name that data models and sessions refer to. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Default value, as text, for users without a value. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUserAttributeNames, this.#config);
  }
}

/** The arguments of DataUserAttributes. */
export interface DataUserAttributesConfig extends cdk.TerraformMetaArguments {

}

const dataUserAttributesNames: ArgumentNames = {  };

/** An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export class DataUserAttributes extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_user_attributes";
  readonly #config: DataUserAttributesConfig;

  constructor(scope: Construct, id: string, config: DataUserAttributesConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_attributes",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every UserAttribute of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUserAttributesNames, this.#config);
  }
}

/** The arguments of DataUserGroup. */
export interface DataUserGroupConfig extends cdk.TerraformMetaArguments {
  /** Name, unique in the account. A change renames the group and keeps its members. */
  readonly name: string;
}

const dataUserGroupNames: ArgumentNames = { name: ["name"] };

/** An account-wide group of users. Access policies and dashboards refer to it by name. */
export class DataUserGroup extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_user_group";
  readonly #config: DataUserGroupConfig;

  constructor(scope: Construct, id: string, config: DataUserGroupConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_group",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name, unique in the account. A change renames the group and keeps its members. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Number of users it contains. */
  get userCount(): number {
    return this.getNumberAttribute("user_count");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUserGroupNames, this.#config);
  }
}

/** The arguments of DataUserGroups. */
export interface DataUserGroupsConfig extends cdk.TerraformMetaArguments {

}

const dataUserGroupsNames: ArgumentNames = {  };

/** An account-wide group of users. Access policies and dashboards refer to it by name. */
export class DataUserGroups extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_user_groups";
  readonly #config: DataUserGroupsConfig;

  constructor(scope: Construct, id: string, config: DataUserGroupsConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user_groups",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every UserGroup of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUserGroupsNames, this.#config);
  }
}

/** The arguments of DataUser. */
export interface DataUserConfig extends cdk.TerraformMetaArguments {
  /** Email, in lowercase, unique in the account. */
  readonly email: string;
}

const dataUserNames: ArgumentNames = { email: ["email"] };

/** A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export class DataUser extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_user";
  readonly #config: DataUserConfig;

  constructor(scope: Construct, id: string, config: DataUserConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_user",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Email, in lowercase, unique in the account. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Username for sign-in, unique in the account. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Display name. */
  get firstName(): string {
    return this.getStringAttribute("first_name");
  }

  /** Job title. */
  get title(): string {
    return this.getStringAttribute("title");
  }

  /** HTTP or HTTPS URL of the avatar. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. */
  get isAdmin(): cdk.IResolvable {
    return this.getBooleanAttribute("is_admin");
  }

  /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. */
  get isDeactivated(): cdk.IResolvable {
    return this.getBooleanAttribute("is_deactivated");
  }

  /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. The `reference` of a `svc_user_group`. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Values of account-wide attributes. The list replaces all values; an empty list clears them. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** Time of the user's last sign-in, in UTC. */
  get lastLogin(): string {
    return this.getStringAttribute("last_login");
  }

  /** The id for `terraform import`: `email`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUserNames, this.#config);
  }
}

/** The arguments of DataUsers. */
export interface DataUsersConfig extends cdk.TerraformMetaArguments {

}

const dataUsersNames: ArgumentNames = {  };

/** A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export class DataUsers extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_users";
  readonly #config: DataUsersConfig;

  constructor(scope: Construct, id: string, config: DataUsersConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_users",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every User of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataUsersNames, this.#config);
  }
}

/** The arguments of DataApiKey. */
export interface DataApiKeyConfig extends cdk.TerraformMetaArguments {
  /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
  readonly name: string;
}

const dataApiKeyNames: ArgumentNames = { name: ["name"] };

/** An API credential. The secret is returned once, when the key is created. */
export class DataApiKey extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_api_key";
  readonly #config: DataApiKeyConfig;

  constructor(scope: Construct, id: string, config: DataApiKeyConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_api_key",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Email of the user whose permissions the key has. Defaults to the user who creates the key. The `reference` of a `svc_user`. */
  get owner(): string {
    return this.getStringAttribute("owner");
  }

  /** Deployments that the key can access. `null` means all deployments. The `reference` of a `svc_deployment`. */
  get deployments(): string[] {
    return this.getListAttribute("deployments");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** First characters of the secret, to identify the key. */
  get prefix(): string {
    return this.getStringAttribute("prefix");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataApiKeyNames, this.#config);
  }
}

/** The arguments of DataApiKeys. */
export interface DataApiKeysConfig extends cdk.TerraformMetaArguments {

}

const dataApiKeysNames: ArgumentNames = {  };

/** An API credential. The secret is returned once, when the key is created. */
export class DataApiKeys extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_api_keys";
  readonly #config: DataApiKeysConfig;

  constructor(scope: Construct, id: string, config: DataApiKeysConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_api_keys",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every ApiKey of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataApiKeysNames, this.#config);
  }
}

/** The arguments of DataEmbedTenant. */
export interface DataEmbedTenantConfig extends cdk.TerraformMetaArguments {
  /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. */
  readonly name: string;
}

const dataEmbedTenantNames: ArgumentNames = { name: ["name"] };

/** A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export class DataEmbedTenant extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_tenant";
  readonly #config: DataEmbedTenantConfig;

  constructor(scope: Construct, id: string, config: DataEmbedTenantConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_tenant",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Number of users it contains. */
  get userCount(): number {
    return this.getNumberAttribute("user_count");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The id for `terraform import`: `name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedTenantNames, this.#config);
  }
}

/** The arguments of DataEmbedTenants. */
export interface DataEmbedTenantsConfig extends cdk.TerraformMetaArguments {

}

const dataEmbedTenantsNames: ArgumentNames = {  };

/** A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export class DataEmbedTenants extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_tenants";
  readonly #config: DataEmbedTenantsConfig;

  constructor(scope: Construct, id: string, config: DataEmbedTenantsConfig = {}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_tenants",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Every EmbedTenant of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedTenantsNames, this.#config);
  }
}

/** The arguments of DataEmbedGroup. */
export interface DataEmbedGroupConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Name, unique in the embed tenant. */
  readonly name: string;
}

const dataEmbedGroupNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"] };

/** A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export class DataEmbedGroup extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_group";
  readonly #config: DataEmbedGroupConfig;

  constructor(scope: Construct, id: string, config: DataEmbedGroupConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_group",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the embed tenant. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Description. A server without direct group operations can update it but cannot clear it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Number of users it contains. */
  get userCount(): number {
    return this.getNumberAttribute("user_count");
  }

  /** The id for `terraform import`: `embedTenant/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedGroupNames, this.#config);
  }
}

/** The arguments of DataEmbedGroups. */
export interface DataEmbedGroupsConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedGroupsNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export class DataEmbedGroups extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_groups";
  readonly #config: DataEmbedGroupsConfig;

  constructor(scope: Construct, id: string, config: DataEmbedGroupsConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_groups",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Every EmbedGroup of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedGroupsNames, this.#config);
  }
}

/** The arguments of DataEmbedUserAttribute. */
export interface DataEmbedUserAttributeConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Name, unique in the embed tenant. */
  readonly name: string;
}

const dataEmbedUserAttributeNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"] };

/** An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export class DataEmbedUserAttribute extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_user_attribute";
  readonly #config: DataEmbedUserAttributeConfig;

  constructor(scope: Construct, id: string, config: DataEmbedUserAttributeConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_user_attribute",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the embed tenant. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Default value, as text, for users without a value. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Description. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The id for `terraform import`: `embedTenant/name`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedUserAttributeNames, this.#config);
  }
}

/** The arguments of DataEmbedUserAttributes. */
export interface DataEmbedUserAttributesConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedUserAttributesNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export class DataEmbedUserAttributes extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_user_attributes";
  readonly #config: DataEmbedUserAttributesConfig;

  constructor(scope: Construct, id: string, config: DataEmbedUserAttributesConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_user_attributes",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Every EmbedUserAttribute of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedUserAttributesNames, this.#config);
  }
}

/** The arguments of DataEmbedUser. */
export interface DataEmbedUserConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. */
  readonly externalId: string;
}

const dataEmbedUserNames: ArgumentNames = { embedTenant: ["embed_tenant"], externalId: ["external_id"] };

/** An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export class DataEmbedUser extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_user";
  readonly #config: DataEmbedUserConfig;

  constructor(scope: Construct, id: string, config: DataEmbedUserConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_user",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Email address that notifications are sent to. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Display name. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Groups of the embed tenant that the user is in. An empty list removes all memberships. The `reference` of a `svc_embed_group`. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Name that the user signs in with. For an external user, the external ID. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Time of creation, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** Time of the user's last sign-in, in UTC. */
  get lastLogin(): string {
    return this.getStringAttribute("last_login");
  }

  /** The id for `terraform import`: `embedTenant/externalId`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedUserNames, this.#config);
  }
}

/** The arguments of DataEmbedUsers. */
export interface DataEmbedUsersConfig extends cdk.TerraformMetaArguments {
  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedUsersNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export class DataEmbedUsers extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_embed_users";
  readonly #config: DataEmbedUsersConfig;

  constructor(scope: Construct, id: string, config: DataEmbedUsersConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_embed_users",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Embed tenant that the object belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Every EmbedUser of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataEmbedUsersNames, this.#config);
  }
}

/** The arguments of DataWorkbook. */
export interface DataWorkbookConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Name in URLs and references: lowercase, unique in the deployment. */
  readonly slug: string;
}

const dataWorkbookNames: ArgumentNames = { deployment: ["deployment"], slug: ["slug"] };

/** A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export class DataWorkbook extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_workbook";
  readonly #config: DataWorkbookConfig;

  constructor(scope: Construct, id: string, config: DataWorkbookConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_workbook",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name in URLs and references: lowercase, unique in the deployment. */
  get slug(): string {
    return this.getStringAttribute("slug");
  }

  /** Display name. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Custom values, by name. `{}` removes all of them. JSON text; use `jsonencode`. */
  get meta(): string {
    return this.getStringAttribute("meta");
  }

  /** Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard. */
  get dashboard(): cdk.IResolvable {
    return this.interpolationForAttribute("dashboard");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** ID of a published dashboard in URLs. It never changes. */
  get publicId(): string {
    return this.getStringAttribute("public_id");
  }

  /** The id for `terraform import`: `deployment/slug`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataWorkbookNames, this.#config);
  }
}

/** The arguments of DataWorkbooks. */
export interface DataWorkbooksConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataWorkbooksNames: ArgumentNames = { deployment: ["deployment"] };

/** A workbook of a deployment, with its published dashboard. Deleting it deletes the dashboard and its notifications. */
export class DataWorkbooks extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_workbooks";
  readonly #config: DataWorkbooksConfig;

  constructor(scope: Construct, id: string, config: DataWorkbooksConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_workbooks",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Every Workbook of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataWorkbooksNames, this.#config);
  }
}

/** The arguments of DataNotification. */
export interface DataNotificationConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. */
  readonly workbook: string;
  /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /** IANA time zone of the schedule. Default: `"UTC"`. */
  readonly timezone?: string;
}

const dataNotificationNames: ArgumentNames = { deployment: ["deployment"], workbook: ["workbook"], schedule: ["schedule"], timezone: ["timezone"] };

/** A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export class DataNotification extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notification";
  readonly #config: DataNotificationConfig;

  constructor(scope: Construct, id: string, config: DataNotificationConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. */
  get workbook(): string {
    return this.getStringAttribute("workbook");
  }

  /** Schedule as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  get schedule(): string {
    return this.getStringAttribute("schedule");
  }

  /** IANA time zone of the schedule. Default: `"UTC"`. */
  get timezone(): string {
    return this.getStringAttribute("timezone");
  }

  /** Whether the schedule is active. */
  get isEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("is_enabled");
  }

  /** Whether each run is delivered to the recipients. */
  get notificationEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_enabled");
  }

  /** File format of the delivery. One of `"png"`, `"pdf"`. */
  get notificationFormat(): string {
    return this.getStringAttribute("notification_format");
  }

  /** Whether the delivery includes a generated summary. */
  get notificationAiSummary(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_ai_summary");
  }

  /** Filters applied to the dashboard when it is rendered. */
  get filters(): cdk.IResolvable {
    return this.interpolationForAttribute("filters");
  }

  /** Time grains, in the product's export format. Each value is JSON text; use `jsonencode`. */
  get timeGrains(): cdk.IResolvable {
    return this.interpolationForAttribute("time_grains");
  }

  /** Member switchers, in the product's export format. Each value is JSON text; use `jsonencode`. */
  get memberSwitchers(): cdk.IResolvable {
    return this.interpolationForAttribute("member_switchers");
  }

  /** Numeric ID, unique in the account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** Schedule in words. */
  get humanReadableSchedule(): string {
    return this.getStringAttribute("human_readable_schedule");
  }

  /** The id for `terraform import`: `deployment/workbook/schedule/timezone`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationNames, this.#config);
  }
}

/** The arguments of DataNotifications. */
export interface DataNotificationsConfig extends cdk.TerraformMetaArguments {
  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataNotificationsNames: ArgumentNames = { deployment: ["deployment"] };

/** A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule and time zone, and by ID once they are managed. */
export class DataNotifications extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notifications";
  readonly #config: DataNotificationsConfig;

  constructor(scope: Construct, id: string, config: DataNotificationsConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notifications",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment that the object belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Every Notification of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationsNames, this.#config);
  }
}

/** The arguments of DataNotificationRecipient. */
export interface DataNotificationRecipientConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. */
  readonly notification: string;
  /** Email of the user, in lowercase. The user must exist. */
  readonly user: string;
}

const dataNotificationRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], user: ["user"] };

/** A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export class DataNotificationRecipient extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notification_recipient";
  readonly #config: DataNotificationRecipientConfig;

  constructor(scope: Construct, id: string, config: DataNotificationRecipientConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_recipient",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Email of the user, in lowercase. The user must exist. */
  get user(): string {
    return this.getStringAttribute("user");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** ID of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** Name that the user signs in with. For an external user, the external ID. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** The id for `terraform import`: `deployment/notification/user`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationRecipientNames, this.#config);
  }
}

/** The arguments of DataNotificationRecipients. */
export interface DataNotificationRecipientsConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. */
  readonly notification: string;
}

const dataNotificationRecipientsNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"] };

/** A user of the account who receives a notification. For external users, use `NotificationEmbedRecipient`. */
export class DataNotificationRecipients extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notification_recipients";
  readonly #config: DataNotificationRecipientsConfig;

  constructor(scope: Construct, id: string, config: DataNotificationRecipientsConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_recipients",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Every NotificationRecipient of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationRecipientsNames, this.#config);
  }
}

/** The arguments of DataNotificationEmbedRecipient. */
export interface DataNotificationEmbedRecipientConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. */
  readonly notification: string;
  /** Embed tenant of the external user. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** The external user's ID in your own system. The user is created if it does not exist. */
  readonly externalId: string;
}

const dataNotificationEmbedRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], embedTenant: ["embed_tenant"], externalId: ["external_id"] };

/** An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export class DataNotificationEmbedRecipient extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notification_embed_recipient";
  readonly #config: DataNotificationEmbedRecipientConfig;

  constructor(scope: Construct, id: string, config: DataNotificationEmbedRecipientConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_embed_recipient",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Embed tenant of the external user. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** The external user's ID in your own system. The user is created if it does not exist. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** ID of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** ID of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** ID of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** The id for `terraform import`: `deployment/notification/embedTenant/externalId`. */
  get importId(): string {
    return this.getStringAttribute("import_id");
  }

  /** The value with which other resources reference this one. */
  get reference(): string {
    return this.getStringAttribute("reference");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationEmbedRecipientNames, this.#config);
  }
}

/** The arguments of DataNotificationEmbedRecipients. */
export interface DataNotificationEmbedRecipientsConfig extends cdk.TerraformMetaArguments {
  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Notification to receive. The `reference` of a `svc_notification`. */
  readonly notification: string;
}

const dataNotificationEmbedRecipientsNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"] };

/** An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with. */
export class DataNotificationEmbedRecipients extends cdk.TerraformDataSource {
  static readonly tfResourceType = "svc_notification_embed_recipients";
  readonly #config: DataNotificationEmbedRecipientsConfig;

  constructor(scope: Construct, id: string, config: DataNotificationEmbedRecipientsConfig) {
    super(scope, id, {
      ...config,
      terraformResourceType: "svc_notification_embed_recipients",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }

  /** Deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Notification to receive. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Every NotificationEmbedRecipient of the collection. */
  get items(): cdk.IResolvable {
    return this.interpolationForAttribute("items");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(dataNotificationEmbedRecipientsNames, this.#config);
  }
}
