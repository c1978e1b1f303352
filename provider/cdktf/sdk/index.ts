// Generated from the kinds by `npm run generate`. Do not edit. State version 0.
import * as cdk from "cdktf";
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
  /** Maximum retries of a request, 0 to 4. */
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
  /** Name, unique in the account; a change renames the deployment and keeps its address. */
  readonly name: string;
  /** Region that it lives in, such as `aws-us-east-1`. */
  readonly region: string;
  /** Who runs the machines. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  readonly cloudProvider?: string;
  /** Whose machines they are. One of `"aws"`, `"gcp"`. Changing this forces a new resource to be created. */
  readonly targetPlatform?: string;
  /** The vendor runs it. Changing this forces a new resource to be created. */
  readonly isManaged?: boolean | cdk.IResolvable;
  /** How the data model comes in at first. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  readonly creationMethod?: string;
  /** How changes of the data model come in. One of `"git"`, `"cli"`. */
  readonly deployMode?: string;
  /** How many machines it has. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  readonly template?: string;
  /** Domain that replaces the host of its address. */
  readonly customDomain?: string;
  /** Branch that production is built from. */
  readonly deployBranchName?: string;
  /** Nobody writes to the deploy branch directly. */
  readonly deployBranchReadOnly?: boolean | cdk.IResolvable;
  /** Branches may be merged into the deploy branch. */
  readonly deployBranchMergeAllowed?: boolean | cdk.IResolvable;
  /** Folder of the data model. */
  readonly deployProjectRoot?: string;
  /** Group of views that people see first. */
  readonly defaultLaunchpadViewGroup?: string;
  /** Tabs that people see, in their order. */
  readonly launchpadTabs?: readonly string[];
  /** Values of the template, by name, all of them; never a secret. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** The customer's own storage. */
  readonly cspsConfig?: {
    /** It is used. */
    readonly enabled: boolean | cdk.IResolvable;
    /** Whose storage it is. */
    readonly storageProvider: string;
    /** Bucket on S3. */
    readonly s3Bucket?: string;
    /** Region of the bucket. */
    readonly s3Region?: string;
    /** Encryption of the bucket. */
    readonly s3Sse?: string;
    /** Role on AWS. */
    readonly awsRoleArn?: string;
    /** Bucket on GCS. */
    readonly gcsBucket?: string;
    /** Service account on GCP. */
    readonly gcpServiceAccountEmail?: string;
    /** Workload identity provider on GCP. */
    readonly gcpWorkloadIdentityProvider?: string;
    /** Storage account on Azure. */
    readonly azureStorageAccount?: string;
    /** Container on Azure. */
    readonly azureContainer?: string;
    /** Tenant on Azure. */
    readonly azureTenantId?: string;
    /** Client on Azure. */
    readonly azureClientId?: string;
  };
  /** Which version of the platform it runs. */
  readonly release?: {
    /** Update channel. Given without a version, a change moves to the channel's newest version. One of `"latest"`, `"release"`. */
    readonly channel?: string;
    /** Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions. */
    readonly version?: string;
    /** Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given. */
    readonly hold?: boolean | cdk.IResolvable;
  };
}

const deploymentNames: ArgumentNames = { name: ["name"], region: ["region"], cloudProvider: ["cloud_provider"], targetPlatform: ["target_platform"], isManaged: ["is_managed"], creationMethod: ["creation_method"], deployMode: ["deploy_mode"], template: ["template"], customDomain: ["custom_domain"], deployBranchName: ["deploy_branch_name"], deployBranchReadOnly: ["deploy_branch_read_only"], deployBranchMergeAllowed: ["deploy_branch_merge_allowed"], deployProjectRoot: ["deploy_project_root"], defaultLaunchpadViewGroup: ["default_launchpad_view_group"], launchpadTabs: ["launchpad_tabs"], templateVariables: ["template_variables", { each: "json" }], cspsConfig: ["csps_config", { members: { enabled: ["enabled"], storageProvider: ["storage_provider"], s3Bucket: ["s3_bucket"], s3Region: ["s3_region"], s3Sse: ["s3_sse"], awsRoleArn: ["aws_role_arn"], gcsBucket: ["gcs_bucket"], gcpServiceAccountEmail: ["gcp_service_account_email"], gcpWorkloadIdentityProvider: ["gcp_workload_identity_provider"], azureStorageAccount: ["azure_storage_account"], azureContainer: ["azure_container"], azureTenantId: ["azure_tenant_id"], azureClientId: ["azure_client_id"] } }], release: ["release", { members: { channel: ["channel"], version: ["version"], hold: ["hold"] } }] };

