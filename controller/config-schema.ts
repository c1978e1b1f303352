// Schema of the controller's configuration file.
import { declaredValidator } from "../core/schema/validate.ts";
import { type Static, Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { gitHostTypes } from "../git-hosts/dialects.ts";
import { messageFields } from "./message-template.ts";
import { notificationTypes } from "./notification-types.ts";
import { checkSchema } from "../promotion/index.ts";
import { grantsFileSchema } from "../reconciler/sessions.ts";
import { configFileSchema } from "../reconciler/document-types.ts";
import { durationText } from "../core/text/duration.ts";
import {
  addressPrefixPattern,
  datePattern,
  durationOrZeroPattern,
  durationPattern,
  gitReferencePattern,
  identifierPattern,
  namePattern,
  serverUrlPattern,
  sourceGlobPattern,
  userNamePattern,
  variablePattern,
  visiblePattern,
} from "../core/text/text-patterns.ts";

const closed = { additionalProperties: false } as const;
const pathSchema = (description: string) =>
  Type.String({ minLength: 1, description: `${description} Relative to this file.` });
const duration = (description: string) =>
  Type.Optional(Type.String({ pattern: durationPattern, description }));
const textSchema = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.messageCharacters,
    pattern: visiblePattern,
    description,
  });

const slots = (description: string, limit: keyof typeof limits.controllerReconciliations) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.controllerReconciliationsMax,
      default: limits.controllerReconciliations[limit],
      description,
    }),
  );

const secret = (description: string) =>
  Type.Object(
    {
      env: Type.Optional(
        Type.String({
          pattern: identifierPattern,
          description: "Name of an environment variable that contains the value.",
        }),
      ),
      file: Type.Optional(pathSchema("File that contains the value.")),
    },
    { ...closed, description },
  );

const role = Type.String({
  enum: ["viewer", "operator", "approver"],
  description:
    "viewer reads; operator also reconciles, suspends, resumes, and holds and releases stages; approver also approves versions, and approves and rejects held plans.",
});

const login = Type.Object(
  {
    server: Type.String({
      pattern: serverUrlPattern,
      description: "Origin of the server that gets the tokens, and says whose they are: https.",
    }),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          "ID of the OAuth client of the page at the server: without a secret, and with the address of the page among its redirect URIs. With it, people sign in on the page.",
      }),
    ),
    users: Type.Array(
      Type.Object(
        {
          email: Type.String({
            minLength: 1,
            maxLength: 254,
            description:
              "Address of the user at the server, which decisions record, and by which stages of pipelines name their approvers.",
          }),
          id: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: limits.idMax,
              description: "ID of the user at the server: no other user with the address counts.",
            }),
          ),
          role,
        },
        { ...closed, description: "A user who may call the API." },
      ),
      { minItems: 1, maxItems: limits.controllerUsers },
    ),
  },
  {
    ...closed,
    description:
      "People who sign in at a server of the platform: their access tokens open the page and the API, beside tokens.",
  },
);

const apiToken = Type.Object(
  {
    name: Type.String({
      pattern: namePattern,
      maxLength: 63,
      description: "Name of the person or program, which decisions and suspensions record.",
    }),
    role,
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          "Address of the person, whose approvals of versions it stands for: stages of pipelines name their approvers by it.",
      }),
    ),
    secret: secret(
      `The token, of ${limits.controllerTokenCharacters} characters or more. It is read again for each request.`,
    ),
  },
  { ...closed, description: "A token of the API." },
);

const template = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.messageTemplate,
    description: `The text for people, with {{FIELD}} in it: ${messageFields.join(", ")}. A webhook has it as data.text.`,
  }),
);

const mailTarget = Type.Object(
  {
    server: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "The SMTP server: smtp://USER@HOST:587, which changes to TLS, or smtps://USER@HOST. Without a password in it.",
    }),
    password: Type.Optional(secret("The password of the user.")),
    requireTls: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "false sends mails, and the password, unencrypted where the server offers no TLS.",
      }),
    ),
    from: textSchema("The sender: GitOps <gitops@example.com>."),
    to: textSchema("The address of the recipient. Several people need a list, or a target each."),
  },
  { ...closed, description: "For mail: how it is sent." },
);

const notificationTarget = Type.Object(
  {
    name: Type.String({
      pattern: namePattern,
      maxLength: 63,
      description: "Name of the target in the status.",
    }),
    type: Type.String({
      enum: ["webhook", "slack", "mail"],
      description:
        "webhook sends JSON signed as Standard Webhooks describe it; slack sends { text } to an incoming webhook of Slack or what is compatible; mail sends a mail over SMTP.",
    }),
    url: Type.Optional(
      secret(
        "For webhook and slack: the address, which may be a secret. https, or http for this machine.",
      ),
    ),
    secret: Type.Optional(secret("For webhook: the secret whsec_BASE64 of the signature.")),
    mail: Type.Optional(mailTarget),
    template,
    on: Type.Optional(
      Type.Array(Type.String({ enum: [...notificationTypes] }), {
        minItems: 1,
        uniqueItems: true,
        description:
          "What to send: failing, drift (the server changed), held (a plan waits for an approval), approval (a stage of a pipeline waits for one, or for a pull request), recovered (no longer failing), removed (a pattern lost a folder). Default: all.",
      }),
    ),
  },
  { ...closed, description: "Where to send notifications about all sources." },
);

