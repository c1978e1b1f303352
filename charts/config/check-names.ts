// Finds what the configuration of a widget names but its dashboard does not have: widgets in a container, controls of a
// PARENT, and values that a control does not offer.
import { isObject, type JsonValue } from "../../core/json.ts";
import { joinPointer } from "../../core/pointer.ts";
import { controlTypes } from "../../core/spec/chart-config.ts";
import { choicesRemedy, didYouMean, quoted } from "../../core/text/naming.ts";
import type { ConfigProblem } from "../layout/check-layout.ts";
import { heldIds, listOf, textOf, type Widget } from "../layout/widgets.ts";
import { fieldsOf, grainsOf } from "./control-values.ts";
import { filterOperators } from "./controls.ts";
import { filterValue, parentOptionsMost, parentOptionsOf } from "./parent-options.ts";

/** Returns the names in the configuration of a widget that mean nothing among the widgets of its dashboard. */
export function nameProblems(widget: Widget, widgets: readonly Widget[]): readonly ConfigProblem[] {
  const { type, config } = widget;
  if (type === "PARENT") return parentProblems(widget, widgets);
  if (type === "CONTAINER") return heldProblems(widget, widgets);
  const { default: initial } = config;
  return initial === undefined ? [] : valueProblems(widget, initial, "/default");
}

function heldProblems({ config }: Widget, widgets: readonly Widget[]): readonly ConfigProblem[] {
  const ids = new Set(widgets.map(({ id }) => id));
  return heldIds(config)
    .filter((id) => !ids.has(id))
    .map((id) => {
      const message = `holds widget ${id}, which the dashboard does not have`;
      return { path: "", message, remedy: didYouMean(id, ids, quoted) };
    });
}

/** Returns why a control does not take a value. */
function valueProblems(control: Widget, value: JsonValue, path: string): readonly ConfigProblem[] {
  if (value === null || !isChild(control)) return [];
  if (control.type === "FILTER") return filterProblems(value, path);
  const offered = control.type === "FIELD" ? fieldsOf(control) : grainsOf(control);
  if (offered.includes(textOf(value))) return [];
  const remedy = choicesRemedy(textOf(value), offered);
  return [{ path, message: `is not an option of the ${control.type} ${control.id}`, remedy }];
}

function filterProblems(value: JsonValue, path: string): readonly ConfigProblem[] {
  const read = filterValue(value);
  if (read === null) return [];
  if (read === undefined) return [{ path, message: "has no value to compare with" }];
  return operatorProblems(read.operator, `${path}/operator`);
}

/** Returns what is wrong in the operator of a filter. */
export function operatorProblems(operator: string, path: string): readonly ConfigProblem[] {
  if (filterOperators.has(operator)) return [];
  const remedy = didYouMean(operator, filterOperators, quoted);
  return [{ path, message: "is not an operator of filters", remedy }];
}

function parentProblems(parent: Widget, widgets: readonly Widget[]): readonly ConfigProblem[] {
  const { options: declared, default: initial } = parent.config;
  const options = listOf(declared);
  const numbers = `the number of an option, from 0 to ${options.length - 1}`;
  const isNumber = typeof initial !== "number" || initial in options;
  const children = new Map(widgets.filter(isChild).map((one) => [one.id, one]));
  const others = widgets.filter((one) => one.type === "PARENT" && one.id !== parent.id);
  const taken = new Map(
    others.flatMap((one) => childrenOf(one).map((id) => [id, one.id] as const)),
  );
  const family = { children, taken };
  return [
    ...(isNumber ? [] : [{ path: "/default", message: `is not ${numbers}` }]),
    ...(options.length > parentOptionsMost
      ? [{ path: "/options", message: `has more than ${parentOptionsMost} options` }]
      : []),
    ...options
      .slice(0, parentOptionsMost)
      .flatMap((option, index) => optionProblems(option, `/options/${index}`, family)),
  ];
}

interface Family {
  /** The controls of the dashboard by ID. */
  readonly children: ReadonlyMap<string, Widget>;
  /** The IDs of controls that other parents set, and of their parents. */
  readonly taken: ReadonlyMap<string, string>;
}

function optionProblems(
  option: JsonValue,
  path: string,
  { children, taken }: Family,
): readonly ConfigProblem[] {
  if (!isObject(option)) return [];
  const { set = {} } = option;
  if (!isObject(set)) {
    return [{ path: `${path}/set`, message: "must be an object of values by widget ID" }];
  }
  const values = Object.entries(set).map(([id, value = null]) => ({
    id,
    value,
    at: joinPointer(["set", id]),
  }));
  const lists = ["clear", "reset"].flatMap((list) =>
    listOf(option[list]).map((one, index) => ({
      id: textOf(one),
      value: null,
      at: `/${list}/${index}`,
    })),
  );
  return [...values, ...lists].flatMap(({ id, value, at }) => {
    const place = path + at;
    const child = children.get(id);
    if (child === undefined) {
      const message = `names ${id}, which is no control of the dashboard`;
      return [{ path: place, message, remedy: didYouMean(id, children.keys(), quoted) }];
    }
    if (!taken.has(id)) return valueProblems(child, value, place);
    const message = `names ${id}, which the PARENT ${taken.get(id)} sets too`;
    return [{ path: place, message, remedy: "A control has one PARENT." }];
  });
}

function isChild({ type }: Widget): boolean {
  return controlTypes.has(type);
}

function childrenOf(parent: Widget): readonly string[] {
  return parentOptionsOf(parent).flatMap(({ set, clear, reset }) => [
    ...Object.keys(set),
    ...clear,
    ...reset,
  ]);
}