/** An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
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

  /** Name, unique in the account; a change renames the deployment and keeps its address. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Region that it lives in, such as `aws-us-east-1`. */
  get region(): string {
    return this.getStringAttribute("region");
  }

  /** Who runs the machines. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  get cloudProvider(): string {
    return this.getStringAttribute("cloud_provider");
  }

  /** Whose machines they are. One of `"aws"`, `"gcp"`. Changing this forces a new resource to be created. */
  get targetPlatform(): string {
    return this.getStringAttribute("target_platform");
  }

  /** The vendor runs it. Changing this forces a new resource to be created. */
  get isManaged(): cdk.IResolvable {
    return this.getBooleanAttribute("is_managed");
  }

  /** How the data model comes in at first. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  get creationMethod(): string {
    return this.getStringAttribute("creation_method");
  }

  /** How changes of the data model come in. One of `"git"`, `"cli"`. */
  get deployMode(): string {
    return this.getStringAttribute("deploy_mode");
  }

  /** How many machines it has. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  get template(): string {
    return this.getStringAttribute("template");
  }

  /** Domain that replaces the host of its address. */
  get customDomain(): string {
    return this.getStringAttribute("custom_domain");
  }

  /** Branch that production is built from. */
  get deployBranchName(): string {
    return this.getStringAttribute("deploy_branch_name");
  }

  /** Nobody writes to the deploy branch directly. */
  get deployBranchReadOnly(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_read_only");
  }

  /** Branches may be merged into the deploy branch. */
  get deployBranchMergeAllowed(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_merge_allowed");
  }

  /** Folder of the data model. */
  get deployProjectRoot(): string {
    return this.getStringAttribute("deploy_project_root");
  }

  /** Group of views that people see first. */
  get defaultLaunchpadViewGroup(): string {
    return this.getStringAttribute("default_launchpad_view_group");
  }

  /** Tabs that people see, in their order. */
  get launchpadTabs(): string[] {
    return this.getListAttribute("launchpad_tabs");
  }

  /** Values of the template, by name, all of them; never a secret. Each value is JSON text; use `jsonencode`. */
  get templateVariables(): cdk.IResolvable {
    return this.interpolationForAttribute("template_variables");
  }

  /** The customer's own storage. */
  get cspsConfig(): cdk.IResolvable {
    return this.interpolationForAttribute("csps_config");
  }

  /** Which version of the platform it runs. */
  get release(): cdk.IResolvable {
    return this.interpolationForAttribute("release");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Address of the deployment's data API. */
  get deploymentUrl(): string {
    return this.getStringAttribute("deployment_url");
  }

  /** How far its set-up has come. One of `"project"`, `"upload"`, `"schema"`, `"github"`, `"ssh"`, `"databases"`, `"ready"`, `"demo"`. */
  get creationStep(): string {
    return this.getStringAttribute("creation_step");
  }

  /** Version of the platform that it runs, such as `1.2.3`. */
  get version(): string {
    return this.getStringAttribute("version");
  }

  /** Update channel that its version came from. One of `"latest"`, `"release"`. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** Name: letters, digits and underscores, no digit first. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Value. It is never shown, whatever the name. */
  readonly value: string;
  /** Version of `value`. The provider increases it with each write. If you set it, `value` is written only when the version changes. */
  readonly valueVersion?: number;
}

const environmentVariableNames: ArgumentNames = { deployment: ["deployment"], name: ["name"], value: ["value"], valueVersion: ["value_version"] };

/** An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name: letters, digits and underscores, no digit first. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Version of `value`. The provider increases it with each write. If you set it, `value` is written only when the version changes. */
  get valueVersion(): number {
    return this.getNumberAttribute("value_version");
  }

  /** Id of a deployment. */
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
  /** Name by which data models and sessions call it. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  readonly type: string;
  /** Name that people see. */
  readonly displayName?: string;
  /** What it is for. */
  readonly description?: string;
  /** Value, written as text, of users who have none. */
  readonly defaultValue?: string;
}

const userAttributeNames: ArgumentNames = { name: ["name"], type: ["type"], displayName: ["display_name"], description: ["description"], defaultValue: ["default_value"] };

/** An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
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

  /** Name by which data models and sessions call it. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** What it is for. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Value, written as text, of users who have none. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Numeric id, unique in its account. */
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
  /** Name, unique in the account; a change renames the group and keeps its members. */
  readonly name: string;
  /** Who belongs to it. */
  readonly description?: string;
}

const userGroupNames: ArgumentNames = { name: ["name"], description: ["description"] };

/** An account-wide group. Access policies and dashboards are shared with it by name. */
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

  /** Name, unique in the account; a change renames the group and keeps its members. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Who belongs to it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
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
    return toArguments(userGroupNames, this.#config);
  }
}

/** The arguments of User. */
export interface UserConfig extends cdk.TerraformMetaArguments {
  /** Email, in lower case, unique in the account. Changing this forces a new resource to be created. */
  readonly email: string;
  /** Name to sign in with, unique in the account. Changing this forces a new resource to be created. */
  readonly username: string;
  /** Name as others see it. */
  readonly firstName?: string;
  /** What the user does. */
  readonly title?: string;
  /** Absolute http(s) address of the avatar. */
  readonly picture?: string;
  /** Administrators may do everything; others read. The account's last active one stays. */
  readonly isAdmin?: boolean | cdk.IResolvable;
  /** Keys and sessions of the user are refused. Nobody deactivates themselves. */
  readonly isDeactivated?: boolean | cdk.IResolvable;
  /** The account's groups that the user is in, and no others; an empty list leaves all. The `reference` of a `svc_user_group`. */
  readonly groups?: readonly string[];
  /** Values of the account's attributes, and no others; an empty list clears all. */
  readonly userAttributes?: readonly {
    /** The attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Its value, of the attribute's type. */
    readonly value: unknown;
  }[];
}

