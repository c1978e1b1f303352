// JSON Schema of the pipeline report.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { reasonCodes } from "./blocked-reasons.ts";
import { actorFields, Approval, Evidence, Promotion, ManualAction, skipFields } from "./record.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const enumOf = (...values: readonly string[]) => Type.String({ enum: [...values] });
const causes = enumOf("candidate", "requested", "merged", "rollback");
const modes = enumOf("direct", "write", "request");

const step = {
  action: enumOf("start", "move", "revert", "verify", "finish"),
  stage: text,
  version: text,
  cause: Type.Optional(causes),
  each: Type.Optional(
    Type.Record(text, text, {
      description: "Target version by address, if a rollback takes objects to different versions.",
    }),
  ),
  addresses: Type.Optional(
    Type.Array(text, { description: "Addresses of the objects that move or are verified." }),
  ),
};

const waiting = {
  stage: text,
  running: Type.Optional(
    Type.String({ description: "The version that all objects run. Missing if they differ." }),
  ),
  candidate: Type.Optional(
    Type.String({
      description:
        "The version that would be promoted next, or that `svc promote why --version` names.",
    }),
  ),
  reasons: Type.Array(
    Type.Object(
      {
        code: enumOf(...Object.keys(reasonCodes)),
        message: Type.String({ description: "A sentence." }),
        until: Type.Optional(
          Type.String({ description: "When the reason ends without an action, ISO 8601." }),
        ),
        remedy: Type.Optional(
          Type.String({ description: "What to do about it, with the command." }),
        ),
        outputs: Type.Optional(
          Type.Array(Type.Object({ check: text, output: text }, closed), {
            description: "The end of the output of each command that failed.",
          }),
        ),
      },
      closed,
    ),
    { description: "Why the stage is blocked." },
  ),
  hold: Type.Optional(
    Type.Object(
      {
        ...actorFields,
        reason: text,
        version: Type.Optional(
          Type.String({ description: "The version that the hold still admits." }),
        ),
      },
      closed,
    ),
  ),
  approvals: Type.Array(
    Type.Object(
      {
        ...Approval.properties,
        isPending: Type.Boolean({
          description: "Whether the version is newer than the one that the stage runs.",
        }),
      },
      closed,
    ),
    { description: "Every approval that the record keeps, the latest first." },
  ),
};

const stage = Type.Object(
  {
    ...waiting,
    source: Type.String({ description: "Where versions come from, as text." }),
    objects: count,
    deployed: Type.Array(
      Type.Object(
        {
          address: text,
          version: Type.Optional(
            Type.String({ description: "Missing if it is unknown, or the object does not exist." }),
          ),
        },
        closed,
      ),
      { description: "The version that each object runs." },
    ),
    step: Type.Optional(
      Type.Object(step, { ...closed, description: "The step that may be executed now." }),
    ),
    batches: Type.Optional(
      Type.Array(Type.Array(text), {
        description: "Addresses that the step and the ones after it change, by batch.",
      }),
    ),
    rollout: Type.Optional(
      Type.Object(
        { version: text, cause: causes, ...actorFields, mode: modes, ...skipFields },
        closed,
      ),
    ),
  },
  closed,
);

const cell = Type.Object(
  {
    version: text,
    stage: text,
    running: Type.Integer({ minimum: 0, description: "Objects that run the version." }),
    total: Type.Integer({ minimum: 0, description: "Objects of the stage." }),
    verification: Type.Optional(enumOf("promotable", "passed", "stale", "failed", "rolled-back")),
    verifiedAt: Type.Optional(Type.String({ description: "ISO 8601." })),
    ageMs: Type.Optional(Type.Integer({ description: "Milliseconds since then." })),
    isApproved: Type.Boolean(),
    isCandidate: Type.Boolean(),
    rollout: Type.Optional(enumOf("in-progress", "failed")),
    soak: Type.Optional(
      Type.Object(
        {
          since: Type.String({ description: "ISO 8601." }),
          ends: Type.String({ description: "ISO 8601." }),
          nextCheck: Type.Optional(
            Type.String({ description: "When the checks are due again, ISO 8601." }),
          ),
        },
        { ...closed, description: "The soak time of a version that passed." },
      ),
    ),
    checks: Type.Array(Evidence, {
      description: "The last results of the checks; failed ones first.",
    }),
  },
  closed,
);

const format = Type.Literal(1, {
  description: "Increases with every incompatible change of the format.",
});

const report = Type.Object(
  {
    format,
    report: Type.Literal("pipeline"),
    pipeline: text,
    stages: Type.Array(stage),
    versions: Type.Array(text, { description: "Newest first." }),
    titles: Type.Record(text, text, { description: "Subjects of those that are commits." }),
    cells: Type.Array(cell, { description: "By version, then by stage." }),
    omittedVersions: Type.Integer({
      minimum: 0,
      description: "Number of older versions that are not shown.",
    }),
    manualActions: Type.Array(ManualAction, { description: "Manual actions, newest first." }),
    history: Type.Array(Promotion, { description: "Completed promotions, newest first." }),
    done: Type.Optional(
      Type.Array(Type.Object({ ...step, passed: Type.Optional(Type.Boolean()) }, closed), {
        description: "Steps of this run. Left out for a status.",
      }),
    ),
    diff: Type.Optional(
      Type.String({
        description: "The committed diff, or the diff of a dry run. Empty if nothing changed.",
      }),
    ),
  },
  { ...closed, description: "The result of `svc promote` and `svc promote status`." },
);

const whyReport = Type.Object(
  {
    format,
    report: Type.Literal("pipeline-why"),
    pipeline: text,
    stages: Type.Array(
      Type.Object(
        {
          ...waiting,
          next: Type.Optional(
            Type.String({ description: "The step that may be executed now, as text." }),
          ),
          manualActions: Type.Array(ManualAction, {
            description: "Manual actions on the stage, newest first.",
          }),
        },
        closed,
      ),
    ),
  },
  { ...closed, description: "The result of `svc promote why`." },
);

/** Returns `schemas/promotion.json`, the schema of a pipeline's JSON reports. */
export function promotionReportSchema(): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const title = "Reports of a pipeline of svc";
  const reports = Type.Union([report, whyReport]);
  return JSON.parse(JSON.stringify({ $schema, title, ...reports })) as JsonObject;
}
