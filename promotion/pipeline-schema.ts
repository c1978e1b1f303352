// The JSON Schema of a Pipeline document.
import { Type, type Static } from "typebox";
import { candidateNames, releaseCheckNames } from "../core/kind/releases.ts";
import { limits } from "../core/limits/limits.ts";
import { documentSchema, windowSchemaMembers } from "../reconciler/document-types.ts";
import { durationPattern, namePattern, percentPattern } from "../core/text/text-patterns.ts";
import { queryCheckSchema } from "./query-check.ts";

const closed = { additionalProperties: false } as const;

function duration(description: string) {
  return Type.Optional(
    Type.String({
      pattern: durationPattern,
      description: `${description} 30s, 15m, 24h, 7d or 1d12h.`,
    }),
  );
}

const httpCheck = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "URL to request with GET. {deployment} is replaced with each deployment's name, {url} with its URL. A URL without either is requested once.",
    }),
    status: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        default: 200,
        description: "Expected status code. Redirects are not followed.",
      }),
    ),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Text that the response body must contain.",
      }),
    ),
    timeout: duration(
      "Time limit of the response, at most 10m. A later response is a failed check. Without it, svc stops after 10s and the check is inconclusive. Format:",
    ),
  },
  { ...closed, description: "An HTTP request and its expected response." },
);

/** The schema of a check. */
export const checkSchema = Type.Object(
  {
    http: Type.Optional(httpCheck),
    command: Type.Optional(
      Type.String({
        pattern: namePattern,
        description: "Name of a command. The operator grants the program that it runs.",
      }),
    ),
    api: Type.Optional(
      Type.String({
        enum: [...releaseCheckNames],
        description:
          "A question to the API about each deployment. build: production has been built on the version, or from the commit. validate: the data model of the deploy branch has no errors.",
      }),
    ),
    query: Type.Optional(queryCheckSchema),
    timeout: duration(
      "Time limit of the command, the API or the query, at most 10m. A longer run is a failed check. Without it, svc stops after 10m and the check is inconclusive. Format:",
    ),
  },
  { ...closed, description: "One check: http, command, api or query." },
);

const stage = Type.Object(
  {
    name: Type.String({ pattern: namePattern, description: "Name of the stage in the pipeline." }),
    deployments: Type.Object(
      {
        names: Type.Optional(
          Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            maxItems: limits.stageObjects,
            description:
              "Deployments of the stack, or with candidates: commits their Git connections, by metadata.name.",
          }),
        ),
        labels: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            minProperties: 1,
            description: "Labels of these documents. All must match.",
          }),
        ),
      },
      { ...closed, description: "Deployments of the stage: either names or labels." },
    ),
    source: Type.Optional(
      Type.Object(
        {
          channel: Type.Optional(
            Type.String({
              minLength: 1,
              description: "Takes the newest version of this update channel.",
            }),
          ),
          stage: Type.Optional(
            Type.String({
              minLength: 1,
              description: "Takes versions that this earlier stage has verified.",
            }),
          ),
        },
        {
          ...closed,
          description:
            "Where versions come from. Default: the stage before. Commits come to the first stage from its branch.",
        },
      ),
    ),
    checks: Type.Optional(
      Type.Array(checkSchema, {
        maxItems: limits.stageChecks,
        description: "Checks of a version once it runs. All must pass.",
      }),
    ),
    validFor: duration("How long a verification is valid. Format:"),
    soak: duration(
      "Soak time: how long a verified version runs here before the next stage may take it. Format:",
    ),
    every: duration(
      "Interval at which the checks run again during the soak time, and once more at its end. Format:",
    ),
    failureLimit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.soakFailures,
        default: 0,
        description:
          "How many of these repeated verifications may fail. One more fails the version; until the last one passes, it does not leave the stage.",
      }),
    ),
    promotion: Type.Optional(
      Type.String({
        enum: ["automatic", "approval"],
        default: "approval",
        description:
          "automatic: svc promotes on its own if the operator grants it for this stage. approval: someone runs svc promote approve.",
      }),
    ),
    approvers: Type.Optional(
      Type.Object(
        {
          users: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
              minItems: 1,
              maxItems: limits.stageApprovers,
              description: "E-mail addresses of users, also of authors of merges.",
            }),
          ),
          groups: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
              minItems: 1,
              maxItems: limits.stageApprovers,
              description: "Names of user groups. They do not count for merges.",
            }),
          ),
        },
        {
          ...closed,
          minProperties: 1,
          description: "Whose approvals count for the stage. Default: everyone's.",
        },
      ),
    ),
    batchSize: Type.Optional(
      Type.Union(
        [
          Type.Integer({
            minimum: 1,
            maximum: limits.stageObjects,
            title: `a whole number from 1 to ${limits.stageObjects}`,
          }),
          Type.String({ pattern: percentPattern, title: "a percentage from 1% to 100%" }),
        ],
        {
          description:
            "Batch size. Each batch is verified before the next one starts. A rollback changes all together. Default: all.",
        },
      ),
    ),
    onFailure: Type.Optional(
      Type.String({
        enum: ["stop", "rollback"],
        default: "stop",
        description: "What a failed verification does: nothing more, or back to the last verified.",
      }),
    ),
    changes: Type.Optional(
      Type.String({
        enum: ["commit", "pull-request"],
        default: "commit",
        description:
          "How --write changes the manifests: commit, by a commit of the run; pull-request, only by merges, so that the branch can be protected.",
      }),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "One stage." },
);

/** The spec of a Pipeline document. */
export const pipelineSpec = Type.Object(
  {
    candidates: Type.Optional(
      Type.String({
        enum: [...candidateNames],
        default: "versions",
        description:
          "What the pipeline promotes: versions of the platform, or commits of data models, which GitConnections pin.",
      }),
    ),
    stages: Type.Array(stage, {
      minItems: 1,
      maxItems: limits.stages,
      description: "The stages in their order.",
    }),
  },
  closed,
);

/** A Pipeline document, as JSON Schema. */
export const pipelineSchema = documentSchema(
  {
    kind: "Pipeline",
    description:
      "The stages that a version of the platform, or a commit of a data model, passes on its way to production.",
    requiresSpec: true,
  },
  pipelineSpec,
);

/** A stage as declared. */
export type StageSpec = Static<typeof stage>;

/** A check as declared. */
export type CheckSpec = Static<typeof checkSchema>;