const userNames: ArgumentNames = { email: ["email"], username: ["username"], firstName: ["first_name"], title: ["title"], picture: ["picture"], isAdmin: ["is_admin"], isDeactivated: ["is_deactivated"], groups: ["groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }] };

/** One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
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

  /** Email, in lower case, unique in the account. Changing this forces a new resource to be created. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Name to sign in with, unique in the account. Changing this forces a new resource to be created. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Name as others see it. */
  get firstName(): string {
    return this.getStringAttribute("first_name");
  }

  /** What the user does. */
  get title(): string {
    return this.getStringAttribute("title");
  }

  /** Absolute http(s) address of the avatar. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Administrators may do everything; others read. The account's last active one stays. */
  get isAdmin(): cdk.IResolvable {
    return this.getBooleanAttribute("is_admin");
  }

  /** Keys and sessions of the user are refused. Nobody deactivates themselves. */
  get isDeactivated(): cdk.IResolvable {
    return this.getBooleanAttribute("is_deactivated");
  }

  /** The account's groups that the user is in, and no others; an empty list leaves all. The `reference` of a `svc_user_group`. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Values of the account's attributes, and no others; an empty list clears all. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** When it was made, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** When the user was let in last, in UTC. */
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
    return toArguments(userNames, this.#config);
  }
}

/** The arguments of ApiKey. */
export interface ApiKeyConfig extends cdk.TerraformMetaArguments {
  /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
  readonly name: string;
  /** Email of the user whose rights it carries; left out, the user whose key is used to make it. The `reference` of a `svc_user`. Changing this forces a new resource to be created. */
  readonly owner?: string;
  /** The only deployments that it reaches; `null` is all of them. The `reference` of a `svc_deployment`. */
  readonly deployments?: readonly string[];
}

const apiKeyNames: ArgumentNames = { name: ["name"], owner: ["owner"], deployments: ["deployments"] };

/** A credential for the API. Its secret is shown once, when the key is made. */
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

  /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Email of the user whose rights it carries; left out, the user whose key is used to make it. The `reference` of a `svc_user`. Changing this forces a new resource to be created. */
  get owner(): string {
    return this.getStringAttribute("owner");
  }

  /** The only deployments that it reaches; `null` is all of them. The `reference` of a `svc_deployment`. */
  get deployments(): string[] {
    return this.getListAttribute("deployments");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The first characters of the secret, to tell keys apart. */
  get prefix(): string {
    return this.getStringAttribute("prefix");
  }

  /** When it was made, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** The key itself: `sk-` and 43 characters. */
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
  /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Name that people see. */
  readonly displayName?: string;
}

const embedTenantNames: ArgumentNames = { name: ["name"], displayName: ["display_name"] };

/** A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
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

  /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
  get userCount(): number {
    return this.getNumberAttribute("user_count");
  }

  /** When it was made, in UTC. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Name, unique in the tenant. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Who belongs to it. A server without direct group operations updates it and never clears it. */
  readonly description?: string;
}

const embedGroupNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"], description: ["description"] };

/** A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the tenant. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Who belongs to it. A server without direct group operations updates it and never clears it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
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
    return toArguments(embedGroupNames, this.#config);
  }
}

/** The arguments of EmbedUserAttribute. */
export interface EmbedUserAttributeConfig extends cdk.TerraformMetaArguments {
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Name, unique in the tenant. Changing this forces a new resource to be created. */
  readonly name: string;
  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  readonly type: string;
  /** Name that people see. */
  readonly displayName?: string;
  /** Value, written as text, of users who have none. */
  readonly defaultValue?: string;
  /** What it is for. */
  readonly description?: string;
}

const embedUserAttributeNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"], type: ["type"], displayName: ["display_name"], defaultValue: ["default_value"], description: ["description"] };

/** An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the tenant. Changing this forces a new resource to be created. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. Changing this forces a new resource to be created. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Value, written as text, of users who have none. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** What it is for. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. Changing this forces a new resource to be created. */
  readonly externalId: string;
  /** Where notifications go. */
  readonly email?: string;
  /** Name beside the avatar. */
  readonly displayName?: string;
  /** Absolute http(s) address of the avatar; the viewer's browser loads it. The API does not return it, so drift is not detected. */
  readonly picture?: string;
  /** Account-wide groups it is in; an empty list leaves all. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  readonly groups?: readonly string[];
  /** Groups of its tenant it is in; an empty list leaves all. The `reference` of a `svc_embed_group`. */
  readonly tenantGroups?: readonly string[];
  /** Values of account-wide attributes; `null` clears one, one left out is kept. The API does not return it, so drift is not detected. */
  readonly userAttributes?: readonly {
    /** The attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Its value, of the attribute's type. */
    readonly value: unknown;
  }[];
}

