// Declares sample kinds for tests of the lifecycle: widgets on racks, created one by one, or many in one call by a maker.
import { type Static, Type } from "typebox";
import {
  defineKind,
  type Prerequisite,
  type Kind,
  type ObjectWrite,
  defineObserve,
  type Binding,
  type BindingBuilder,
} from "../../core/kind/kind.ts";
import { defineOperation } from "../../core/operation/operation.ts";
import { field } from "../../core/schema/traits.ts";

const common = {
  area: "widgets",
  source: "proposed",
  permission: { action: "All", scope: "account" },
} as const;
const rackPath = Type.Object({ rack: Type.String() });
const widgetPath = Type.Object({ rack: Type.String(), id: Type.Integer() });
const Widget = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  size: Type.Optional(Type.Integer()),
  colour: Type.Optional(Type.String()),
});
/** Path of the widgets of a rack. */
export const widgetsPath = "/api/v1/racks/{rack}/widgets";
const read = { ...common, method: "GET", effect: "read" } as const;
const write = { ...common, effect: "write" } as const;

/** The operation `listWidgets`. */
export const listWidgets = defineOperation({
  ...read,
  id: "listWidgets",
  path: widgetsPath,
  summary: "List widgets",
  params: rackPath,
  answer: Widget,
  list: "cursor",
});
/** The operation `listMakers`. */
export const listMakers = defineOperation({
  ...read,
  area: "makers",
  id: "listMakers",
  path: "/api/v1/makers",
  summary: "List makers",
  answer: Type.Object({ id: Type.Integer() }),
  list: "array",
});
/** The operation `getWidget`. */
export const getWidget = defineOperation({
  ...read,
  id: "getWidget",
  path: `${widgetsPath}/{id}`,
  summary: "Get a widget",
  params: widgetPath,
  answer: Widget,
});
/** The operation `createWidget`. */
export const createWidget = defineOperation({
  ...write,
  id: "createWidget",
  method: "POST",
  path: widgetsPath,
  summary: "Create a widget",
  params: rackPath,
  body: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }),
  answer: Widget,
});
const defineWidgets = defineOperation({
  ...write,
  id: "defineWidgets",
  method: "POST",
  path: "/api/v1/definitions",
  summary: "Define widgets",
  repeatable: true,
  body: Type.Object({
    rack: Type.String(),
    maker: Type.Integer(),
    widgets: Type.Array(Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) })),
  }),
});
const resizeWidget = defineOperation({
  ...write,
  id: "resizeWidget",
  method: "PATCH",
  path: `${widgetsPath}/{id}`,
  summary: "Resize a widget",
  params: widgetPath,
  body: Type.Object({ size: Type.Union([Type.Integer(), Type.Null()]) }),
  answer: Widget,
});
/** The operation `paintWidget`. */
export const paintWidget = defineOperation({
  ...write,
  id: "paintWidget",
  method: "PUT",
  path: `${widgetsPath}/{id}/colour`,
  summary: "Paint a widget",
  params: widgetPath,
  body: Type.Object({ colour: Type.String() }),
  answer: Widget,
});
const deleteWidget = defineOperation({
  ...write,
  id: "deleteWidget",
  method: "DELETE",
  path: `${widgetsPath}/{id}`,
  summary: "Delete a widget",
  params: widgetPath,
});

/** The prerequisite for defining widgets: the id of their maker. */
export const maker: Prerequisite<number> = {
  operation: listMakers,
  read: async (reader) => (await reader.all(listMakers, {}))[0]?.id,
  missingMessage: "defining widgets needs a maker: create one first",
};

const Spec = Type.Object({
  rack: field(Type.String(), { doc: "Rack." }),
  name: field(Type.String(), { doc: "Name." }),
  size: Type.Optional(field(Type.Integer(), { doc: "Size.", whenOmitted: "clear" })),
  colour: Type.Optional(field(Type.String(), { doc: "Colour." })),
});

type Spec = Static<typeof Spec>;

/** Returns the path parameters of an existing widget. */
function widgetParams({ spec, live }: ObjectWrite<Spec>) {
  return { params: { rack: spec.rack, id: Number(live?.id) } };
}

/** Creates each widget with a separate call, with all fields that a create can set. */
function createEach(binding: BindingBuilder<Spec>): Binding {
  return binding.perObject(
    createWidget,
    ({ spec: { rack: backend, name, size } }) => ({
      params: { rack: backend },
      body: size === undefined ? { name } : { name, size },
    }),
    { covers: ["rack", "name", "size"] },
  );
}

/** Defines up to eight widgets of a rack with one call. */
function createBulk(binding: BindingBuilder<Spec>): Binding {
  return binding.batched(
    defineWidgets,
    { groupBy: ["rack"], max: 8, prerequisite: maker, covers: ["rack", "name", "size"] },
    (subjects, fact) => ({
      body: {
        rack: subjects[0]?.spec.rack ?? "",
        maker: fact,
        widgets: subjects.map(({ spec: { name, size } }) =>
          size === undefined ? { name } : { name, size },
        ),
      },
    }),
  );
}

const observeWidgets = defineObserve({
  cost: "perParent",
  needs: [listWidgets],
  read: async (reader, scope) => {
    const backend = scope["rack"] ?? "";
    const items = await reader.all(listWidgets, { params: { rack: backend } });
    return items.map(({ id, ...spec }) => ({
      id: String(id),
      spec: { rack: backend, ...spec },
      status: { id },
    }));
  },
});

function widgetKind(create: (binding: BindingBuilder<Spec>) => Binding): Kind {
  return defineKind(
    {
      name: "Widget",
      plural: "widgets",
      doc: "A widget.",
      shape: "item",
      key: ["rack", "name"],
      scope: ["rack"],
      spec: Spec,
      status: Type.Object({ id: Type.Integer() }),
      examples: [],
    },
    (binding) => ({
      observe: observeWidgets,
      create: [create(binding)],
      update: [
        binding.perObject(
          resizeWidget,
          (one) => ({ ...widgetParams(one), body: { size: one.spec.size ?? null } }),
          {
            covers: ["size"],
          },
        ),
        binding.perObject(
          paintWidget,
          (one) => ({ ...widgetParams(one), body: { colour: one.spec.colour ?? "" } }),
          {
            covers: ["colour"],
          },
        ),
      ],
      delete: [binding.perObject(deleteWidget, widgetParams)],
    }),
  );
}

/** Widgets that are created one by one. */
export const singleKind = widgetKind(createEach);
/** Widgets that one call defines in bulk. */
export const bulkKind = widgetKind(createBulk);
