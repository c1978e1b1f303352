// JSON Schema of every report.
import { Type, type TProperties, type TSchema } from "typebox";
import { diagnosticSchema } from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "../model/actions.ts";
import { driftedChangeSchema, reportedChangeSchema } from "../model/change.ts";

const closed = { additionalProperties: false } as const;

function described(schema: TSchema, description: string): TSchema {
  return { ...schema, description };
}

function strictObject(properties: TProperties, description: string): TSchema {
  return Type.Object(properties, { ...closed, description });
}

function enumOf(values: readonly string[], description: string): TSchema {
  return { type: "string", enum: [...values], description };
}

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const optional = (schema: TSchema): TSchema => Type.Optional(schema);

const counts: TProperties = Object.fromEntries(actions.map((action) => [action, count]));
const diagnostics = described(
  Type.Array(diagnosticSchema),
  "From the manifests, then the plan, then policies.",
);

function report(name: string, properties: TProperties, description: string): TSchema {
  const head = {
    format: { const: 1, description: "Increases with every incompatible change of the format." },
    report: { const: name },
  };
  return strictObject({ ...head, ...properties, diagnostics }, description);
}

const stackFields = {
  stack: described(text, "Name of the stack."),
  origin: described(text, "Origin of the service."),
};

const failure = strictObject(
  {
    code: enumOf(Object.keys(errorCodes), "See docs/reference/errors.md."),
    message: text,
    remedy: optional(text),
  },
  "Why something failed.",
);

/** A plan, as `svc plan --json` prints it. */
export const planReportSchema = report(
  "plan",
  {
    ...stackFields,
    summary: strictObject(
      {
        ...counts,
        unchanged: count,
        conflicts: described(
          count,
          "Changes that overwrite what changed on the server since the last apply.",
        ),
        blocked: count,
      },
      "Changes by action.",
    ),
    cost: strictObject(
      {
        readCalls: count,
        writeCalls: count,
        applyCalls: optional(count),
        seconds: optional(count),
      },
      "Calls made to read and needed to write, and the minimum seconds under the rate limit of " +
        "the stack.",
    ),
    notChecked: optional(
      described(Type.Array(text), "What could not be checked before the first write."),
    ),
    advice: optional(described(text, "How to keep the objects whose documents were removed.")),
    changes: described(Type.Array(reportedChangeSchema), "In the order of execution."),
    held: optional(
      strictObject(
        {
          plan: described(text, "Id of the plan, for svc controller approve."),
          deletes: described(count, "Deletes and replacements, with cascades."),
        },
        "Set by `svc controller plan` if the controller holds the plan until it is approved.",
      ),
    ),
  },
  "Result of `svc plan` and `svc controller plan`.",
);

const apply = report(
  "apply",
  {
    ...stackFields,
    summary: strictObject(
      { ...counts, unchanged: count, failed: count, skipped: count, residual: count },
      "Completed changes by action, and those not completed.",
    ),
    calls: described(count, "Calls of the whole run, with reads and those that record it."),
    writeCalls: described(count, "Calls that wrote objects, which the plan estimates."),
    stopped: optional(described(failure, "Why changes were not attempted.")),
    outcomes: Type.Array(
      strictObject(
        {
          address: text,
          action: enumOf(actions, "Same as in a plan."),
          result: enumOf(["done", "failed", "skipped"], "Result of the change."),
          partial: optional(
            described(
              Type.Literal(true),
              "Of a failed change: a part was written, such as the delete of a replacement.",
            ),
          ),
          failure: optional(failure),
        },
        "Result of one change.",
      ),
    ),
    residual: described(
      Type.Array(reportedChangeSchema),
      "Differences found when the written objects were read back.",
    ),
    unverified: optional(described(text, "Why the written objects could not be read back.")),
    unrecorded: optional(
      described(failure, "Why the inventory could not be updated after the changes."),
    ),
  },
  "Result of `svc apply`.",
);