const embedUserNames: ArgumentNames = { embedTenant: ["embed_tenant"], externalId: ["external_id"], email: ["email"], displayName: ["display_name"], picture: ["picture"], groups: ["groups"], tenantGroups: ["tenant_groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }] };

/** An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. Changing this forces a new resource to be created. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Where notifications go. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Name beside the avatar. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Absolute http(s) address of the avatar; the viewer's browser loads it. The API does not return it, so drift is not detected. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Account-wide groups it is in; an empty list leaves all. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Groups of its tenant it is in; an empty list leaves all. The `reference` of a `svc_embed_group`. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Values of account-wide attributes; `null` clears one, one left out is kept. The API does not return it, so drift is not detected. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Name that the user signs in with; an external user's is its external id. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** When it was made, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** When the user was let in last, in UTC. */
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
    return toArguments(embedUserNames, this.#config);
  }
}

/** The arguments of Workbook. */
export interface WorkbookConfig extends cdk.TerraformMetaArguments {
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
  readonly slug: string;
  /** Name that people see. */
  readonly name?: string;
  /** Values of your own, by name; `{}` empties them. */
  readonly meta?: unknown;
  /** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. */
  readonly dashboard?: {
    /** Title above the dashboard. */
    readonly title?: string;
    /** What it shows. */
    readonly description?: string;
    /** A classic dashboard, or an app. One of `"CLASSIC"`, `"APP"`. */
    readonly kind?: string;
    /** Layout, as the product exports it. */
    readonly layout?: unknown;
    /** Theme, as the product exports it. */
    readonly theme?: unknown;
    /** Settings, as the product exports them. */
    readonly settings?: unknown;
    /** What is on it, from top to bottom. */
    readonly widgets?: readonly {
      /** What the dashboard calls it, unique on it. */
      readonly id: string;
      /** What it is. One of `"CHART"`, `"TEXT"`, `"FILTER"`, `"AI"`, `"TIME_GRAIN"`, `"FIELD"`, `"PARENT"`, `"SPACER"`, `"DIVIDER"`, `"CONTAINER"`. */
      readonly type: string;
      /** Where it stands on the dashboard's grid. */
      readonly position: {
        /** Columns from the left. */
        readonly x: number;
        /** Rows from the top. */
        readonly y: number;
        /** Columns that it takes. */
        readonly w: number;
        /** Rows that it takes. */
        readonly h: number;
      };
      /** Positions on other widths, as the product exports them. */
      readonly responsiveLayouts?: unknown;
      /** What the dashboard shows and how. */
      readonly config?: unknown;
      /** Style, as the product exports it. */
      readonly style?: unknown;
    }[];
    /** Signed embedding may show it. */
    readonly allowEmbed?: boolean | cdk.IResolvable;
  };
}

const workbookNames: ArgumentNames = { deployment: ["deployment"], slug: ["slug"], name: ["name"], meta: ["meta", "json"], dashboard: ["dashboard", { members: { title: ["title"], description: ["description"], kind: ["kind"], layout: ["layout", "json"], theme: ["theme", "json"], settings: ["settings", "json"], widgets: ["widgets", { each: { members: { id: ["id"], type: ["type"], position: ["position", { members: { x: ["x"], y: ["y"], w: ["w"], h: ["h"] } }], responsiveLayouts: ["responsive_layouts", "json"], config: ["config", "json"], style: ["style", "json"] } } }], allowEmbed: ["allow_embed"] } }] };

/** A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
  get slug(): string {
    return this.getStringAttribute("slug");
  }

  /** Name that people see. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Values of your own, by name; `{}` empties them. JSON text; use `jsonencode`. */
  get meta(): string {
    return this.getStringAttribute("meta");
  }

  /** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. */
  get dashboard(): cdk.IResolvable {
    return this.interpolationForAttribute("dashboard");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** Id of a published dashboard in addresses; it never changes. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** The workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. Changing this forces a new resource to be created. */
  readonly workbook: string;
  /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /** Time zone of the schedule, as the IANA database calls it. Default: `"UTC"`. */
  readonly timezone?: string;
  /** It runs at all. */
  readonly isEnabled?: boolean | cdk.IResolvable;
  /** Its runs are delivered to recipients. */
  readonly notificationEnabled?: boolean | cdk.IResolvable;
  /** What is delivered. One of `"png"`, `"pdf"`. */
  readonly notificationFormat?: string;
  /** A written summary comes with it. */
  readonly notificationAiSummary?: boolean | cdk.IResolvable;
  /** Filters of the dashboard while it is rendered. */
  readonly filters?: readonly {
    /** Member of the data model: `view.member`. */
    readonly member: string;
    /** How the member is compared. */
    readonly operator?: string;
    /** What the member is compared with. */
    readonly value?: unknown;
    /** Capitals count. */
    readonly caseSensitive?: boolean | cdk.IResolvable;
    /** The beginning of a range belongs to it. */
    readonly startInclusive?: boolean | cdk.IResolvable;
    /** The end of a range belongs to it. */
    readonly endInclusive?: boolean | cdk.IResolvable;
  }[];
  /** Time grains, as the product exports them. */
  readonly timeGrains?: readonly unknown[];
  /** Member switchers, as the product exports them. */
  readonly memberSwitchers?: readonly unknown[];
}

const notificationNames: ArgumentNames = { deployment: ["deployment"], workbook: ["workbook"], schedule: ["schedule"], timezone: ["timezone"], isEnabled: ["is_enabled"], notificationEnabled: ["notification_enabled"], notificationFormat: ["notification_format"], notificationAiSummary: ["notification_ai_summary"], filters: ["filters", { each: { members: { member: ["member"], operator: ["operator"], value: ["value", "json"], caseSensitive: ["case_sensitive"], startInclusive: ["start_inclusive"], endInclusive: ["end_inclusive"] } } }], timeGrains: ["time_grains", { each: "json" }], memberSwitchers: ["member_switchers", { each: "json" }] };

/** A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. Changing this forces a new resource to be created. */
  get workbook(): string {
    return this.getStringAttribute("workbook");
  }

  /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  get schedule(): string {
    return this.getStringAttribute("schedule");
  }

  /** Time zone of the schedule, as the IANA database calls it. Default: `"UTC"`. */
  get timezone(): string {
    return this.getStringAttribute("timezone");
  }

  /** It runs at all. */
  get isEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("is_enabled");
  }

  /** Its runs are delivered to recipients. */
  get notificationEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_enabled");
  }

  /** What is delivered. One of `"png"`, `"pdf"`. */
  get notificationFormat(): string {
    return this.getStringAttribute("notification_format");
  }

  /** A written summary comes with it. */
  get notificationAiSummary(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_ai_summary");
  }

  /** Filters of the dashboard while it is rendered. */
  get filters(): cdk.IResolvable {
    return this.interpolationForAttribute("filters");
  }

  /** Time grains, as the product exports them. Each value is JSON text; use `jsonencode`. */
  get timeGrains(): cdk.IResolvable {
    return this.interpolationForAttribute("time_grains");
  }

  /** Member switchers, as the product exports them. Each value is JSON text; use `jsonencode`. */
  get memberSwitchers(): cdk.IResolvable {
    return this.interpolationForAttribute("member_switchers");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** When it is sent, in words. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  readonly notification: string;
  /** Email of the user, in lower case. The user has to exist. Changing this forces a new resource to be created. */
  readonly user: string;
}

const notificationRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], user: ["user"] };

/** One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Email of the user, in lower case. The user has to exist. Changing this forces a new resource to be created. */
  get user(): string {
    return this.getStringAttribute("user");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** Id of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** Name that the user signs in with; an external user's is its external id. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  readonly notification: string;
  /** The tenant of the external user. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  readonly embedTenant: string;
  /** The external user's id in your own system; the user is made where there is none. Changing this forces a new resource to be created. */
  readonly externalId: string;
  /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. */
  readonly email?: string;
  /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  readonly groups?: readonly string[];
  /** Groups of its tenant that it is rendered with. The `reference` of a `svc_embed_group`. The API does not return it, so drift is not detected. */
  readonly tenantGroups?: readonly string[];
  /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. The API does not return it, so drift is not detected. */
  readonly userAttributes?: readonly {
    /** The attribute. The `reference` of a `svc_user_attribute`. */
    readonly name: string;
    /** Its value, of the attribute's type. */
    readonly value: unknown;
  }[];
  /** Values of its tenant's attributes that it is rendered with. The API does not return it, so drift is not detected. */
  readonly tenantUserAttributes?: readonly {
    /** The attribute. The `reference` of a `svc_embed_user_attribute`. */
    readonly name: string;
    /** Its value, of the attribute's type. */
    readonly value: unknown;
  }[];
  /** Security context of its queries: any object. The API does not return it, so drift is not detected. */
  readonly securityContext?: unknown;
}

const notificationEmbedRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], embedTenant: ["embed_tenant"], externalId: ["external_id"], email: ["email"], groups: ["groups"], tenantGroups: ["tenant_groups"], userAttributes: ["user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }], tenantUserAttributes: ["tenant_user_attributes", { each: { members: { name: ["name"], value: ["value", "json"] } } }], securityContext: ["security_context", "json"] };

/** An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. Changing this forces a new resource to be created. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. Changing this forces a new resource to be created. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** The tenant of the external user. The `reference` of a `svc_embed_tenant`. Changing this forces a new resource to be created. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** The external user's id in your own system; the user is made where there is none. Changing this forces a new resource to be created. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Account-wide groups that it is rendered with; with `tenantGroups` they are all there are. The `reference` of a `svc_user_group`. The API does not return it, so drift is not detected. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Groups of its tenant that it is rendered with. The `reference` of a `svc_embed_group`. The API does not return it, so drift is not detected. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are. The API does not return it, so drift is not detected. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Values of its tenant's attributes that it is rendered with. The API does not return it, so drift is not detected. */
  get tenantUserAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("tenant_user_attributes");
  }

  /** Security context of its queries: any object. The API does not return it, so drift is not detected. JSON text; use `jsonencode`. */
  get securityContext(): string {
    return this.getStringAttribute("security_context");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** Id of a user. */
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
  /** Name, unique in the account; a change renames the deployment and keeps its address. */
  readonly name: string;
}

