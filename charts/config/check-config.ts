// Finds what is wrong in the configuration of a chart: unknown options, values that an option does not take, and options
// that the type does not use. Pages and pictures leave those out.
import { type ChartType, chartConfigMembers, chartTypeOf } from "../../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { joinPointer } from "../../core/pointer.ts";
import { didYouMean, orList, quoted } from "../../core/text/naming.ts";
import { isNumberFormat } from "../formats/number-format.ts";
import { isTimeFormat } from "../formats/time-format.ts";
import { isColor } from "../scales/colors.ts";
import { type ChartOption, chartOptions, type OptionValue } from "./options.ts";

/** What is wrong at a place of a configuration. */
export interface ConfigProblem {
  /** JSON Pointer into the configuration. */
  readonly path: string;
  /** A predicate whose subject is the value. */
  readonly message: string;
  readonly remedy?: string | undefined;
}

type Options = Readonly<Record<string, ChartOption>>;

/** Returns the problems of a configuration in the order of its members. */
export function checkChartConfig(config: JsonObject): readonly ConfigProblem[] {
  const type = chartTypeOf(config);
  const own = new Set(chartConfigMembers);
  const options = Object.fromEntries(Object.entries(config).filter(([name]) => !own.has(name)));
  return [
    ...problemsOf(options, chartOptions, ""),
    ...(type === undefined ? [] : unusedOptions(options, type)),
  ];
}

function unusedOptions(config: JsonObject, type: ChartType): readonly ConfigProblem[] {
  return Object.keys(config).flatMap((name) => {
    const types = chartOptions[name]?.types;
    if (types === undefined || types.includes(type)) return [];
    const message = `has no effect on a ${type} chart`;
    return [{ path: joinPointer([name]), message, remedy: `It is for ${orList(types)}.` }];
  });
}

function problemsOf(config: JsonObject, options: Options, path: string): readonly ConfigProblem[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const at = path + joinPointer([name]);
    const option = options[name];
    if (option !== undefined) return valueProblems(value, option.value, at);
    const message = "is not an option of a chart";
    return [{ path: at, message, remedy: didYouMean(name, Object.keys(options), quoted) }];
  });
}

function valueProblems(
  value: JsonValue,
  expected: OptionValue,
  path: string,
): readonly ConfigProblem[] {
  if (typeof expected === "string") return simpleProblems(value, expected, path);
  if ("choices" in expected) {
    const isChoice = typeof value === "string" && expected.choices.includes(value);
    return isChoice ? [] : [mustBe(path, orList(expected.choices))];
  }
  if ("members" in expected) {
    return isObject(value)
      ? problemsOf(value, expected.members, path)
      : [mustBe(path, "an object")];
  }
  if ("byMember" in expected) {
    if (!isObject(value)) return [mustBe(path, "an object of formats by member")];
    return Object.entries(value).flatMap(([name, format]) =>
      valueProblems(format ?? null, expected.byMember, path + joinPointer([name])),
    );
  }
  if ("either" in expected) {
    const found = expected.either.map((one) => valueProblems(value, one, path));
    if (found.some((problems) => problems.length === 0)) return [];
    // The problems inside the value say more than that it is of another kind.
    return found.find((problems) => problems.some((one) => one.path !== path)) ?? found[0] ?? [];
  }
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (!Array.isArray(value) && expected.isOne !== true) return [mustBe(path, "a list")];
  return items.flatMap((item, index) => {
    const at = Array.isArray(value) ? `${path}/${index}` : path;
    return isObject(item) ? problemsOf(item, expected.list, at) : [mustBe(at, "an object")];
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
  format: [
    "a format such as .1% or %d.%m.%Y",
    (value) => isText(value) && (isNumberFormat(value) || isTimeFormat(value)),
  ],
  color: ["a color such as #6929c4", (value) => isText(value) && isColor(value)],
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
  return isOf(value) ? [] : [mustBe(path, words)];
}

function mustBe(path: string, what: string): ConfigProblem {
  return { path, message: `must be ${what}` };
}
