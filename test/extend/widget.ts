// Declares a sample area and two kinds with only what an extension may use: operations, handlers and declarations.
import { Type, type Static } from "typebox";
import { Failure } from "../../core/errors.ts";
import { defineKind, type Kind, defineObserve } from "../../core/kind/kind.ts";
import { defineOperation } from "../../core/operation/operation.ts";
import { field, oneOf } from "../../core/schema/traits.ts";
import {
  handle,
  type OperationHandler,
  handleList,
  omitNullish,
} from "../../service/areas/shared/operation-handler.ts";
import { spec as description } from "../../service/areas/spec/index.ts";

const area = {
  area: "widgets",
  source: "proposed",
  permission: { action: "All", scope: "account" },
} as const;
const Name = Type.String({ minLength: 1, maxLength: 30 });
const Labels = Type.Record(Type.String(), Name);
const Form = Type.Object(
  { material: Type.Optional(Name), sides: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);

/** The members of a widget in requests; responses never contain the password. */
const writableMembers = {
  size: Type.Optional(Type.Integer()),
  note: Type.Optional(Type.Union([Name, Type.Null()])),
  colour: Type.Optional(Name),
  tags: Type.Optional(Type.Array(Name)),
  form: Type.Optional(Form),
  labels: Type.Optional(Labels),
};
const closedObject = { additionalProperties: false };
const Widget = Type.Object(
  { id: Type.Integer(), name: Name, grade: Name, ...writableMembers },
  closedObject,
);
const secret = { password: Type.Optional(Name) };
const NewWidget = Type.Object(
  { name: Name, grade: Name, ...writableMembers, ...secret },
  closedObject,
);
const WidgetUpdate = Type.Object(
  { name: Type.Optional(Name), ...writableMembers, ...secret },
  closedObject,
);
const ById = Type.Object({ id: Type.Integer() }, closedObject);

const listWidgets = defineOperation({
  ...area,
  id: "listWidgets",
  method: "GET",
  path: "/api/v1/widgets",
  summary: "List widgets",
  effect: "read",
  answer: Widget,
  list: "cursor",
});

const createWidget = defineOperation({
  ...area,
  id: "createWidget",
  method: "POST",
  path: "/api/v1/widgets",
  summary: "Make a widget",
  effect: "write",
  body: NewWidget,
  status: 201,
  answer: Widget,
});

const updateWidget = defineOperation({
  ...area,
  id: "updateWidget",
  method: "PATCH",
  path: "/api/v1/widgets/{id}",
  summary: "Change a widget",
  effect: "write",
  params: ById,
  body: WidgetUpdate,
  answer: Widget,
});

const deleteWidget = defineOperation({
  ...area,
  id: "deleteWidget",
  method: "DELETE",
  path: "/api/v1/widgets/{id}",
  summary: "Delete a widget",
  effect: "write",
  params: ById,
});

/** An operation that is declared, but that no server offers. */
const clearWidget = defineOperation({
  ...area,
  id: "clearWidget",
  method: "POST",
  path: "/api/v1/widgets/{id}/clear",
  summary: "Clear a widget's note",
  effect: "write",
  params: ById,
});

/** The operations of the area that the server offers. */
export const operations = [listWidgets, createWidget, updateWidget, deleteWidget];

type Stored = Static<typeof Widget> & { password?: string };

/** The area, with its own storage. */
export interface WidgetArea {
  readonly handlers: readonly OperationHandler[];
  /** The stored widgets, including passwords. */
  readonly widgets: Map<number, Stored>;
}

/** Creates an empty area. */
export function widgetArea(): WidgetArea {
  const stored = new Map<number, Stored>();
  let last = 0;
  const shown = ({ password: _, note, ...rest }: Stored) => ({ ...rest, ...omitNullish({ note }) });
  const find = (id: number): Stored => {
    const found = stored.get(id);
    if (!found) throw new Failure("not_found", `there is no widget ${id}`);
    return found;
  };
  const refuseTaken = (name: string | undefined, id?: number): void => {
    for (const one of stored.values()) {
      if (one.name === name && one.id !== id) throw new Failure("conflict", `${name} is taken`);
    }
  };
  const put = (widget: Stored): Static<typeof Widget> => {
    stored.set(widget.id, widget);
    return shown(widget);
  };
  return {
    widgets: stored,
    handlers: [
      handleList(listWidgets, async () => ({
        items: [...stored.values()].map(shown),
        pageInfo: { hasNextPage: false, hasPreviousPage: false },
      })),
      handle(createWidget, async ({ body }) => {
        refuseTaken(body.name);
        return put({ colour: "grey", ...body, id: ++last });
      }),
      handle(updateWidget, async ({ params, body }) => {
        refuseTaken(body.name, params.id);
        return put({ ...find(params.id), ...body });
      }),
      handle(deleteWidget, async ({ params }) => {
        stored.delete(find(params.id).id);
      }),
      ...description,
    ],
  };
}

const fields = {
  name: field(Name, { doc: "Name; a change renames it." }),
  grade: field(oneOf(["fine", "coarse"]), { doc: "Grade.", onChange: "replace" }),
  size: Type.Optional(
    field(Type.Integer({ default: 3 }), { doc: "Size.", whenOmitted: "default" }),
  ),
  note: Type.Optional(field(Name, { doc: "Note.", whenOmitted: "clear" })),
  colour: Type.Optional(field(Name, { doc: "Colour.", serverChosen: true })),
  tags: Type.Optional(field(Type.Array(Name), { doc: "Tags.", order: "set" })),
  form: Type.Optional(field(Form, { doc: "Form." })),
  labels: Type.Optional(field(Labels, { doc: "Labels." })),
  password: Type.Optional(
    field(Name, { doc: "Password.", sensitive: true, writeOnly: true, neverCleared: true }),
  ),
};

const observe = defineObserve<Static<typeof Widget>>({
  cost: "list",
  needs: [listWidgets],
  read: async (reader) => {
    const items = await reader.all(listWidgets, {});
    return items.map(({ id, ...spec }) => ({ id: String(id), spec, status: { id } }));
  },
});

const common = {
  shape: "item",
  key: ["name"],
  scope: [],
  spec: Type.Object(fields),
  status: Type.Object({ id: Type.Integer() }),
  examples: [],
} as const;

/** A kind with every verb. */
export const widget: Kind = defineKind(
  {
    ...common,
    key: ["name"],
    scope: [],
    examples: [],
    name: "Widget",
    plural: "widgets",
    doc: "A throw-away thing.",
  },
  (binding) => ({
    observe,
    create: [binding.perObject(createWidget, ({ spec }) => ({ body: spec }))],
    update: [
      binding.perObject(updateWidget, ({ spec, live, changed }) => ({
        params: { id: Number(live?.id) },
        body: Object.fromEntries(Object.entries(spec).filter(([name]) => changed.has(name))),
      })),
    ],
    delete: [binding.perObject(deleteWidget, ({ live }) => ({ params: { id: Number(live?.id) } }))],
  }),
);

/** The same objects on a server without operations that clear a note or delete. */
export const relic: Kind = defineKind(
  {
    ...common,
    key: ["name"],
    scope: [],
    examples: [],
    name: "Relic",
    plural: "relics",
    doc: "A thing that stays.",
    unsupported: { delete: "relics stay" },
  },
  (binding) => ({
    observe,
    create: [binding.perObject(createWidget, ({ spec }) => ({ body: spec }))],
    update: [
      binding.perObject(
        updateWidget,
        ({ spec, live, changed }) => ({
          params: { id: Number(live?.id) },
          body: Object.fromEntries(Object.entries(spec).filter(([name]) => changed.has(name))),
        }),
        { cannotClear: ["note"] },
      ),
      binding.perObject(clearWidget, ({ live }) => ({ params: { id: Number(live?.id) } }), {
        covers: ["note"],
      }),
    ],
    delete: [],
  }),
);