const dataDeploymentNames: ArgumentNames = { name: ["name"] };

/** An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
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

  /** Name, unique in the account; a change renames the deployment and keeps its address. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Region that it lives in, such as `aws-us-east-1`. */
  get region(): string {
    return this.getStringAttribute("region");
  }

  /** Who runs the machines. One of `"svccloud"`, `"aws"`, `"gcp"`. */
  get cloudProvider(): string {
    return this.getStringAttribute("cloud_provider");
  }

  /** Whose machines they are. One of `"aws"`, `"gcp"`. */
  get targetPlatform(): string {
    return this.getStringAttribute("target_platform");
  }

  /** The vendor runs it. */
  get isManaged(): cdk.IResolvable {
    return this.getBooleanAttribute("is_managed");
  }

  /** How the data model comes in at first. One of `"upload"`, `"svccloud"`, `"github"`, `"ssh"`. */
  get creationMethod(): string {
    return this.getStringAttribute("creation_method");
  }

  /** How changes of the data model come in. One of `"git"`, `"cli"`. */
  get deployMode(): string {
    return this.getStringAttribute("deploy_mode");
  }

  /** How many machines it has. One of `"single"`, `"simpleCluster"`, `"multiCluster"`. */
  get template(): string {
    return this.getStringAttribute("template");
  }

  /** Domain that replaces the host of its address. */
  get customDomain(): string {
    return this.getStringAttribute("custom_domain");
  }

  /** Branch that production is built from. */
  get deployBranchName(): string {
    return this.getStringAttribute("deploy_branch_name");
  }

  /** Nobody writes to the deploy branch directly. */
  get deployBranchReadOnly(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_read_only");
  }

  /** Branches may be merged into the deploy branch. */
  get deployBranchMergeAllowed(): cdk.IResolvable {
    return this.getBooleanAttribute("deploy_branch_merge_allowed");
  }

  /** Folder of the data model. */
  get deployProjectRoot(): string {
    return this.getStringAttribute("deploy_project_root");
  }

  /** Group of views that people see first. */
  get defaultLaunchpadViewGroup(): string {
    return this.getStringAttribute("default_launchpad_view_group");
  }

  /** Tabs that people see, in their order. */
  get launchpadTabs(): string[] {
    return this.getListAttribute("launchpad_tabs");
  }

  /** Values of the template, by name, all of them; never a secret. Each value is JSON text; use `jsonencode`. */
  get templateVariables(): cdk.IResolvable {
    return this.interpolationForAttribute("template_variables");
  }

  /** The customer's own storage. */
  get cspsConfig(): cdk.IResolvable {
    return this.interpolationForAttribute("csps_config");
  }

  /** Which version of the platform it runs. */
  get release(): cdk.IResolvable {
    return this.interpolationForAttribute("release");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Address of the deployment's data API. */
  get deploymentUrl(): string {
    return this.getStringAttribute("deployment_url");
  }

  /** How far its set-up has come. One of `"project"`, `"upload"`, `"schema"`, `"github"`, `"ssh"`, `"databases"`, `"ready"`, `"demo"`. */
  get creationStep(): string {
    return this.getStringAttribute("creation_step");
  }

  /** Version of the platform that it runs, such as `1.2.3`. */
  get version(): string {
    return this.getStringAttribute("version");
  }

  /** Update channel that its version came from. One of `"latest"`, `"release"`. */
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

/** An analytics deployment: where it lives, how its data model comes in, and which version of the platform it runs. Deleting it deletes everything scoped to it. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** Name: letters, digits and underscores, no digit first. */
  readonly name: string;
}

const dataEnvironmentVariableNames: ArgumentNames = { deployment: ["deployment"], name: ["name"] };

/** An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** Name: letters, digits and underscores, no digit first. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Id of a deployment. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataEnvironmentVariablesNames: ArgumentNames = { deployment: ["deployment"] };

/** An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
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
  /** Name by which data models and sessions call it. */
  readonly name: string;
}

const dataUserAttributeNames: ArgumentNames = { name: ["name"] };

/** An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
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

  /** Name by which data models and sessions call it. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"boolean"`, `"string_array"`, `"number_array"`. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** What it is for. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Value, written as text, of users who have none. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** Numeric id, unique in its account. */
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

/** An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
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
  /** Name, unique in the account; a change renames the group and keeps its members. */
  readonly name: string;
}

const dataUserGroupNames: ArgumentNames = { name: ["name"] };