const statusTarget = Type.Object(
  {
    name: Type.String({
      pattern: namePattern,
      maxLength: 63,
      description: "Name of the target in the status.",
    }),
    type: Type.String({ enum: [...gitHostTypes], description: "What the Git host runs." }),
    host: Type.String({
      pattern: addressPrefixPattern,
      maxLength: 2048,
      description:
        "What git.url of its sources begins with, up to the owner: https://git.example.com/ or git@git.example.com:. The rest is the name of the repository.",
    }),
    api: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          "Address of the API, such as https://git.example.com/api/v1. Default: that of github.com and gitlab.com.",
      }),
    ),
    token: secret("The token, which may set the status of commits."),
    link: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: "Address of the page of this controller, for the link beside a status.",
      }),
    ),
    template,
  },
  {
    ...closed,
    description: "Where to set the status of the commits of sources.",
  },
);

const git = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "URL of the repository: https://host/path, ssh://user@host/path, user@host:path, or a local folder that begins with / or a dot. http:// is allowed for this machine only. Put a password into token, not into the URL.",
    }),
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Branch to follow. Default: the repository's default branch.",
      }),
    ),
    ref: Type.Optional(
      Type.String({
        pattern: gitReferencePattern,
        description: "Reference to follow instead of a branch, such as refs/tags/v1.",
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Folder of the Stack in the repository. Default: the root. Manifests that the Stack declares elsewhere in the repository are checked out with it. With * in one name, such as stacks/*: a source NAME-FOLDER for each folder of the commit, whose Stack has the name of what * stands for.",
      }),
    ),
    token: Type.Optional(secret("Password or token for an https URL.")),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: userNamePattern,
        description: "User name of the token. Default: x-access-token.",
      }),
    ),
    ca: Type.Optional(
      pathSchema(
        "PEM file of the certificate authorities to trust for an https URL, instead of the system's.",
      ),
    ),
    knownHosts: Type.Optional(
      pathSchema("File of known host keys for an ssh URL. ssh then accepts no other key."),
    ),
    sshKey: Type.Optional(
      pathSchema("File of the private key for an ssh URL. ssh then offers no other key."),
    ),
  },
  { ...closed, description: "A Git repository." },
);

const server = Type.Object(
  {
    url: Type.String({
      pattern: serverUrlPattern,
      description: "Origin of the server, such as https://acme.example.com.",
    }),
    apiKey: Type.Optional(secret("The API key.")),
    oidcToken: Type.Optional(
      secret("An OIDC token, which a workload trust of the server accepts, instead of a key."),
    ),
    scheme: Type.Optional(
      Type.String({
        enum: ["bearer", "api-key"],
        description: "Authentication scheme. Default: chosen by the form of the key.",
      }),
    ),
  },
  {
    ...closed,
    description:
      "The server to reconcile, with either `apiKey` or `oidcToken`. Default: SVC_API_URL and SVC_API_KEY.",
  },
);

/** What a controller does about differences. */
export const sourceModes = ["plan", "report-drift", "apply"] as const;

const source = Type.Object(
  {
    name: Type.String({
      pattern: namePattern,
      maxLength: 63,
      description: "Name of the source in events, metrics and commands.",
    }),
    stack: Type.Optional(
      Type.String({
        pattern: namePattern,
        description:
          "Name of its Stack. Default: the name of the source. A Stack with another name is refused.",
      }),
    ),
    git: Type.Optional(git),
    folder: Type.Optional(pathSchema("Folder of a Stack on this machine, instead of git.")),
    server: Type.Optional(server),
    mode: Type.Optional(
      Type.String({
        enum: [...sourceModes],
        default: "plan",
        description:
          "plan reports differences; report-drift applies commits, and only reports what changed on the server; apply writes all.",
      }),
    ),
    interval: duration(
      `Pause between two reconciliations. Default: ${durationText(limits.controllerIntervalMs)}.`,
    ),
    jitter: Type.Optional(
      Type.String({
        pattern: durationOrZeroPattern,
        description: "Maximum random time added to each pause. Default: a tenth of the interval.",
      }),
    ),
    retry: Type.Optional(
      Type.Object(
        {
          first: duration(
            `Pause after a failure, which doubles each time. Default: ${durationText(limits.controllerRetryFirstMs)}.`,
          ),
          max: duration(
            `Longest pause after failures. Default: ${durationText(limits.controllerRetryMaxMs)}.`,
          ),
        },
        { ...closed, description: "Pauses after failed reconciliations." },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: variablePattern }), Type.Unknown(), {
        ...closed,
        description: "Variables that override those of the Stack.",
      }),
    ),
    grants: Type.Optional({
      ...grantsFileSchema,
      description:
        "What the manifests may do, in the format of a grants file. Default of maxDeletes: 0, so that every delete and replacement needs an approval.",
    }),
    policies: Type.Optional(
      Type.Array(pathSchema("A policy file, or recommended."), {
        description: "Policies that plans are checked with.",
      }),
    ),
    failOn: Type.Optional(
      Type.String({
        enum: ["error", "warning", "info"],
        default: "error",
        description: "Lowest severity of a finding that blocks apply.",
      }),
    ),
    onConflict: Type.Optional(
      Type.String({
        enum: ["fail", "overwrite"],
        default: "fail",
        description:
          "What apply does about fields changed both in the manifests and on the server. An approved plan overwrites them.",
      }),
    ),
    dependsOn: Type.Optional(
      Type.Array(Type.String({ pattern: sourceGlobPattern, maxLength: 64 }), {
        minItems: 1,
        maxItems: limits.controllerDependencies,
        uniqueItems: true,
        description:
          "Names of sources that are applied and healthy before this one is reconciled. * stands for any text; the name of a source with a pattern in its path for all sources of the pattern.",
      }),
    ),
    healthChecks: Type.Optional(
      Type.Array(checkSchema, {
        minItems: 1,
        maxItems: limits.stageChecks,
        description:
          "Checks of the deployments of the Stack after each reconciliation that leaves nothing to apply, as those of a pipeline.",
      }),
    ),
    suspend: Type.Optional(
      Type.Object(
        {
          reason: textSchema("Why the source is suspended."),
          owner: textSchema("Person or team to contact."),
          expires: Type.String({
            pattern: datePattern,
            description: "Last day of the suspension in UTC, such as 2027-03-01.",
          }),
        },
        {
          ...closed,
          description: "Suspends the source: the controller does not fetch, read or write.",
        },
      ),
    ),
    webhook: Type.Optional(
      secret(
        "Secret of the webhook POST /hook/NAME, which triggers a reconciliation of every source of the same repository.",
      ),
    ),
  },
  { ...closed, description: "A stack and how to reconcile it." },
);

const {
  name: _name,
  stack: _stack,
  git: _git,
  folder: _folder,
  dependsOn: _dependsOn,
  ...shared
} = source.properties;

/** Schema of a configuration. */
export const controllerConfigSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    state: pathSchema(
      "Folder for the state of the controller: checkouts, file inventories, approvals.",
    ),
    database: Type.Optional(
      secret(
        "For several replicas: postgres://USER:PASSWORD@HOST/DATABASE, where they share everything but checkouts.",
      ),
    ),
    listen: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ minLength: 1, default: "127.0.0.1" })),
          port: Type.Integer({
            minimum: 0,
            maximum: 65_535,
            description: "Port. 0 chooses a free port.",
          }),
          tokens: Type.Optional(
            Type.Array(apiToken, {
              minItems: 1,
              maxItems: limits.controllerTokens,
              description:
                "Tokens of the page and the API below /api. Without them and a login, the controller has neither.",
            }),
          ),
          login: Type.Optional(login),
        },
        {
          ...closed,
          description:
            "Address for health, status, metrics, webhooks, the page and the API. Without it, the controller does not listen.",
        },
      ),
    ),
    concurrency: Type.Optional(
      Type.Object(
        {
          total: slots("Reconciliations at a time.", "total"),
          perServer: slots(
            "Reconciliations of one server at a time, so that a server that does not respond stops no other.",
            "perHost",
          ),
        },
        { ...closed, description: "How many reconciliations run at the same time." },
      ),
    ),
    notify: Type.Optional(
      Type.Array(notificationTarget, { minItems: 1, maxItems: limits.notificationTargets }),
    ),
    statuses: Type.Optional(
      Type.Array(statusTarget, { minItems: 1, maxItems: limits.notificationTargets }),
    ),
    defaults: Type.Optional(
      Type.Object(shared, {
        ...closed,
        description: "Members of every source that does not have them itself.",
      }),
    ),
    sources: Type.Array(source, { minItems: 1, maxItems: limits.controllerSources }),
  },
  { ...closed, description: "Configuration of a controller." },
);

/** A configuration document. */
export type ControllerDocument = Static<typeof controllerConfigSchema>;

declaredValidator(controllerConfigSchema);

/** The document of one source. */
export type SourceDocument = ControllerDocument["sources"][number];

/** Returns `schemas/controller.json`. */
export function controllerSchema(): JsonObject {
  return configFileSchema("Controller of svc", controllerConfigSchema);
}
