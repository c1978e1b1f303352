// Finds what is wrong in the configuration of a chart or a control: unknown options, values that an option does not take, and options
// that the type does not use. Pages and pictures leave those out.
import { type ChartType, chartConfigMembers, chartTypeOf } from "../../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { joinPointer } from "../../core/pointer.ts";
import { didYouMean, orList, quoted } from "../../core/text/naming.ts";
import { isFormat } from "../formats/format-names.ts";
import { webAddress } from "../formats/web-address.ts";
import type { ConfigProblem } from "../layout/check-layout.ts";
import { isColor } from "../scales/colors.ts";
import { type ChartOption, chartOptions, controlOptions, type OptionValue } from "./options.ts";

/** The options that there are, and what has them. */
interface Known {
  readonly options: Readonly<Record<string, ChartOption>>;
  readonly of: string;
}

/** Returns the problems of a configuration in the order of its members. */
export function checkChartConfig(config: JsonObject): readonly ConfigProblem[] {
  const type = chartTypeOf(config);
  const own = new Set(chartConfigMembers);
  const options = Object.fromEntries(Object.entries(config).filter(([name]) => !own.has(name)));
  return [
    ...problemsOf(options, { options: chartOptions, of: "a chart" }, ""),
    ...(type === undefined ? [] : unusedOptions(options, type)),
  ];
}

/** Returns the problems of the configuration of a control, such as a FILTER. */
export function checkControlConfig(type: string, config: JsonObject): readonly ConfigProblem[] {
  const options = controlOptions[type];
  return options === undefined ? [] : problemsOf(config, { options, of: `a ${type}` }, "");
}

function unusedOptions(config: JsonObject, type: ChartType): readonly ConfigProblem[] {
  return Object.keys(config).flatMap((name) => {
    const types = chartOptions[name]?.types;
    if (types === undefined || types.includes(type)) return [];
    const message = `has no effect on a ${type} chart`;
    return [{ path: joinPointer([name]), message, remedy: `It is for ${orList(types)}.` }];
  });
}

function problemsOf(
  config: JsonObject,
  { options, of }: Known,
  path: string,
): readonly ConfigProblem[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const at = path + joinPointer([name]);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option !== undefined) return valueProblems(value, option.value, { path: at, of });
    const message = `is not an option of ${of}`;
    return [{ path: at, message, remedy: didYouMean(name, Object.keys(options), quoted) }];
  });
}

/** A place in a configuration, and what has the configuration. */
interface Place {
  readonly path: string;
  readonly of: string;
}

function valueProblems(
  value: JsonValue,
  expected: OptionValue,
  { path, of }: Place,
): readonly ConfigProblem[] {
  if (typeof expected === "string") return simpleProblems(value, expected, path);
  if ("choices" in expected) {
    const isChoice = typeof value === "string" && expected.choices.includes(value);
    return isChoice ? [] : [mustBe(path, orList(expected.choices), value)];
  }
  if ("members" in expected) {
    return isObject(value)
      ? problemsOf(value, { options: expected.members, of }, path)
      : [mustBe(path, "an object", value)];
  }
  if ("byMember" in expected) {
    if (!isObject(value)) return [mustBe(path, "an object of formats by member", value)];
    return Object.entries(value).flatMap(([name, format]) =>
      simpleProblems(format ?? null, expected.byMember, path + joinPointer([name])),
    );
  }
  if ("either" in expected) {
    const found = expected.either.map((one) => valueProblems(value, one, { path, of }));
    if (found.some((problems) => problems.length === 0)) return [];
    // The problems inside the value say more than that it is of another kind.
    return found.find((problems) => problems.some((one) => one.path !== path)) ?? found[0] ?? [];
  }
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (!Array.isArray(value) && expected.isOne !== true) return [mustBe(path, "a list", value)];
  return items.flatMap((item, index) => {
    const at = Array.isArray(value) ? `${path}/${index}` : path;
    if (isObject(item)) return problemsOf(item, { options: expected.list, of }, at);
    if (expected.item === undefined) return [mustBe(at, "an object", item)];
    const [words, isOf] = kinds[expected.item];
    return isOf(item) ? [] : [mustBe(at, `${words}, or an object`, item)];
  });
}

const memberPattern = /^[A-Za-z_]\w*\.[A-Za-z_]\w*(?:\.\w+)?$/u;

const isMember = (value: JsonValue) =>
  typeof value === "string" && (value === "measures" || memberPattern.test(value));
const isText = (value: JsonValue): value is string => typeof value === "string" && value !== "";

/** Whether a value is of a kind, and what to call the kind. */
const kinds: Readonly<
  Record<Extract<OptionValue, string>, readonly [string, (value: JsonValue) => boolean]>
> = {
  text: ["a text", isText],
  number: ["a number", (value) => typeof value === "number"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  member: ["a member such as orders.amount", isMember],
  members: [
    "a member such as orders.amount, or a list of them",
    (value) => (Array.isArray(value) ? (value as JsonValue[]).every(isMember) : isMember(value)),
  ],
  format: ["a format such as .1% or %d.%m.%Y", (value) => isText(value) && isFormat(value)],
  color: ["a color such as #6929c4", (value) => isText(value) && isColor(value)],
  address: [
    "an address such as https://example.com/{orders.id}",
    (value) => isText(value) && webAddress(value.replaceAll(/\{[\w.]+\}/gu, "x")) !== undefined,
  ],
  colors: [
    "a list of colors such as #6929c4",
    (value) =>
      Array.isArray(value) && (value as JsonValue[]).every((one) => isText(one) && isColor(one)),
  ],
  any: ["a value", () => true],
};

function simpleProblems(
  value: JsonValue,
  expected: Extract<OptionValue, string>,
  path: string,
): readonly ConfigProblem[] {
  const [words, isOf] = kinds[expected];
  return isOf(value) ? [] : [mustBe(path, words, value)];
}

function mustBe(path: string, what: string, value: JsonValue): ConfigProblem {
  const text = JSON.stringify(value);
  const shown = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
  return { path, message: `must be ${what}: ${shown}` };
}

/** Characters of a value in a message. */
const longestValue = 80;