/** An account-wide group. Access policies and dashboards are shared with it by name. */
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

  /** Name, unique in the account; a change renames the group and keeps its members. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Who belongs to it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
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

/** An account-wide group. Access policies and dashboards are shared with it by name. */
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
  /** Email, in lower case, unique in the account. */
  readonly email: string;
}

const dataUserNames: ArgumentNames = { email: ["email"] };

/** One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
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

  /** Email, in lower case, unique in the account. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Name to sign in with, unique in the account. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** Name as others see it. */
  get firstName(): string {
    return this.getStringAttribute("first_name");
  }

  /** What the user does. */
  get title(): string {
    return this.getStringAttribute("title");
  }

  /** Absolute http(s) address of the avatar. */
  get picture(): string {
    return this.getStringAttribute("picture");
  }

  /** Administrators may do everything; others read. The account's last active one stays. */
  get isAdmin(): cdk.IResolvable {
    return this.getBooleanAttribute("is_admin");
  }

  /** Keys and sessions of the user are refused. Nobody deactivates themselves. */
  get isDeactivated(): cdk.IResolvable {
    return this.getBooleanAttribute("is_deactivated");
  }

  /** The account's groups that the user is in, and no others; an empty list leaves all. The `reference` of a `svc_user_group`. */
  get groups(): string[] {
    return this.getListAttribute("groups");
  }

  /** Values of the account's attributes, and no others; an empty list clears all. */
  get userAttributes(): cdk.IResolvable {
    return this.interpolationForAttribute("user_attributes");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** When it was made, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** When the user was let in last, in UTC. */
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

/** One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
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
  /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
  readonly name: string;
}

const dataApiKeyNames: ArgumentNames = { name: ["name"] };

/** A credential for the API. Its secret is shown once, when the key is made. */
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

  /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Email of the user whose rights it carries; left out, the user whose key is used to make it. The `reference` of a `svc_user`. */
  get owner(): string {
    return this.getStringAttribute("owner");
  }

  /** The only deployments that it reaches; `null` is all of them. The `reference` of a `svc_deployment`. */
  get deployments(): string[] {
    return this.getListAttribute("deployments");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** The first characters of the secret, to tell keys apart. */
  get prefix(): string {
    return this.getStringAttribute("prefix");
  }

  /** When it was made, in UTC. */
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

/** A credential for the API. Its secret is shown once, when the key is made. */
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
  /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. */
  readonly name: string;
}

const dataEmbedTenantNames: ArgumentNames = { name: ["name"] };

/** A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
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

  /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
  get userCount(): number {
    return this.getNumberAttribute("user_count");
  }

  /** When it was made, in UTC. */
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

/** A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Name, unique in the tenant. */
  readonly name: string;
}

const dataEmbedGroupNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"] };

/** A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the tenant. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Who belongs to it. A server without direct group operations updates it and never clears it. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** How many users are in it. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedGroupsNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Name, unique in the tenant. */
  readonly name: string;
}

const dataEmbedUserAttributeNames: ArgumentNames = { embedTenant: ["embed_tenant"], name: ["name"] };

/** An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Name, unique in the tenant. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. One of `"string"`, `"number"`, `"string_array"`, `"number_array"`. */
  get type(): string {
    return this.getStringAttribute("type");
  }

  /** Name that people see. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Value, written as text, of users who have none. */
  get defaultValue(): string {
    return this.getStringAttribute("default_value");
  }

  /** What it is for. */
  get description(): string {
    return this.getStringAttribute("description");
  }

  /** Numeric id, unique in its account. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedUserAttributesNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. */
  readonly externalId: string;
}

const dataEmbedUserNames: ArgumentNames = { embedTenant: ["embed_tenant"], externalId: ["external_id"] };

/** An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Where notifications go. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Name beside the avatar. */
  get displayName(): string {
    return this.getStringAttribute("display_name");
  }

  /** Groups of its tenant it is in; an empty list leaves all. The `reference` of a `svc_embed_group`. */
  get tenantGroups(): string[] {
    return this.getListAttribute("tenant_groups");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Name that the user signs in with; an external user's is its external id. */
  get username(): string {
    return this.getStringAttribute("username");
  }

  /** When it was made, in UTC. */
  get createdAt(): string {
    return this.getStringAttribute("created_at");
  }

  /** When the user was let in last, in UTC. */
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
  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
}

const dataEmbedUsersNames: ArgumentNames = { embedTenant: ["embed_tenant"] };

/** An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
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

  /** The tenant it belongs to. The `reference` of a `svc_embed_tenant`. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
  readonly slug: string;
}

const dataWorkbookNames: ArgumentNames = { deployment: ["deployment"], slug: ["slug"] };

/** A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** What it is called in addresses and by what refers to it: lowercase, unique in the deployment. */
  get slug(): string {
    return this.getStringAttribute("slug");
  }

  /** Name that people see. */
  get name(): string {
    return this.getStringAttribute("name");
  }

  /** Values of your own, by name; `{}` empties them. JSON text; use `jsonencode`. */
  get meta(): string {
    return this.getStringAttribute("meta");
  }

  /** Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back. */
  get dashboard(): cdk.IResolvable {
    return this.interpolationForAttribute("dashboard");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** Id of a published dashboard in addresses; it never changes. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataWorkbooksNames: ArgumentNames = { deployment: ["deployment"] };

/** A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** The workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. */
  readonly workbook: string;
  /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  readonly schedule: string;
  /** Time zone of the schedule, as the IANA database calls it. Default: `"UTC"`. */
  readonly timezone?: string;
}

