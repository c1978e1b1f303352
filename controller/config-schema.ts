// The configuration of a controller as it is written: which stacks, from where, onto which server, and what may be done by itself.
import { type Static, Type } from "typebox";
import { namePattern } from "../core/identity.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { grantsFileSchema } from "../reconciler/policy/grants-file.ts";
import { configFileSchema } from "../reconciler/manifest/config-file.ts";
import { durationPattern, durationText } from "../reconciler/model/duration.ts";

const closed = { additionalProperties: false } as const;
const pathSchema = (description: string) =>
  Type.String({ minLength: 1, description: `${description} Relative to this file.` });
const duration = (description: string) =>
  Type.Optional(Type.String({ pattern: durationPattern, description }));
const textSchema = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.messageCharacters, pattern: "\\S", description });

const secret = (description: string) =>
  Type.Object(
    {
      env: Type.Optional(
        Type.String({
          pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
          description: "The environment variable that holds it.",
        }),
      ),
      file: Type.Optional(pathSchema("The file that holds it.")),
    },
    { ...closed, description },
  );

const git = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "https://host/path, ssh://user@host/path, user@host:path, or a folder of this machine that begins with / or a dot; http:// to this machine itself alone. Without a password: that goes into token.",
    }),
    branch: Type.Optional(
      Type.String({ minLength: 1, description: "The branch; without it, the repository's own." }),
    ),
    ref: Type.Optional(
      Type.String({
        pattern: "^refs/[^\\s:^~?*\\[\\\\]+$",
        description: "Another reference, instead of a branch: refs/tags/v1.",
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The folder of the Stack in the repository; without it, all of it.",
      }),
    ),
    token: Type.Optional(secret("The password or token for an https address.")),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: "^[^:\\s]+$",
        description: "The user that the token is for; x-access-token without it.",
      }),
    ),
  },
  { ...closed, description: "A Git repository." },
);

const server = Type.Object(
  {
    url: Type.String({
      pattern: "^https?://[^/?#@\\s]+/?$",
      description: "Origin of the server: https://acme.example.com.",
    }),
    apiKey: secret("The API key."),
    scheme: Type.Optional(
      Type.String({
        enum: ["bearer", "api-key"],
        description: "How the key is sent; without it, the key tells.",
      }),
    ),
  },
  { ...closed, description: "Without it, the server that SVC_API_URL and SVC_API_KEY name." },
);

const source = Type.Object(
  {
    name: Type.String({
      pattern: namePattern,
      maxLength: 63,
      description: "What events, metrics and commands call it.",
    }),
    stack: Type.Optional(
      Type.String({
        pattern: namePattern,
        description:
          "What its Stack is called; the source's own name without it. A Stack with another name is left alone.",
      }),
    ),
    git: Type.Optional(git),
    folder: Type.Optional(pathSchema("The folder of a Stack on this machine, instead of git.")),
    server: Type.Optional(server),
    mode: Type.Optional(
      Type.String({
        enum: ["plan", "apply"],
        default: "plan",
        description: "plan only looks; apply also writes what the plan says.",
      }),
    ),
    interval: duration(
      `Pause between two rounds; ${durationText(limits.controllerIntervalMs)} without it.`,
    ),
    jitter: Type.Optional(
      Type.String({
        pattern: `^0s$|${durationPattern}`,
        description: "As much may be added to each pause, by chance; a tenth of it where left out.",
      }),
    ),
    retry: Type.Optional(
      Type.Object(
        {
          first: duration(
            `Pause after a round that failed; ${durationText(limits.controllerRetryFirstMs)} without it. It doubles.`,
          ),
          max: duration(`The longest; ${durationText(limits.controllerRetryMaxMs)} without it.`),
        },
        { ...closed, description: "What failed is tried again apart from the interval." },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_-]*$" }), Type.Unknown(), {
        ...closed,
        description: "Win over the Stack's own.",
      }),
    ),
    grants: Type.Optional({
      ...grantsFileSchema,
      description:
        "What the manifests may do, as a file of grants says it. maxDeletes is 0 where it is left out: each delete and replace waits for an approval.",
    }),
    policies: Type.Optional(
      Type.Array(pathSchema("A file of policies, or recommended."), {
        description: "What plans are held against.",
      }),
    ),
    failOn: Type.Optional(
      Type.String({
        enum: ["error", "warning", "info"],
        default: "error",
        description: "From which severity on a finding keeps a plan from being applied.",
      }),
    ),
    suspend: Type.Optional(
      Type.Object(
        {
          reason: textSchema("Why, for whoever is kept waiting."),
          owner: textSchema("Whom to ask."),
          expires: Type.String({
            pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            description: "Last day on which it holds, in UTC: 2027-03-01.",
          }),
        },
        { ...closed, description: "Nothing is fetched, read or written meanwhile." },
      ),
    ),
    webhook: Type.Optional(
      secret("The secret of whoever says at /hook/NAME that there may be something new."),
    ),
  },
  { ...closed, description: "A stack, and what is done with it." },
);

/** The form of a configuration. */
export const controllerConfigSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    state: pathSchema(
      "A folder of the controller's own: checkouts, inventories in files, approvals.",
    ),
    listen: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ minLength: 1, default: "127.0.0.1" })),
          port: Type.Integer({ minimum: 0, maximum: 65_535, description: "0 for any." }),
        },
        {
          ...closed,
          description: "Where state, metrics and webhooks are answered; nowhere without it.",
        },
      ),
    ),
    sources: Type.Array(source, { minItems: 1, maxItems: limits.controllerSources }),
  },
  { ...closed, description: "What a controller of svc looks after." },
);

/** What is written of a controller. */
export type ControllerDocument = Static<typeof controllerConfigSchema>;

/** What is written of one source. */
export type SourceDocument = ControllerDocument["sources"][number];

/** `schemas/controller.json`. */
export function controllerSchema(): JsonObject {
  return configFileSchema("Controller of svc", controllerConfigSchema);
}
