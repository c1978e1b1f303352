// The JSON report of a pipeline as a JSON Schema: what programs may rely on, and what tests hold the report to.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { reasonCodes } from "./blocked-reasons.ts";
import { Promotion, ManualAction } from "./record.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const enumOf = (...values: readonly string[]) => Type.String({ enum: [...values] });
const causes = enumOf("candidate", "requested", "rollback");
const modes = enumOf("direct", "write");

const step = {
  action: enumOf("start", "move", "revert", "verify", "finish"),
  stage: text,
  version: text,
  cause: Type.Optional(causes),
  each: Type.Optional(
    Type.Record(text, text, {
      description: "By address, of a way back on which objects go to different versions.",
    }),
  ),
  addresses: Type.Optional(Type.Array(text, { description: "What moves, or is verified." })),
};

const stage = Type.Object(
  {
    stage: text,
    enters: Type.String({ description: "What comes in, in words." }),
    objects: count,
    candidate: Type.Optional(Type.String({ description: "The version that would come in next." })),
    step: Type.Optional(Type.Object(step, { ...closed, description: "What may be done at once." })),
    reasons: Type.Array(
      Type.Object(
        {
          code: enumOf(...Object.keys(reasonCodes)),
          message: Type.String({ description: "A sentence." }),
          until: Type.Optional(
            Type.String({ description: "When that is over by itself, ISO 8601." }),
          ),
        },
        closed,
      ),
      { description: "Why the stage does not go on." },
    ),
    hold: Type.Optional(
      Type.Object(
        {
          by: text,
          at: text,
          reason: text,
          version: Type.Optional(
            Type.String({ description: "The one version that the hold lets in." }),
          ),
        },
        closed,
      ),
    ),
    approvals: Type.Array(Type.Object({ version: text, by: text, at: text }, closed), {
      description: "Who has let in versions newer than what runs.",
    }),
    rollout: Type.Optional(
      Type.Object({ version: text, cause: causes, by: text, at: text, mode: modes }, closed),
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
    verification: Type.Optional(enumOf("promotable", "passed", "stale", "failed")),
    verifiedAt: Type.Optional(Type.String({ description: "ISO 8601." })),
    ageMs: Type.Optional(Type.Integer({ description: "Milliseconds since then." })),
    isApproved: Type.Boolean(),
    isCandidate: Type.Boolean(),
    rollout: Type.Optional(enumOf("in-progress", "failed")),
  },
  closed,
);

const report = Type.Object(
  {
    format: Type.Literal(1, {
      description: "Grows when a program that reads this would have to change.",
    }),
    report: Type.Literal("pipeline"),
    pipeline: text,
    stages: Type.Array(stage),
    versions: Type.Array(text, { description: "Newest first." }),
    cells: Type.Array(cell, { description: "By version, then by stage." }),
    omittedVersions: Type.Integer({ minimum: 0, description: "Versions that are not shown." }),
    manualActions: Type.Array(ManualAction, { description: "What people said, the newest first." }),
    history: Type.Array(Promotion, { description: "The newest first." }),
    done: Type.Optional(
      Type.Array(Type.Object({ ...step, passed: Type.Optional(Type.Boolean()) }, closed), {
        description: "What this run did; left out where it only looked.",
      }),
    ),
    diff: Type.Optional(
      Type.String({ description: "What was committed, or would be; empty where nothing was." }),
    ),
  },
  { ...closed, description: "What `svc promote` and `svc promote status` answer." },
);

/** `schemas/promotion.json`: the form of a pipeline's JSON report. */
export function promotionReportSchema(): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const title = "Report of a pipeline of svc";
  return JSON.parse(JSON.stringify({ $schema, title, ...report })) as JsonObject;
}