const dataNotificationNames: ArgumentNames = { deployment: ["deployment"], workbook: ["workbook"], schedule: ["schedule"], timezone: ["timezone"] };

/** A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The workbook whose published dashboard is delivered. The `reference` of a `svc_workbook`. */
  get workbook(): string {
    return this.getStringAttribute("workbook");
  }

  /** When it is sent, as a cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday). */
  get schedule(): string {
    return this.getStringAttribute("schedule");
  }

  /** Time zone of the schedule, as the IANA database calls it. Default: `"UTC"`. */
  get timezone(): string {
    return this.getStringAttribute("timezone");
  }

  /** It runs at all. */
  get isEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("is_enabled");
  }

  /** Its runs are delivered to recipients. */
  get notificationEnabled(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_enabled");
  }

  /** What is delivered. One of `"png"`, `"pdf"`. */
  get notificationFormat(): string {
    return this.getStringAttribute("notification_format");
  }

  /** A written summary comes with it. */
  get notificationAiSummary(): cdk.IResolvable {
    return this.getBooleanAttribute("notification_ai_summary");
  }

  /** Filters of the dashboard while it is rendered. */
  get filters(): cdk.IResolvable {
    return this.interpolationForAttribute("filters");
  }

  /** Time grains, as the product exports them. Each value is JSON text; use `jsonencode`. */
  get timeGrains(): cdk.IResolvable {
    return this.interpolationForAttribute("time_grains");
  }

  /** Member switchers, as the product exports them. Each value is JSON text; use `jsonencode`. */
  get memberSwitchers(): cdk.IResolvable {
    return this.interpolationForAttribute("member_switchers");
  }

  /** Numeric id, unique in its account. */
  get id(): number {
    return this.getNumberAttribute("id");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a dashboard. */
  get dashboardId(): number {
    return this.getNumberAttribute("dashboard_id");
  }

  /** When it is sent, in words. */
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
  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
}

const dataNotificationsNames: ArgumentNames = { deployment: ["deployment"] };

/** A scheduled delivery of a workbook's published dashboard. The API gives it no name, so it is known by deployment, workbook, schedule and time zone; once it is owned, by its id. */
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

  /** The deployment that it belongs to. The `reference` of a `svc_deployment`. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. */
  readonly notification: string;
  /** Email of the user, in lower case. The user has to exist. */
  readonly user: string;
}

const dataNotificationRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], user: ["user"] };

/** One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** Email of the user, in lower case. The user has to exist. */
  get user(): string {
    return this.getStringAttribute("user");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** Id of a user. */
  get userId(): number {
    return this.getNumberAttribute("user_id");
  }

  /** Name that the user signs in with; an external user's is its external id. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. */
  readonly notification: string;
}

const dataNotificationRecipientsNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"] };

/** One of the account's own users who receives a notification. For external users there is `NotificationEmbedRecipient`. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. */
  readonly notification: string;
  /** The tenant of the external user. The `reference` of a `svc_embed_tenant`. */
  readonly embedTenant: string;
  /** The external user's id in your own system; the user is made where there is none. */
  readonly externalId: string;
}

const dataNotificationEmbedRecipientNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"], embedTenant: ["embed_tenant"], externalId: ["external_id"] };

/** An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. */
  get notification(): string {
    return this.getStringAttribute("notification");
  }

  /** The tenant of the external user. The `reference` of a `svc_embed_tenant`. */
  get embedTenant(): string {
    return this.getStringAttribute("embed_tenant");
  }

  /** The external user's id in your own system; the user is made where there is none. */
  get externalId(): string {
    return this.getStringAttribute("external_id");
  }

  /** Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own. */
  get email(): string {
    return this.getStringAttribute("email");
  }

  /** Id of a deployment. */
  get deploymentId(): number {
    return this.getNumberAttribute("deployment_id");
  }

  /** Id of a notification. */
  get notificationId(): number {
    return this.getNumberAttribute("notification_id");
  }

  /** Id of a user. */
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
  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  readonly deployment: string;
  /** The notification that is received. The `reference` of a `svc_notification`. */
  readonly notification: string;
}

const dataNotificationEmbedRecipientsNames: ArgumentNames = { deployment: ["deployment"], notification: ["notification"] };

/** An external user who receives a notification, with the groups, attributes and security context that it is rendered with for them. */
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

  /** The deployment of the notification. The `reference` of a `svc_deployment`. */
  get deployment(): string {
    return this.getStringAttribute("deployment");
  }

  /** The notification that is received. The `reference` of a `svc_notification`. */
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
