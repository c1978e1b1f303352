// The JSON form of every report as a JSON Schema: what programs may rely on, and what tests hold the reports to.
import { Type, type TProperties, type TSchema } from "typebox";
import { diagnosticCodes } from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "./actions.ts";

const closed = { additionalProperties: false } as const;

function said(schema: TSchema, description: string): TSchema {
  return { ...schema, description };
}

function object(properties: TProperties, description: string): TSchema {
  return Type.Object(properties, { ...closed, description });
}

function oneOf(values: readonly string[], description: string): TSchema {
  return { type: "string", enum: [...values], description };
}

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const scope = said(
  Type.Record(text, text),
  "The part of the natural key that says in what the object is.",
);
const direction = oneOf(
  ["unshipped", "drifted", "conflict"],
  "Who moved: the manifests, the server, or both.",
);
const maybe = (schema: TSchema): TSchema => Type.Optional(schema);

const diagnostic = object(
  {
    code: oneOf(Object.keys(diagnosticCodes), "See docs/diagnostics.md."),
    severity: oneOf(["error", "warning", "info"], "Errors stop a plan from being applied."),
    summary: said(text, "One sentence: what is wrong."),
    remedy: maybe(said(text, "What to do about it.")),
    place: maybe(
      object(
        { file: text, line: count, column: count },
        "Where; both count from 1, the file as seen from the current folder.",
      ),
    ),
    path: maybe(said(text, "JSON Pointer inside the document.")),
    address: maybe(said(text, "Kind/name of the document that it is about.")),
  },
  "One finding in manifests, in a plan, or of a policy.",
);

const field = object(
  {
    path: said(text, "JSON Pointer inside the spec."),
    before: maybe(
      said({}, "The live value, or a mask; left out where there is none or it cannot be read."),
    ),
    after: maybe(
      said(
        {},
        "The wished value, or a mask; null clears the field, left out removes an entry of a map.",
      ),
    ),
    base: maybe(
      said({}, "Of a conflict: what was applied last; left out where nothing was, and of secrets."),
    ),
    reason: oneOf(
      ["differs", "absent", "cleared", "fingerprint", "unverified", "lost"],
      "How it is known to differ.",
    ),
    direction,
    replaces: said(Type.Boolean(), "It cannot change on a live object."),
    sensitive: said(Type.Boolean(), "before and after are masks."),
    cause: maybe(
      oneOf(
        ["ignored", "respelt", "changed"],
        "Of what differs after an apply: how that came about.",
      ),
    ),
  },
  "One field that changes.",
);

const change = object(
  {
    action: oneOf(actions, "What happens to the object; none writes only the inventory."),
    address: said(text, "Kind/name in the stack."),
    kind: text,
    name: text,
    key: said(text, "The natural key as text."),
    scope,
    id: maybe(said(text, "The service's id, where there is one.")),
    from: maybe(
      object({ key: text, scope }, "Key and scope of the live object, where they differ."),
    ),
    direction,
    layer: said(count, "Position in the order of creates; deletes run from the highest down."),
    secretTo: maybe(said(text, "The file that gets the secret which the service shows once.")),
    movedTo: maybe(said(text, "Of a forgotten record: the address that has its object now.")),
    released: maybe(said(Type.Boolean(), "Of a forgotten record: its object stays as it is.")),
    protect: maybe(said(Type.Boolean(), "Deletes and replaces of it are refused.")),
    onRemoval: maybe(oneOf(["delete", "orphan"], "What becomes of it once it is not declared.")),
    carriedBy: maybe(said(text, "Address whose delete takes this object with it.")),
    takesAlong: maybe(said(Type.Record(text, count), "Live objects inside that go too, by kind.")),
    blockedBy: said(Type.Array(text), "Addresses or reasons that keep it from being carried out."),
    notVerifiable: said(Type.Array(text), "Fields that the API does not show."),
    fields: Type.Array(field),
  },
  "One action of a plan.",
);

const counts: TProperties = Object.fromEntries(actions.map((action) => [action, count]));
const diagnostics = said(
  Type.Array(diagnostic),
  "Of the manifests, then of the plan, then of policies.",
);

function report(name: string, properties: TProperties, description: string): TSchema {
  const head = {
    format: { const: 1, description: "Grows when a program that reads this would have to change." },
    report: { const: name },
  };
  return object({ ...head, ...properties, diagnostics }, description);
}

const about = {
  stack: said(text, "Name of the stack."),
  origin: said(text, "Origin of the service."),
};

