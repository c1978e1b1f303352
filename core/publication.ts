// Declares under which names and addresses the packages are published. Commands, package schemas, SDKs and pages take
// them from here. The publisher of the packages sets the addresses. Undefined ones are left out.

/** Names and addresses of the published packages. */
export interface Publication {
  readonly publisher: string;
  /** Address of the Terraform provider without the host of a registry, as in `required_providers`. */
  readonly terraformSource: string;
  /** The registries that Terraform and OpenTofu assume for an address without a host. */
  readonly terraformRegistries: readonly string[];
  /** Package name of the Node.js SDK that `pulumi package gen-sdk` writes. Our own package's name would collide with it. */
  readonly pulumiNodePackage: string;
  /** Web page of the project; `homepage` in package.json too. */
  readonly homepage?: string | undefined;
  /** Web address of the sources; `repository` in package.json too. */
  readonly repository?: string | undefined;
  readonly logoUrl?: string | undefined;
  /** Where Pulumi downloads the plugin from; `pulumi.server` in package.json too. */
  readonly pluginDownloadURL?: string | undefined;
}

/** The names and addresses of these packages. They have no public address yet. */
export const publication: Publication = {
  publisher: "svc-as-code",
  terraformSource: "svc/svc",
  terraformRegistries: ["registry.terraform.io", "registry.opentofu.org"],
  pulumiNodePackage: "@svc-as-code/pulumi",
};
