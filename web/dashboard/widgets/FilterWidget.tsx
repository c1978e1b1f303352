// A FILTER: one member, an operator that its type has, and the values.
import { useEffect, useId, useState } from "preact/hooks";
import { isLocked, isRange, memberOf } from "../../../charts/config/control-values.ts";
import type { FilterValue } from "../../../charts/config/parent-options.ts";
import type { JsonValue } from "../../../core/json.ts";
import { Icon } from "../../ui/Icon.tsx";
import { hasText, t, type TextKey } from "../../ui/i18n/text.ts";
import { Popover } from "../../ui/Popover.tsx";
import { listValues } from "../state/filter-values.ts";
import { titleOf, useMembers } from "../state/members.ts";
import type { Store } from "../state/store.ts";
import { textOf, type Widget } from "../state/widgets.ts";
import type { WidgetProps } from "./widget-props.ts";

/** The operators of each type of member, the usual one first. */
const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  string: [
    "equals",
    "notEquals",
    "contains",
    "notContains",
    "startsWith",
    "notStartsWith",
    "endsWith",
    "notEndsWith",
    "set",
    "notSet",
  ],
  boolean: ["equals", "set", "notSet"],
  number: ["equals", "notEquals", "gt", "gte", "lt", "lte", "between", "set", "notSet"],
  time: ["inDateRange", "notInDateRange", "beforeDate", "afterDate", "set", "notSet"],
};

const rangeTexts = {
  today: "range.today",
  yesterday: "range.yesterday",
  "last 7 days": "range.last7",
  "last 30 days": "range.last30",
  "last 90 days": "range.last90",
  "this week": "range.thisWeek",
  "this month": "range.thisMonth",
  "last month": "range.lastMonth",
  "this quarter": "range.thisQuarter",
  "last quarter": "range.lastQuarter",
  "this year": "range.thisYear",
  "last year": "range.lastYear",
} as const satisfies Readonly<Record<string, TextKey>>;

/** Shows the filter and its value; the editor opens below it. */
export function FilterWidget({ store, widget }: WidgetProps) {
  const members = useMembers(store);
  const member = memberOf(widget);
  const label =
    textOf(widget.config["title"]) || textOf(widget.config["label"]) || titleOf(members, member);
  const value = store.values.value.filters.get(widget.id);
  const type = members.get(member)?.type ?? "string";
  const isFixed = isLocked(widget);
  const set = (next: FilterValue | null): void =>
    store.pick((picks) => ({ ...picks, filters: { ...picks.filters, [widget.id]: next } }));
  const isUnused = store.unusedMembers.value.has(member);
  const text = valueText(value);
  return (
    <div class="control">
      <span class="control-label" aria-hidden="true">
        {label}
        {isUnused && ` · ${t("control.unused")}`}
      </span>
      <Popover
        label={`${label}: ${text}${isUnused ? `, ${t("control.unused")}` : ""}`}
        isDisabled={isFixed}
        title={isFixed ? t("control.locked") : undefined}
        className="filter"
        text={
          <>
            <span class="filter-value">{text}</span>
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <Editor
            {...{ store, widget, type, value }}
            onSet={(next) => {
              set(next);
              close();
            }}
          />
        )}
      </Popover>
    </div>
  );
}

/** Returns a filter in words. */
function valueText(value: FilterValue | undefined): string {
  if (value === undefined) return t("control.all");
  const { operator, value: own } = value;
  const words = operatorText(operator);
  if (["set", "notSet"].includes(operator)) return words;
  const values = valuesOf(own).map((one) => rangeText(one) || "…");
  const shown =
    values.length > 2
      ? t("control.chosen", { count: values.length })
      : values.join(isRange(operator) ? " – " : ", ");
  return ["equals", "inDateRange"].includes(operator) ? shown : `${words} ${shown}`;
}

/** Returns an operator in words, or as it is: an address may name any. */
function operatorText(operator: string): string {
  const key = `operator.${operator}`;
  return hasText(key) ? t(key) : operator;
}

function rangeText(value: string): string {
  const key = (rangeTexts as Readonly<Record<string, TextKey>>)[value];
  return key === undefined ? value : t(key);
}

function valuesOf(value: JsonValue): readonly string[] {
  if (value === null) return [];
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return values.map((one) => one ?? "").map(String);
}

/** Returns the values of an editor as a filter has them: the ends of a range, a list, or the only value. */
function filterOf(values: readonly string[], operator: string): JsonValue {
  const { 0: first = "", 1: second = "" } = values;
  if (isRange(operator) && !Object.hasOwn(rangeTexts, first)) {
    return [first, second].map((end) => (end === "" ? null : end));
  }
  const kept = values.filter((one) => one !== "");
  return kept.length === 1 ? (kept[0] ?? null) : kept;
}

interface EditorProps {
  readonly store: Store;
  readonly widget: Widget;
  readonly type: string;
  readonly value: FilterValue | undefined;
  readonly onSet: (value: FilterValue | null) => void;
}