const failure = object(
  {
    code: oneOf(Object.keys(errorCodes), "See docs/errors.md."),
    message: text,
    remedy: maybe(text),
  },
  "Why something failed.",
);

const plan = report(
  "plan",
  {
    ...about,
    summary: object({ ...counts, unchanged: count, blocked: count }, "Changes by action."),
    cost: object(
      { readCalls: count, writeCalls: count, seconds: maybe(count) },
      "Calls taken to read, and needed to write; how long those take at least, where the stack bounds its rate.",
    ),
    notVerified: maybe(
      said(Type.Array(text), "What could not be found out before the first write."),
    ),
    changes: said(Type.Array(change), "In the order in which they are carried out."),
  },
  "What `svc plan` answers.",
);

const apply = report(
  "apply",
  {
    ...about,
    summary: object(
      { ...counts, unchanged: count, failed: count, skipped: count, residual: count },
      "What was done by action, and what was not.",
    ),
    calls: said(count, "Calls that the whole run took."),
    stopped: maybe(said(failure, "Why changes were left untried.")),
    outcomes: Type.Array(
      object(
        {
          address: text,
          action: oneOf(actions, "As in a plan."),
          result: oneOf(["done", "failed", "skipped"], "How it ended."),
          failure: maybe(failure),
        },
        "How one change ended.",
      ),
    ),
    residual: said(Type.Array(change), "What still differs in what was written, read again."),
    unverified: maybe(said(text, "Why what was written could not be read again.")),
  },
  "What `svc apply` answers.",
);

const drift = report(
  "drift",
  {
    ...about,
    summary: object(
      {
        conflict: count,
        drifted: count,
        unshipped: count,
        asDeclared: count,
        unmanaged: maybe(count),
      },
      "Objects by who moved.",
    ),
    cost: object({ readCalls: count }, "Calls taken to read."),
    differences: Type.Array(change),
    unmanaged: maybe(
      said(
        Type.Array(
          object(
            { kind: text, key: said(text, "The natural key as text."), id: maybe(text) },
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
    stack: maybe(about.stack),
    objects: maybe(said(count, "Objects that the stack declares.")),
    digest: maybe(said(text, "Of the wish: the same however it is written.")),
  },
  "What `svc validate-manifests` answers, and any verb where the manifests have mistakes.",
);

const updated = report(
  "update",
  {
    changed: said(
      Type.Record(text, Type.Array(text)),
      "Fields that were written, as JSON Pointers inside the spec, by address.",
    ),
    added: said(Type.Array(text), "Addresses of documents for objects that nobody had declared."),
    files: said(Type.Array(text), "Files that were written, as seen from the current folder."),
  },
  "What `svc export --update` answers.",
);

const exported = report(
  "export",
  {
    summary: object(
      { declared: count, held: count },
      "Objects that are declared, and those that stand as comments since something of them cannot be read.",
    ),
    files: Type.Array(
      object(
        {
          path: said(text, "Relative to the folder of the stack."),
          text: maybe(said(text, "What it holds; left out where it was written.")),
        },
        "One file of manifests.",
      ),
    ),
  },
  "What `svc export` answers.",
);

const views = object(
  {
    field: text,
    declared: maybe(said({}, "What the document says; left out where it says nothing.")),
    lastApplied: maybe(said({}, "What was applied last.")),
    live: maybe(said({}, "What the server has.")),
    hidden: said(Type.Boolean(), "The API does not show it, or not all of it."),
    alike: said(
      Type.Boolean(),
      "What is declared is what was applied last and what is live, as far as the object is there.",
    ),
  },
  "One field, without its secrets.",
);

const explanation = report(
  "why",
  {
    ...about,
    address: said(text, "Kind/name of the object."),
    declared: maybe(
      object(
        {
          place: object({ file: text, line: count, column: count }, "Where its document stands."),
          key: said(text, "The natural key as text."),
          rules: maybe(said({ type: "object" }, "metadata.lifecycle, as it is written.")),
        },
        "Left out where no document declares it.",
      ),
    ),
    owned: maybe(said({ type: "object" }, "What is recorded; left out where the stack has none.")),
    live: maybe(object({ id: maybe(text) }, "Left out where there is no such object.")),
    fields: Type.Array(views),
    change: maybe(change),
    obstacles: said(
      Type.Array(
        object(
          {
            by: said(text, "window, budget, needs, plan, or the code of a diagnostic."),
            why: text,
            remedy: maybe(text),
          },
          "One thing that keeps the change from being carried out.",
        ),
      ),
      "Empty where nothing keeps it.",
    ),
    opens: maybe(said(text, "When windows that keep it now are open: ISO 8601.")),
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
