// JSON Schemas of the results of commands that are not about a stack: servers, plugins, pipelines, resource types.
import { Type } from "typebox";
import { closed, commandResult } from "./command-result-schema.ts";

const text = (description: string) => Type.String({ description });
const flag = (description: string) => Type.Boolean({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const values = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const version = text("Version of svc.");
const controllerSource = text("Name of the source.");
const planDecision = {
  source: controllerSource,
  plan: text("Id of the plan."),
  deletes: count("Deletes and replacements of the plan."),
  changes: texts("Its changes as text."),
  by: text("Who decided."),
};

const context = Type.Object(
  {
    name: text("Name of the context."),
    url: text("Address of its server."),
    credential: Type.Enum(["API key", "sign-in"], {
      description: "What it signs in with.",
    }),
    isActive: flag("Whether commands use it."),
  },
  closed,
);

const finding = Type.Object(
  {
    check: text("Name of the check."),
    status: Type.Enum(["ok", "warning", "error"], {
      description: "Its outcome.",
    }),
    message: text("What was found."),
    remedy: Type.Optional(text("What to do next; set unless the status is `ok`.")),
  },
  closed,
);

const field = Type.Object(
  {
    path: text("Path within the spec."),
    type: text("Type as text."),
    required: flag("Whether a document must have it."),
    doc: text("What it is."),
    notes: texts("What its traits mean, one sentence each."),
    fields: Type.Array(Type.Unknown(), { description: "Fields within it, in the same form." }),
  },
  closed,
);

const listedType = Type.Object(
  {
    kind: text("Name of the resource type or the component."),
    plural: Type.Optional(text("Name of several objects; missing for a component.")),
    doc: text("What it is."),
  },
  closed,
);

const explainedType = {
  ...listedType.properties,
  key: Type.Optional(texts("Fields of the natural key.")),
  cascades: Type.Optional(flag("Whether a delete also deletes the objects within it.")),
  unsupported: Type.Optional(values("Why an action is not supported, by action.")),
  generatedSecret: Type.Optional(
    Type.Object(
      { name: text("Name of the secret."), doc: text("What it is.") },
      { ...closed, description: "Secret that every create generates." },
    ),
  ),
  parts: Type.Optional(
    Type.Array(
      Type.Object({ name: text("Name of the part."), kind: text("Its resource type.") }, closed),
      { description: "Parts of a component." },
    ),
  ),
  fields: Type.Array(field, {
    description: "The fields, or the requested one.",
  }),
};

const stage = {
  pipeline: text("Name of the pipeline."),
  stage: text("Name of the stage."),
  message: text("What was done, in one sentence."),
};
const manualAction = {
  ...stage,
  by: Type.Optional(text("Who.")),
  vouchedBy: Type.Optional(text("Who says that it was them; missing if nobody does.")),
};

/** Results by command. */
export const toolOutputs = {
  "context list": commandResult("context-list", {
    contexts: Type.Array(context, {
      description: "In the order of the configuration file.",
    }),
  }),
  whoami: commandResult("whoami", {
    server: text("Address of the server."),
    context: Type.Union([Type.String(), Type.Null()], {
      description: "Context that names the server; null without one.",
    }),
    id: Type.Integer({ description: "Id of the user." }),
    username: text("Name of the user."),
    email: text("Email address of the user."),
    isAdmin: flag("Whether the user is an administrator."),
    credential: values("Source of the credential, and its type, name and end as the API has them."),
    limits: values("Limits of the credential as the API has them; empty without limits."),
  }),
  doctor: commandResult("doctor", {
    version,
    findings: Type.Array(finding, { description: "One for each check." }),
  }),
  update: commandResult("svc-update", {
    version,
    latest: text("Newest release."),
    isNewer: flag("Whether the newest release is newer than this version."),
    isInstalled: flag("Whether this run installed it."),
  }),
  "plugin install pulumi": commandResult("plugin-install-pulumi", {
    installed: text("Path of the plugin."),
    version,
  }),
  "plugin install terraform": commandResult("plugin-install-terraform", {
    installed: texts("Paths of the provider."),
    source: text("Source address in a configuration of Terraform."),
    version,
  }),
  explain: commandResult("resource-types", {
    types: Type.Array(listedType, {
      description: "All resource types, then the components.",
    }),
  }),
  "explain TYPE": commandResult("resource-type", explainedType),
  deploy: commandResult("deploy", {
    deploymentId: Type.Integer({ description: "Id of the deployment." }),
    files: count("Files of the folder."),
    uploaded: count("Uploaded files."),
    removed: count("Removed files."),
    removedPaths: texts("Paths of the removed files."),
    build: Type.Optional(
      values(
        "Status of the build as `svc deployments build-status` has it; missing if not waited.",
      ),
    ),
  }),
  validate: commandResult("validate", {
    deploymentId: Type.Integer({ description: "Id of the deployment." }),
    branchName: text("Name of the branch."),
    mode: text("Kind of the branch."),
    valid: flag("Whether the model has no errors."),
    errors: Type.Array(values("Place and message of one error."), {
      description: "Errors by file and line, as the API has them.",
    }),
    warnings: Type.Optional(
      Type.Array(values("Code, place and message of one warning."), {
        description: "Declarations that mostly are mistakes, as the API has them.",
      }),
    ),
    cubesCount: Type.Optional(count("Number of cubes and views.")),
    preAggregations: Type.Optional(
      Type.Array(values("Name of a pre-aggregation, and why queries cannot use it."), {
        description: "Pre-aggregations of the model, as the API has them.",
      }),
    ),
  }),
  "controller approve": commandResult("controller-approve", planDecision),
  "controller reject": commandResult("controller-reject", planDecision),
  "controller list": commandResult("controller-list", {
    sources: Type.Array(
      values("State of a source as GET /api/sources has it, see docs/reference/controller.md."),
      { description: "The sources in the order of the configuration." },
    ),
  }),
  "controller suspend": commandResult("controller-suspend", {
    source: controllerSource,
    by: text("Who suspended it."),
    reason: text("Why."),
    expires: text("End of the suspension, ISO 8601 in UTC."),
  }),
  "controller resume": commandResult("controller-resume", { source: controllerSource }),
  "controller reconcile": commandResult("controller-reconcile", { source: controllerSource }),
  "promote approve": commandResult("promote-approve", {
    ...stage,
    approved: text("Approved version."),
    changed: flag("False if it was already approved."),
  }),
  "promote withdraw": commandResult("promote-withdraw", manualAction),
  "promote hold": commandResult("promote-hold", manualAction),
  "promote release": commandResult("promote-release", manualAction),
};
