// Declares sample kinds that together have every trait, so that laws are tested on traits and not only on the existing
// kinds.
import { Type } from "typebox";
import { defineKind, type Kind, defineObserve, type BindingBuilder } from "../../core/kind/kind.ts";
import { defineOperation } from "../../core/operation/operation.ts";
import { field, oneOf } from "../../core/schema/traits.ts";

const common = {
  area: "samples",
  source: "proposed",
  permission: { action: "All", scope: "account" },
} as const;
const Name = Type.String({ minLength: 1, maxLength: 30 });

const listSamples = defineOperation({
  ...common,
  id: "listSamples",
  method: "GET",
  path: "/api/v1/samples",
  summary: "List samples",
  effect: "read",
  answer: Type.Object({ name: Name }),
  list: "cursor",
});

const createSample = defineOperation({
  ...common,
  id: "createSample",
  method: "POST",
  path: "/api/v1/samples",
  summary: "Create a sample",
  effect: "write",
  body: Type.Object({}),
});

const sampleBindings = (binding: BindingBuilder<unknown>) => ({
  observe: defineObserve({ cost: "list", needs: [listSamples], read: async () => [] }),
  create: [binding.perObject(createSample, () => ({ body: {} }))],
  update: [],
  delete: [],
});

/** A kind with every trait, on fields of every form. */
export const everyTrait: Kind = defineKind(
  {
    name: "EveryTrait",
    plural: "every-traits",
    doc: "A throw-away kind.",
    shape: "item",
    key: ["parent", "name", "number", "flag"],
    scope: ["parent", "number"],
    spec: Type.Object({
      parent: field(Name, { doc: "Parent.", refersTo: "Plain", onChange: "replace" }),
      name: field(Type.String({ maxLength: 30 }), { doc: "Name.", onChange: "replace" }),
      number: field(Type.Integer(), { doc: "Number.", onChange: "replace" }),
      flag: field(Type.Boolean(), { doc: "Flag.", onChange: "replace" }),
      kept: Type.Optional(field(Name, { doc: "Kept." })),
      cleared: Type.Optional(field(Name, { doc: "Cleared.", whenOmitted: "clear" })),
      defaulted: Type.Optional(
        field(oneOf(["red", "green"]), { doc: "Defaulted.", whenOmitted: "default" }),
      ),
      ratio: Type.Optional(
        field(Type.Number({ default: 0.5, minimum: 0, maximum: 1 }), {
          doc: "Defaulted with a value.",
          whenOmitted: "default",
        }),
      ),
      lasting: Type.Optional(field(Name, { doc: "Never cleared.", neverCleared: true })),
      chosen: Type.Optional(field(Name, { doc: "Server chosen.", serverChosen: true })),
      secret: Type.Optional(field(Name, { doc: "Secret.", sensitive: true })),
      password: Type.Optional(
        field(Name, { doc: "Secret that cannot be read.", sensitive: true, writeOnly: true }),
      ),
      unread: Type.Optional(
        field(Type.Array(Name), { doc: "Cannot be read.", writeOnly: true, order: "set" }),
      ),
      masked: Type.Optional(
        field(Name, {
          doc: "Masked by name.",
          maskedWhen: { field: "name", contains: ["SECRET"] },
        }),
      ),
      spelt: Type.Optional(
        field(Type.String({ maxLength: 30 }), { doc: "Spelt.", canonicalPattern: "^v*([^v]*)$" }),
      ),
      tags: Type.Optional(field(Type.Array(Name), { doc: "A set.", order: "set" })),
      numbers: Type.Optional(
        field(Type.Array(Type.Number({ minimum: -50, maximum: 50 })), {
          doc: "A set of numbers.",
          order: "set",
        }),
      ),
      steps: Type.Optional(field(Type.Array(Name), { doc: "A list.", order: "list" })),
      labels: Type.Optional(field(Type.Record(Type.String(), Name), { doc: "A map." })),
      extras: Type.Optional(
        field(Type.Record(Type.String(), Type.Unknown()), { doc: "A map of any values." }),
      ),
      secrets: Type.Optional(
        field(
          Type.Record(
            Type.String(),
            Type.Object(
              {
                value: field(Name, { doc: "Value.", sensitive: true, writeOnly: true }),
                note: Type.Optional(field(Name, { doc: "Note." })),
              },
              { additionalProperties: false },
            ),
          ),
          { doc: "A map with what cannot be read in it." },
        ),
      ),
      nested: Type.Optional(
        field(
          Type.Object(
            {
              inner: Type.Optional(field(Name, { doc: "Inner." })),
              fixed: Type.Optional(field(Type.Integer(), { doc: "Fixed.", onChange: "replace" })),
              colours: Type.Optional(
                field(Type.Array(oneOf(["red", "green", "blue"])), { doc: "Set.", order: "set" }),
              ),
            },
            { additionalProperties: false },
          ),
          { doc: "Nested." },
        ),
      ),
      friends: Type.Optional(
        field(Type.Array(Name), {
          doc: "References.",
          order: "set",
          refersTo: "Plain",
          within: { parent: "parent" },
        }),
      ),
      roles: Type.Optional(
        field(Type.Record(Type.String(), Name), { doc: "References by role.", refersTo: "Plain" }),
      ),
      free: Type.Optional(field(Type.Unknown(), { doc: "Anything.", deprecated: "use labels" })),
    }),
    status: Type.Object({ id: Type.Integer() }),
    examples: [],
  },
  sampleBindings,
);

/** A minimal kind. */
export const plain: Kind = defineKind(
  {
    name: "Plain",
    plural: "plains",
    doc: "A throw-away kind.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({ name: field(Name, { doc: "Name.", onChange: "replace" }) }),
    status: Type.Object({}),
    examples: [],
  },
  sampleBindings,
);

/** The kinds for which the laws are checked. */
export const sampleKinds: readonly Kind[] = [everyTrait, plain];