function Editor({ store, widget, type, value, onSet }: EditorProps) {
  const id = useId();
  const operators = operatorsOf[type] ?? operatorsOf["string"] ?? [];
  const [operator, setOperator] = useState(value?.operator ?? operators[0] ?? "equals");
  const [values, setValues] = useState<readonly string[]>(valuesOf(value?.value ?? null));
  const isMultiple = widget.config["multiple"] !== false;
  const apply = (): void => {
    const kept = values.filter((one) => one !== "");
    const isBare = ["set", "notSet"].includes(operator);
    if (kept.length === 0 && !isBare) return onSet(null);
    return onSet({ operator, value: isBare ? null : filterOf(values, operator) });
  };
  return (
    <form
      class="filter-editor"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label class="visually-hidden" for={id}>
        {t("control.operator")}
      </label>
      <select
        id={id}
        class="field"
        value={operator}
        onChange={({ currentTarget }) => {
          setOperator(currentTarget.value);
          setValues([]);
        }}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {operatorText(one)}
          </option>
        ))}
      </select>
      <ValueEditor
        {...{ store, widget, type, operator, values, isMultiple }}
        onChange={setValues}
      />
      <div class="filter-actions">
        <button type="button" class="button" onClick={() => onSet(null)}>
          {t("action.clear")}
        </button>
        <button type="submit" class="button primary">
          {t("action.apply")}
        </button>
      </div>
    </form>
  );
}

interface ValueEditorProps {
  readonly store: Store;
  readonly widget: Widget;
  readonly type: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly isMultiple: boolean;
  readonly onChange: (values: readonly string[]) => void;
}

function ValueEditor(props: ValueEditorProps) {
  const { type, operator, values, onChange } = props;
  if (["set", "notSet"].includes(operator)) return null;
  if (type === "boolean") {
    return (
      <Choices
        {...props}
        choices={["true", "false"]}
        titleOfValue={(one) => (one === "true" ? t("control.yes") : t("control.no"))}
      />
    );
  }
  if (type === "time" && isRange(operator)) return <DateRange {...{ values, onChange }} />;
  const isListed = type === "string" && ["equals", "notEquals"].includes(operator);
  if (isListed) return <ListedValues {...props} />;
  const inputType = type === "time" ? "date" : type === "number" ? "number" : "text";
  const set = (index: number, text: string): void =>
    onChange(Object.assign([...values], { [index]: text }));
  return (
    <>
      <Input
        label={operator === "between" ? t("control.from") : t("control.value")}
        type={inputType}
        value={values[0] ?? ""}
        onInput={(text) => set(0, text)}
      />
      {operator === "between" && (
        <Input
          label={t("control.to")}
          type={inputType}
          value={values[1] ?? ""}
          onInput={(text) => set(1, text)}
        />
      )}
    </>
  );
}

function Input({
  label,
  type,
  value,
  onInput,
}: {
  readonly label: string;
  readonly type: "text" | "number" | "date";
  readonly value: string;
  readonly onInput: (text: string) => void;
}) {
  const id = useId();
  const shared = {
    id,
    class: "field",
    value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onInput(currentTarget.value),
  };
  return (
    <div>
      <label class="control-label" for={id}>
        {label}
      </label>
      {type === "text" && <input {...shared} type="text" />}
      {type === "number" && <input {...shared} type="number" step="any" />}
      {type === "date" && <input {...shared} type="date" />}
    </div>
  );
}

function DateRange({ values, onChange }: Pick<ValueEditorProps, "values" | "onChange">) {
  const [first = "", second = ""] = values;
  const isNamed = Object.hasOwn(rangeTexts, first);
  return (
    <>
      <div class="choices" role="radiogroup" aria-label={t("control.value")}>
        {Object.entries(rangeTexts).map(([range, key]) => (
          <label key={range} class="choice">
            <input
              type="radio"
              name="range"
              checked={first === range}
              onChange={() => onChange([range])}
            />
            {t(key)}
          </label>
        ))}
      </div>
      <div class="date-range" role="group" aria-label={t("range.custom")}>
        <Input
          label={t("control.from")}
          type="date"
          value={isNamed ? "" : first}
          onInput={(text) => onChange([text, second])}
        />
        <Input
          label={t("control.to")}
          type="date"
          value={second}
          onInput={(text) => onChange([isNamed ? "" : first, text])}
        />
      </div>
    </>
  );
}

/** Offers the values of the member that the other filters leave. */
function ListedValues(props: ValueEditorProps) {
  const { store, widget } = props;
  const [search, setSearch] = useState("");
  const [found, setFound] = useState<readonly string[] | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        void listValues(store, { widget, search, signal: stop.signal }).then(
          (values) => !stop.signal.aborted && setFound(values),
          () => !stop.signal.aborted && setFound([]),
        );
      },
      search === "" ? 0 : 250,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [search]);
  const choices = [...new Set([...props.values.filter((one) => one !== ""), ...(found ?? [])])];
  return (
    <>
      <input
        class="field"
        type="search"
        aria-label={t("control.search")}
        placeholder={t("control.search")}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {found?.length === 0 && <p class="hint">{t("control.noValues")}</p>}
      <Choices {...props} choices={choices} titleOfValue={(one) => one} />
    </>
  );
}

function Choices({
  choices,
  values,
  isMultiple,
  titleOfValue,
  onChange,
}: ValueEditorProps & {
  readonly choices: readonly string[];
  readonly titleOfValue: (value: string) => string;
}) {
  const toggle = (value: string): void => {
    if (!isMultiple) return onChange([value]);
    return onChange(
      values.includes(value) ? values.filter((one) => one !== value) : [...values, value],
    );
  };
  return (
    <div class="choices" role="group" aria-label={t("control.value")}>
      {choices.map((one) => (
        <label key={one} class="choice">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name="value"
            checked={values.includes(one)}
            onChange={() => toggle(one)}
          />
          <span>{titleOfValue(one)}</span>
        </label>
      ))}
    </div>
  );
}
