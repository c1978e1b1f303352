// The JSON form of every report as a JSON Schema: what programs may rely on, and what tests hold the reports to.
import { Type, type TProperties, type TSchema } from "typebox";
import { diagnosticCodes } from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "./actions.ts";

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
const scope = described(
  Type.Record(text, text),
  "The part of the natural key that says in what the object is.",
);
const direction = enumOf(
  ["pending", "drifted", "conflict"],
  "Who moved: the manifests, the server, or both.",
);
const optional = (schema: TSchema): TSchema => Type.Optional(schema);

const diagnostic = strictObject(
  {
    code: enumOf(Object.keys(diagnosticCodes), "See docs/reference/diagnostics.md."),
    severity: enumOf(["error", "warning", "info"], "Errors stop a plan from being applied."),
    summary: described(text, "One sentence: what is wrong."),
    remedy: optional(described(text, "What to do about it.")),
    place: optional(
      strictObject(
        { file: text, line: count, column: count },
        "Where; both count from 1, the file as seen from the current folder.",
      ),
    ),
    path: optional(described(text, "JSON Pointer inside the document.")),
    address: optional(described(text, "Kind/name of the document that it is about.")),
  },
  "One finding in manifests, in a plan, or of a policy.",
);

const field = strictObject(
  {
    path: described(text, "JSON Pointer inside the spec."),
    before: optional(
      described(
        {},
        "The live value, or a mask; left out where there is none or it cannot be read.",
      ),
    ),
    after: optional(
      described(
        {},
        "The wished value, or a mask; null clears the field, left out removes an entry of a map.",
      ),
    ),
    base: optional(
      described(
        {},
        "Of a conflict: what was applied last; left out where nothing was, and of secrets.",
      ),
    ),
    reason: enumOf(
      ["differs", "absent", "cleared", "fingerprint", "unverified", "reference-replaced"],
      "How it is known to differ.",
    ),
    direction,
    replaces: described(Type.Boolean(), "It cannot change on a live object."),
    sensitive: described(Type.Boolean(), "before and after are masks."),
    cause: optional(
      enumOf(
        ["ignored", "respelt", "changed"],
        "Of what differs after an apply: how that came about.",
      ),
    ),
  },
  "One field that changes.",
);

const change = strictObject(
  {
    action: enumOf(actions, "What happens to the object; none writes only the inventory."),
    address: described(text, "Kind/name in the stack."),
    kind: text,
    name: text,
    key: described(text, "The natural key as text."),
    scope,
    id: optional(described(text, "The service's id, where there is one.")),
    from: optional(
      strictObject({ key: text, scope }, "Key and scope of the live object, where they differ."),
    ),
    direction,
    layer: described(count, "Position in the order of creates; deletes run from the highest down."),
    secretTo: optional(
      described(text, "The file that gets the secret which the service shows once."),
    ),
    movedTo: optional(
      described(text, "Of a forgotten record: the address that has its object now."),
    ),
    released: optional(
      described(Type.Boolean(), "Of a forgotten record: its object stays as it is."),
    ),
    protect: optional(described(Type.Boolean(), "Deletes and replaces of it are refused.")),
    onRemoval: optional(
      enumOf(["delete", "orphan"], "What becomes of it once it is not declared."),
    ),
    carriedBy: optional(described(text, "Address whose delete takes this object with it.")),
    takesAlong: optional(
      described(Type.Record(text, count), "Live objects inside that go too, by kind."),
    ),
    blockedBy: described(
      Type.Array(text),
      "Addresses or reasons that keep it from being carried out.",
    ),
    notVerifiable: described(Type.Array(text), "Fields that the API does not show."),
    fields: Type.Array(field),
  },
  "One action of a plan.",
);

const counts: TProperties = Object.fromEntries(actions.map((action) => [action, count]));
const diagnostics = described(
  Type.Array(diagnostic),
  "Of the manifests, then of the plan, then of policies.",
);

