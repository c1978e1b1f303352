// Spec and status schemas of Deployment.
import { Type, type Static } from "typebox";
import {
  CloudProvider,
  CreationMethod,
  CreationStep,
  DeployMode,
  DeploymentName,
  IsManaged,
  ReleaseChannel,
  TargetPlatform,
  Template,
  templateNamePattern,
  TemplateValue,
} from "../api/deployments.ts";
import { recordedBecause } from "../api/recorded-because.ts";
import { Id } from "../api/schemas.ts";
import { hostNamePattern, versionPattern } from "../core/text/text-patterns.ts";
import { field, recordedOnly } from "../core/schema/traits.ts";
import { customerStorage } from "./deployment-storage.ts";
import { statusSchema } from "./status-schema.ts";

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const closed = { additionalProperties: false };

const templateVariables = Type.Record(
  Type.String({ pattern: templateNamePattern }),
  TemplateValue,
  closed,
);

const release = Type.Object(
  {
    channel: Type.Optional(
      field(ReleaseChannel, {
        doc: "Release channel. A change of the channel without a version upgrades to the newest version of the channel.",
        neverCleared: true,
      }),
    ),
    version: Type.Optional(
      field(Type.String({ maxLength: 255, pattern: versionPattern }), {
        doc: "Platform version: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which are equivalent. It must be one of the deployment's available versions.",
        canonicalPattern: "^(?:[^:]+:v|v)?([0-9]+\\.[0-9]+\\.[0-9]+)$",
        neverCleared: true,
        serverManagedWhile: { field: "channel", unless: "hold" },
      }),
    ),
    hold: Type.Optional(
      field(Type.Boolean(), {
        doc: "Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel.",
        neverCleared: true,
      }),
    ),
  },
  closed,
);

/** The spec schema. */
export const spec = Type.Object({
  name: field(DeploymentName, {
    doc: "Name, unique in the account. A change renames the deployment and changes its URL, which has the name, unless a custom domain replaces it.",
  }),
  region: field(text(255), { doc: "Region that the deployment runs in, such as `aws-us-east-1`." }),
  cloudProvider: serverChosenSetting(CloudProvider, "Cloud provider that runs the deployment."),
  targetPlatform: Type.Optional(
    field(TargetPlatform, {
      doc: "Cloud platform that hosts the deployment.",
      serverChosen: true,
      onChange: "replace",
    }),
  ),
  isManaged: Type.Optional(
    field(IsManaged, {
      doc: "Whether the vendor manages the deployment.",
      serverChosen: true,
      onChange: "replace",
    }),
  ),
  creationMethod: serverChosenSetting(CreationMethod, "How the data model is first imported."),
  deployMode: serverChosenSetting(
    DeployMode,
    "How the deploy branch changes: with `cli` by uploads and merges only, which the connected Git remote neither gets nor changes; with `git`, the default, also by pushes to that remote, which gets all changes.",
  ),
  template: serverChosenSetting(Template, "Size of the deployment."),
  customDomain: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 253, pattern: hostNamePattern }), {
      doc: "Domain that replaces the host of the deployment's URL.",
    }),
  ),
  deployBranchName: serverChosenSetting(text(255), "Git branch that production is built from."),
  deployBranchReadOnly: serverChosenSetting(
    Type.Boolean(),
    "Whether direct commits to the deploy branch are rejected.",
  ),
  deployBranchMergeAllowed: serverChosenSetting(
    Type.Boolean(),
    "Whether branches can be merged into the deploy branch.",
  ),
  deployProjectRoot: serverChosenSetting(
    Type.String({ maxLength: 1024 }),
    "Folder that contains the data model.",
  ),
  defaultLaunchpadViewGroup: Type.Optional(
    field(recordedOnly(text(255), recordedBecause.creatorMode), {
      doc: "Group of views shown first on the launchpad.",
    }),
  ),
  launchpadTabs: Type.Optional(
    field(recordedOnly(Type.Array(text(255), { maxItems: 100 }), recordedBecause.creatorMode), {
      doc: "Tabs of the launchpad, in display order.",
      order: "list",
      neverCleared: true,
    }),
  ),
  templateVariables: Type.Optional(
    field(recordedOnly(templateVariables, recordedBecause.templates), {
      doc: "Template variables, by name. Variables that are not listed are removed. Values must not be secrets.",
      neverCleared: true,
    }),
  ),
  cspsConfig: Type.Optional(
    field(recordedOnly(customerStorage, recordedBecause.storage), {
      doc: "Customer-provided storage.",
      neverCleared: true,
    }),
  ),
  release: Type.Optional(
    field(release, { doc: "Release channel and platform version.", neverCleared: true }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  deploymentUrl: Type.String(),
  creationStep: CreationStep,
  version: Type.Optional(
    field(Type.String(), { doc: "Platform version that the deployment runs, such as `1.2.3`." }),
  ),
  releaseChannel: Type.Optional(field(ReleaseChannel, { doc: "Release channel of that version." })),
});

/** Returns the schema of a setting that always has a value and that the service chooses if the spec omits it. */
function serverChosenSetting<Schema extends Parameters<typeof field>[0]>(
  schema: Schema,
  doc: string,
) {
  return Type.Optional(field(schema, { doc, serverChosen: true, neverCleared: true }));
}
