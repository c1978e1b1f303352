// What can be wished of a Deployment, and what the service reports of it.
import { Type, type Static } from "typebox";
import {
  CloudProvider,
  CreationMethod,
  CreationStep,
  DeployMode,
  DeploymentName,
  ReleaseChannel,
  TargetPlatform,
  Template,
  templateNamePattern,
  TemplateValue,
} from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import { hostNamePattern } from "../core/text-patterns.ts";
import { field } from "../core/traits.ts";
import { customerStorage } from "./deployment-storage.ts";
import { statusSchema } from "./status-schema.ts";

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const closed = { additionalProperties: false };

const release = Type.Object(
  {
    channel: Type.Optional(
      field(ReleaseChannel, {
        doc: "Update channel. Given without a version, a change moves to the channel's newest version.",
      }),
    ),
    version: Type.Optional(
      field(Type.String({ maxLength: 255, pattern: "^([^:]+:v|v)?[0-9]+\\.[0-9]+\\.[0-9]+$" }), {
        doc: "Version to run: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`, which mean the same. It must be on the deployment's list of versions.",
        canonicalPattern: "^(?:[^:]+:v|v)?([0-9]+\\.[0-9]+\\.[0-9]+)$",
        serverManagedWhile: { field: "channel", unless: "hold" },
      }),
    ),
    hold: Type.Optional(
      field(Type.Boolean(), {
        doc: "Keeps automatic upgrades away. A version that is not its channel's newest sets it unless it is given.",
      }),
    ),
  },
  closed,
);

/** The wish. */
export const spec = Type.Object({
  name: field(DeploymentName, {
    doc: "Name, unique in the account; a change renames the deployment and keeps its address.",
  }),
  region: field(text(255), { doc: "Region that it lives in, such as `aws-us-east-1`." }),
  cloudProvider: serverChosenSetting(CloudProvider, "Who runs the machines."),
  targetPlatform: Type.Optional(
    field(TargetPlatform, {
      doc: "Whose machines they are.",
      serverChosen: true,
      onChange: "replace",
    }),
  ),
  isManaged: Type.Optional(
    field(Type.Boolean(), { doc: "The vendor runs it.", serverChosen: true, onChange: "replace" }),
  ),
  creationMethod: serverChosenSetting(CreationMethod, "How the data model comes in at first."),
  deployMode: serverChosenSetting(DeployMode, "How changes of the data model come in."),
  template: serverChosenSetting(Template, "How many machines it has."),
  customDomain: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 253, pattern: hostNamePattern }), {
      doc: "Domain that replaces the host of its address.",
    }),
  ),
  deployBranchName: serverChosenSetting(text(255), "Branch that production is built from."),
  deployBranchReadOnly: serverChosenSetting(
    Type.Boolean(),
    "Nobody writes to the deploy branch directly.",
  ),
  deployBranchMergeAllowed: serverChosenSetting(
    Type.Boolean(),
    "Branches may be merged into the deploy branch.",
  ),
  deployProjectRoot: serverChosenSetting(
    Type.String({ maxLength: 1024 }),
    "Folder of the data model.",
  ),
  defaultLaunchpadViewGroup: Type.Optional(
    field(text(255), { doc: "Group of views that people see first." }),
  ),
  launchpadTabs: Type.Optional(
    field(Type.Array(text(255), { maxItems: 100 }), {
      doc: "Tabs that people see, in their order.",
      order: "list",
      neverCleared: true,
    }),
  ),
  templateVariables: Type.Optional(
    field(Type.Record(Type.String({ pattern: templateNamePattern }), TemplateValue, closed), {
      doc: "Values of the template, by name, all of them; never a secret.",
      neverCleared: true,
    }),
  ),
  cspsConfig: Type.Optional(
    field(customerStorage, {
      doc: "The customer's own storage.",
      neverCleared: true,
    }),
  ),
  release: Type.Optional(
    field(release, { doc: "Which version of the platform it runs.", neverCleared: true }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  id: Id,
  deploymentUrl: Type.String(),
  creationStep: CreationStep,
  version: Type.Optional(
    field(Type.String(), { doc: "Version of the platform that it runs, such as `1.2.3`." }),
  ),
  releaseChannel: Type.Optional(
    field(ReleaseChannel, { doc: "Update channel that its version came from." }),
  ),
});

/** A setting that always has a value, which the service chooses where the user does not. */
function serverChosenSetting<Schema extends Parameters<typeof field>[0]>(
  schema: Schema,
  doc: string,
) {
  return Type.Optional(field(schema, { doc, serverChosen: true, neverCleared: true }));
}
