// What a PARENT does to other controls, and the values that controls are given. Pure.
import { canonical, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { controlMember } from "../../core/spec/chart-config.ts";
import { listOf, textOf, type Widget } from "../layout/widgets.ts";
import type { Controls } from "./controls.ts";

/** The value of a FILTER: an operator and what it compares with. */
export interface FilterValue extends JsonObject {
  readonly operator: string;
  readonly value: JsonValue;
}

/** One choice of a PARENT: what it does to other controls by their widget IDs. */
export interface ParentOption {
  readonly title: string;
  readonly set: JsonObject;
  readonly clear: readonly string[];
  readonly reset: readonly string[];
}

/** The most options of a PARENT. */
export const parentOptionsMost = 50;

/** Returns the options of a PARENT. */
export function parentOptionsOf({ config }: Pick<Widget, "config">): readonly ParentOption[] {
  return listOf(config["options"])
    .slice(0, parentOptionsMost)
    .flatMap((one) =>
      isObject(one)
        ? [
            {
              title: textOf(one["title"]),
              set: isObject(one["set"]) ? one["set"] : {},
              clear: listOf(one["clear"]).map((id) => textOf(id)),
              reset: listOf(one["reset"]).map((id) => textOf(id)),
            },
          ]
        : [],
    );
}

/** Reads a value of a FILTER: an object with `value`, or the value alone; null if it is cleared, undefined if that is no value. */
export function filterValue(value: JsonValue | undefined): FilterValue | null | undefined {
  if (value === undefined) return undefined;
  if (value === null) return null;
  if (!isObject(value)) return { operator: "equals", value };
  const { operator, value: own } = value;
  const name = typeof operator === "string" ? operator : "equals";
  if (["set", "notSet"].includes(name)) return { operator: name, value: own ?? null };
  return own === undefined || own === null ? own : { operator: name, value: own };
}

/** Returns the title of the first option of a PARENT whose values the controls have; undefined if there is none. */
export function optionWithValues(
  parent: Widget,
  widgets: readonly Widget[],
  controls: Controls,
): string | undefined {
  const children = new Map(widgets.map((widget) => [widget.id, widget]));
  const option = parentOptionsOf(parent).find(({ set, clear }) => {
    const values = [...Object.entries(set), ...clear.map((id) => [id, null] as const)];
    const matches = values.flatMap(([id, value = null]) => {
      const child = children.get(id);
      return child === undefined ? [] : [hasValue(child, value, controls)];
    });
    return matches.length > 0 && matches.every(Boolean);
  });
  return option?.title;
}

/** Returns whether controls have a value of a widget, where null is none. */
function hasValue(
  { type, config }: Widget,
  value: JsonValue,
  { filters, timeGrains, memberSwitchers }: Controls,
): boolean {
  const member = controlMember(config)?.member;
  if (type === "TIME_GRAIN") {
    return (timeGrains.find((one) => one.member === member)?.grain ?? null) === value;
  }
  if (type === "FIELD") {
    return (
      (memberSwitchers.find(({ from }) => from === member)?.to ?? member) === (value ?? member)
    );
  }
  const own = filters.find((one) => one.member === member);
  const found = own === undefined ? null : filterValue({ operator: "equals", ...own });
  return canonical(found ?? null) === canonical(filterValue(value) ?? null);
}