function report(name: string, properties: TProperties, description: string): TSchema {
  const head = {
    format: { const: 1, description: "Grows when a program that reads this would have to change." },
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

const plan = report(
  "plan",
  {
    ...stackFields,
    summary: strictObject({ ...counts, unchanged: count, blocked: count }, "Changes by action."),
    cost: strictObject(
      { readCalls: count, writeCalls: count, seconds: optional(count) },
      "Calls taken to read, and needed to write; how long those take at least, where the stack bounds its rate.",
    ),
    notVerified: optional(
      described(Type.Array(text), "What could not be found out before the first write."),
    ),
    changes: described(Type.Array(change), "In the order in which they are carried out."),
  },
  "What `svc plan` answers.",
);

const apply = report(
  "apply",
  {
    ...stackFields,
    summary: strictObject(
      { ...counts, unchanged: count, failed: count, skipped: count, residual: count },
      "What was done by action, and what was not.",
    ),
    calls: described(count, "Calls that the whole run took."),
    stopped: optional(described(failure, "Why changes were left untried.")),
    outcomes: Type.Array(
      strictObject(
        {
          address: text,
          action: enumOf(actions, "As in a plan."),
          result: enumOf(["done", "failed", "skipped"], "How it ended."),
          failure: optional(failure),
        },
        "How one change ended.",
      ),
    ),
    residual: described(Type.Array(change), "What still differs in what was written, read again."),
    unverified: optional(described(text, "Why what was written could not be read again.")),
  },
  "What `svc apply` answers.",
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
        asDeclared: count,
        unmanaged: optional(count),
      },
      "Objects by who moved.",
    ),
    cost: strictObject({ readCalls: count }, "Calls taken to read."),
    differences: Type.Array(change),
    unmanaged: optional(
      described(
        Type.Array(
          strictObject(
            { kind: text, key: described(text, "The natural key as text."), id: optional(text) },
            "One live object.",
          ),
        ),
        "What exists that nobody declared, where that was asked.",
      ),
    ),
  },
  "What `svc drift` answers.",
);

const manifests = report(
  "manifests",
  {
    valid: Type.Boolean(),
    stack: optional(stackFields.stack),
    objects: optional(described(count, "Objects that the stack declares.")),
    digest: optional(described(text, "Of the wish: the same however it is written.")),
  },
  "What `svc validate-manifests` answers, and any verb where the manifests have mistakes.",
);

const updated = report(
  "update",
  {
    changed: described(
      Type.Record(text, Type.Array(text)),
      "Fields that were written, as JSON Pointers inside the spec, by address.",
    ),
    added: described(
      Type.Array(text),
      "Addresses of documents for objects that nobody had declared.",
    ),
    files: described(Type.Array(text), "Files that were written, as seen from the current folder."),
  },
  "What `svc export --update` answers.",
);

const exported = report(
  "export",
  {
    summary: strictObject(
      { declared: count, held: count },
      "Objects that are declared, and those that stand as comments since something of them cannot be read.",
    ),
    files: Type.Array(
      strictObject(
        {
          path: described(text, "Relative to the folder of the stack."),
          text: optional(described(text, "What it holds; left out where it was written.")),
        },
        "One file of manifests.",
      ),
    ),
  },
  "What `svc export` answers.",
);

const views = strictObject(
  {
    field: text,
    declared: optional(described({}, "What the document says; left out where it says nothing.")),
    lastApplied: optional(described({}, "What was applied last.")),
    live: optional(described({}, "What the server has.")),
    hidden: described(Type.Boolean(), "The API does not show it, or not all of it."),
    inSync: described(
      Type.Boolean(),
      "What is declared is what was applied last and what is live, as far as the object is there.",
    ),
  },
  "One field, without its secrets.",
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
            "Where its document stands.",
          ),
          key: described(text, "The natural key as text."),
          rules: optional(described({ type: "object" }, "metadata.lifecycle, as it is written.")),
        },
        "Left out where no document declares it.",
      ),
    ),
    owned: optional(
      described({ type: "object" }, "What is recorded; left out where the stack has none."),
    ),
    live: optional(strictObject({ id: optional(text) }, "Left out where there is no such object.")),
    fields: Type.Array(views),
    change: optional(change),
    obstacles: described(
      Type.Array(
        strictObject(
          {
            by: described(text, "window, budget, needs, plan, or the code of a diagnostic."),
            why: text,
            remedy: optional(text),
          },
          "One thing that keeps the change from being carried out.",
        ),
      ),
      "Empty where nothing keeps it.",
    ),
    opens: optional(described(text, "When windows that keep it now are open: ISO 8601.")),
  },
  "What `svc why` answers.",
);

/** `schemas/report.json`: any report. What a run answers that failed, or that nobody confirmed, is no report: see failure-schema.ts. */
export function reportSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A report of svc",
    oneOf: [plan, apply, drift, manifests, exported, updated, explanation],
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