const drift = report(
  "drift",
  {
    ...stackFields,
    summary: strictObject(
      {
        conflict: count,
        drifted: count,
        pending: count,
        inSync: count,
        unmanaged: optional(count),
      },
      "Objects by direction.",
    ),
    cost: strictObject({ readCalls: count }, "Calls made to read."),
    differences: Type.Array(driftedChangeSchema),
    unmanaged: optional(
      described(
        Type.Array(
          strictObject(
            { kind: text, key: described(text, "Natural key as text."), id: optional(text) },
            "One live object.",
          ),
        ),
        "Undeclared objects, if requested.",
      ),
    ),
  },
  "Result of `svc drift`.",
);

const manifests = report(
  "manifests",
  {
    valid: Type.Boolean(),
    stack: optional(stackFields.stack),
    objects: optional(described(count, "Objects that the stack declares.")),
    digest: optional(described(text, "Digest of the desired state, independent of formatting.")),
  },
  "Result of `svc lint`, and of any command if the manifests have errors.",
);

const updated = report(
  "update",
  {
    changed: described(
      Type.Record(text, Type.Array(text)),
      "Updated fields, as JSON Pointers within the spec, by address.",
    ),
    added: described(Type.Array(text), "Addresses of documents added for undeclared objects."),
    files: described(Type.Array(text), "Written files, relative to the current folder."),
  },
  "Result of `svc export --update`.",
);

const exported = report(
  "export",
  {
    summary: strictObject(
      { declared: count, incomplete: count },
      "Objects with a document, and those written as comments because part of them cannot be read.",
    ),
    files: Type.Array(
      strictObject(
        {
          path: described(text, "Relative to the folder of the stack."),
          text: optional(described(text, "Content; missing if the file was written.")),
        },
        "One file of manifests.",
      ),
    ),
  },
  "Result of `svc export`.",
);

const views = strictObject(
  {
    field: text,
    declared: optional(described({}, "Declared value; missing if undeclared.")),
    lastApplied: optional(described({}, "Last applied value.")),
    live: optional(described({}, "Live value.")),
    hidden: described(Type.Boolean(), "The API does not always return it completely."),
    unverified: described(
      Type.Boolean(),
      "The API does not return it for this object, so that a change on the server is not seen.",
    ),
    inSync: described(
      Type.Boolean(),
      "True if the declared, last applied and live values agree, as far as they exist.",
    ),
  },
  "One field, without secrets.",
);

const explanation = report(
  "why",
  {
    ...stackFields,
    address: described(text, "Kind/name of the object."),
    declared: optional(
      strictObject(
        {
          place: strictObject(
            { file: text, line: count, column: count },
            "Position of its document.",
          ),
          key: described(text, "Natural key as text."),
          rules: optional(described({ type: "object" }, "metadata.lifecycle as written.")),
        },
        "Missing if no document declares it.",
      ),
    ),
    owned: optional(
      described(
        { type: "object" },
        "Inventory entry; missing if the stack does not own the object.",
      ),
    ),
    live: optional(strictObject({ id: optional(text) }, "Missing if the object does not exist.")),
    fields: Type.Array(views),
    change: optional(reportedChangeSchema),
    obstacles: described(
      Type.Array(
        strictObject(
          {
            code: described(
              text,
              "window, delete-limit, dependency, plan, or the code of a diagnostic.",
            ),
            reason: text,
            remedy: optional(text),
          },
          "One reason why the change is blocked.",
        ),
      ),
      "Empty if nothing blocks the change.",
    ),
    opensAt: optional(described(text, "When the blocking maintenance windows open: ISO 8601.")),
  },
  "Result of `svc why`.",
);

const stacks = strictObject(
  {
    format: { const: 1, description: "Increases with every incompatible change of the format." },
    report: { const: "stacks" },
    stacks: described(
      Type.Array(
        strictObject(
          {
            path: described(text, "Path of the stack, as it was named."),
            exitCode: optional(described(count, "Absent for a stack that was not run.")),
            result: optional(
              described(Type.Unknown(), "What the command prints for this stack alone."),
            ),
          },
          "One stack.",
        ),
      ),
      "In the order of the arguments.",
    ),
  },
  "Result of `svc plan`, `apply`, `drift` or `lint` with several stacks.",
);

/**
 * JSON Schema of reports, published as `schemas/report.json`. Failed and unconfirmed commands use
 * failure-schema.ts.
 */
export function reportSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A report of svc",
    oneOf: [planReportSchema, apply, drift, manifests, exported, updated, explanation, stacks],
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
