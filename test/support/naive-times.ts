// Evaluates queries with times, windows, stages and subqueries over rows in memory, to check planned SQL.
import {
  addMonths,
  type Cell,
  dayText,
  holds,
  type Joined as JoinedOf,
  joinRows,
  localTime,
  matches,
  type NaiveFilter,
  type Row,
  truncated,
  truncatedFrom,
} from "./naive-query.ts";
import {
  type Cube,
  cubes,
  measureNames,
  movingWindows,
  type NaiveTime,
  parentOf,
  shifts,
  type TimeCase,
  windows,
} from "./times-model.ts";

type Joined = JoinedOf<Cube>;
type Group = readonly Joined[];
type Groups = Map<string, readonly Joined[]>;

/** Evaluates the query of a case on the joined rows of cubes, the root first. */
export function naiveAnswer(on: TimeCase, used: readonly string[]): readonly Row[] {
  return new Evaluation(on, used).answer();
}

const day = 86_400_000;

/** The rows to filter: the rows of `from`, with a shifted time, and without the range of a time dimension. */
interface Filtering {
  readonly shift?: string | undefined;
  readonly without?: NaiveTime;
  readonly from?: Group;
}

class Evaluation {
  readonly #on: TimeCase;
  readonly #rows: readonly Joined[];
  readonly #times: readonly NaiveTime[];
  /** Joins that a measure adds from orders to customers cannot start at customers. */
  readonly #fromOrders: readonly Joined[];

  constructor(on: TimeCase, used: readonly string[]) {
    this.#on = on;
    const line = { cubes, parentOf, rowsOf: (cube: Cube) => this.#visible(cube) };
    const { v } = on.throughView ? on.policies : {};
    const joined = (root: Cube) =>
      joinRows(line, root, new Set(used)).filter(
        (row) => !v || matches(row.orders?.kind ?? null, "in", v),
      );
    const root = used[0] as Cube;
    this.#rows = joined(root);
    const isGrouped = on.query.dimensions.includes("customers.kind");
    const isReverse = root === "customers" && used.includes("orders") && !isGrouped;
    this.#fromOrders = isReverse ? joined("orders") : this.#rows;
    this.#times = on.query.timeDimensions.filter(({ granularity }) => granularity !== undefined);
  }

  #visible(cube: Cube): readonly Row[] {
    const allowed = this.#on.policies[cube];
    return this.#on.tables[cube].filter(
      ({ kind = null }) => !allowed || matches(kind, "in", allowed),
    );
  }

  #itemCount(order: Row): number {
    return this.#visible("items").filter(({ parent }) => parent === order.id).length;
  }

  #value(row: Joined, name: string): Cell {
    const [cube = "", member = ""] = name.split(".");
    const own = row[cube as Cube];
    if (own === undefined) return null;
    if (member === "item_count") return this.#itemCount(own);
    if (member !== "label") return own[member === "at" ? "moment" : member] ?? null;
    const { amount = null, parent } = own;
    if (amount === null) return null;
    if (Number(amount) > 5) return "big";
    if (Number(amount) >= 0) return null;
    return this.#visible("customers").find(({ id }) => id === parent)?.kind ?? null;
  }

  /** Returns the calendar time of a row for a measure with a time shift. */
  #local(row: Joined, name: string, shift?: string): number | null {
    const at = this.#value(row, name);
    if (at === null) return null;
    const local = localTime(Number(at), this.#on.query.timezone);
    const isShown = this.#on.query.timeDimensions.some(({ dimension }) => dimension === name);
    if (shift === undefined || !isShown) return local;
    if (shift === "month_before" && name !== "orders.at") return local;
    return addMonths(local, shifts[shift]?.months ?? 0);
  }

  #matches(row: Joined, filter: NaiveFilter, shift?: string): boolean {
    return holds(filter, (member, operator, values) => {
      if (!member.endsWith(".at")) return matches(this.#value(row, member), operator, values);
      const local = this.#local(row, member, shift);
      if (local === null) return false;
      const text = dayText(local);
      const [from = "", to = ""] = values.map(String);
      const found = { inDateRange: text >= from && text <= to, onTheDate: text === from };
      const others: Readonly<Record<string, boolean>> = {
        ...found,
        notInDateRange: !found.inDateRange,
        beforeDate: text < from,
        afterDate: text > from,
        beforeOrOnDate: text <= from,
        afterOrOnDate: text >= from,
      };
      return others[operator] ?? false;
    });
  }

  /** Returns the rows that match the filters, the segments and the ranges, except the range of `without`. */
  #filtered({ shift, without, from = this.#rows }: Filtering): Group {
    const { filters, segments, timeDimensions } = this.#on.query;
    return from.filter(
      (row) =>
        filters.every((one) => isAggregate(one) || this.#matches(row, one, shift)) &&
        segments.every((name) =>
          name === "items.x" ? row.items?.kind === "x" : Number(row.orders?.amount) > 5,
        ) &&
        timeDimensions.every((one) => {
          if (one.dateRange === undefined || one === without) return true;
          const local = this.#local(row, one.dimension, shift);
          if (local === null) return false;
          return dayText(local) >= one.dateRange[0] && dayText(local) <= one.dateRange[1];
        }),
    );
  }

  /** Returns the values of the dimensions of the query in a row; `start` replaces the time that windows follow. */
  #key(row: Joined, shift?: string, start?: number): readonly Cell[] {
    const times = this.#times.map(({ dimension, granularity = "" }) => {
      if (start !== undefined) return start;
      const local = this.#local(row, dimension, shift);
      return local === null ? null : startOf(local, granularity);
    });
    return [...this.#on.query.dimensions.map((name) => this.#value(row, name)), ...times];
  }

  #group(rows: Group, keyOf: (row: Joined) => readonly Cell[]): Groups {
    const isWhole = this.#on.query.dimensions.length + this.#times.length === 0;
    const groups: Groups = new Map(isWhole ? [["[]", []]] : []);
    for (const row of rows) add(groups, JSON.stringify(keyOf(row)), [row]);
    return groups;
  }

  /** Returns the rows of each window of a running measure. */
  #windows(name: string, time: NaiveTime): Groups {
    const rows = this.#filtered({ without: time });
    const isAlone = this.#on.query.dimensions.length === 0;
    const groups: Groups = new Map();
    for (const [start, end] of intervals(time)) {
      const [lower, upper] = windowBounds(name, start, end);
      const own = rows.filter((row) => {
        const local = this.#local(row, time.dimension);
        return local !== null && local >= lower && local < upper;
      });
      if (isAlone) add(groups, JSON.stringify(time.granularity ? [start] : []), own);
      else
        for (const row of own) add(groups, JSON.stringify(this.#key(row, undefined, start)), [row]);
    }
    const isWhole = isAlone && time.granularity === undefined;
    return isWhole && groups.size === 0 ? new Map([["[]", []]]) : groups;
  }

  /** Returns the values of the groups in each window of a multi-stage measure with a rolling window. */
  #moving(name: string, time: NaiveTime): ReadonlyMap<string, readonly (number | null)[]> {
    const rows = this.#filtered({ without: time });
    const inner = this.#group(rows, (row) => this.#key(row));
    const isAlone = this.#on.query.dimensions.length === 0;
    const values = new Map<string, (number | null)[]>();
    for (const [start, end] of intervals(time)) {
      const [lower, upper] = windowBounds(name, start, end);
      if (isAlone) values.set(JSON.stringify([start]), []);
      for (const [key, group] of inner) {
        const cells = JSON.parse(key) as Cell[];
        const at = cells.at(-1);
        if (typeof at !== "number" || at < lower || at >= upper) continue;
        const own = JSON.stringify([...cells.slice(0, -1), start]);
        const measured = plainMeasure(
          name === "moving" ? "orders.total" : "orders.count",
          group,
          () => 0,
        );
        values.set(own, [...(values.get(own) ?? []), measured as number | null]);
      }
    }
    return values;
  }

  /** Returns the time that windows follow: the only one in intervals, otherwise the only one with a range. */
  #rolling(): NaiveTime | undefined {
    const ranged = this.#on.query.timeDimensions.filter(({ dateRange }) => dateRange !== undefined);
    return this.#times[0] ?? (ranged.length === 1 ? ranged[0] : undefined);
  }

  #groupsOf(name: string): Groups {
    const own = name.replace("orders.", "");
    const moving = own in movingWindows ? this.#rolling() : undefined;
    if (moving) return new Map([...this.#moving(own, moving).keys()].map((key) => [key, []]));
    const rolling = own in windows ? this.#rolling() : undefined;
    if (rolling) return this.#windows(own, rolling);
    const shift = own in shifts ? own : undefined;
    const from = own === "per_customer" ? this.#fromOrders : this.#rows;
    const rows = this.#filtered({ shift, from });
    return this.#group(rows, (row) => this.#key(row, shift));
  }

  answer(): readonly Row[] {
    const { measures, dimensions, filters } = this.#on.query;
    const having = filters.filter(isAggregate);
    const needed = [...measures, ...having.flatMap(membersOf)];
    const groups = new Map(needed.map((name) => [name, this.#groupsOf(name)]));
    const keys = new Set([...groups.values()].flatMap((one) => [...one.keys()]));
    const value = (name: string, key: string) => {
      const own = groups.get(name) ?? new Map();
      return own.has(key) ? this.#measure(name, key, own) : null;
    };
    const names = [
      ...dimensions,
      ...this.#times.map((one) => `${one.dimension}.${one.granularity}`),
    ];
    return [...keys]
      .filter((key) =>
        having.every((filter) =>
          holds(filter, (member, operator, values) =>
            matches(value(member, key), operator, values),
          ),
        ),
      )
      .map((key) => {
        const cells = JSON.parse(key) as Cell[];
        return Object.fromEntries([
          ...names.map((name, index) => [
            name,
            timeOr(cells[index] ?? null, index >= dimensions.length),
          ]),
          ...measures.map((name) => [name, value(name, key)]),
        ]);
      });
  }

  #measure(name: string, key: string, groups: Groups): Cell {
    const own = name.replace("orders.", "");
    const group = groups.get(key) ?? [];
    const total = (one: Group) => plainMeasure("orders.total", one, () => 0) as number | null;
    const count = (one: Group) => plainMeasure("orders.count", one, () => 0) as number;
    const alike = (isSame: (name: string) => boolean) => this.#alike(key, groups, isSame);
    switch (own) {
      case "by_kind":
        return sum(alike((one) => one === "orders.kind").map(total));
      case "share": {
        const whole = sum(alike((one) => one === "orders.kind").map(total));
        const part = total(group);
        return part === null || whole === null || whole === 0 ? null : part / whole;
      }
      case "all_kinds":
        return sum(alike((one) => one !== "orders.kind").map(total));
      case "grand": {
        const totals = alike(() => false)
          .map(total)
          .filter((one) => one !== null);
        return totals.length === 0 ? null : Math.max(...totals);
      }
      case "ranked":
        return (
          1 +
          alike((one) => one !== "orders.kind").filter((one) => count(one) > count(group)).length
        );
      case "per_customer": {
        const inner = new Map<string, readonly Joined[]>();
        for (const row of group) add(inner, JSON.stringify(this.#customerKind(row)), [row]);
        const counts = [...inner.values()].map(count);
        return counts.length === 0 ? null : (sum(counts) ?? 0) / counts.length;
      }
      case "month_before":
      case "year_after":
        return total(group);
      case "moving":
      case "most_so_far": {
        const time = this.#rolling();
        if (time === undefined) return own === "moving" ? total(group) : count(group);
        const known = (this.#moving(own, time).get(key) ?? []).filter((one) => one !== null);
        if (known.length === 0) return null;
        return own === "moving" ? (sum(known) ?? 0) / known.length : Math.max(...known);
      }
      default:
        if (own in windows) return own === "recent" ? count(group) : total(group);
        return plainMeasure(name, group, (order) => this.#itemCount(order));
    }
  }

  #customerKind({ customers, orders }: Joined): Cell {
    const parent = this.#visible("customers").find(({ id }) => id === orders?.parent);
    return (customers ?? parent)?.kind ?? null;
  }

  /** Returns the groups that have the same values of the chosen dimensions. */
  #alike(key: string, groups: Groups, isSame: (name: string) => boolean): readonly Group[] {
    const { dimensions } = this.#on.query;
    const names = [...dimensions, ...this.#times.map(({ dimension }) => dimension)];
    const positions = names.flatMap((name, index) => (isSame(name) ? [index] : []));
    const part = (one: string) => {
      const cells = JSON.parse(one) as Cell[];
      return JSON.stringify(positions.map((index) => cells[index]));
    };
    return [...groups].filter(([one]) => part(one) === part(key)).map(([, group]) => group);
  }
}

function add(groups: Groups, key: string, rows: Group): void {
  groups.set(key, [...(groups.get(key) ?? []), ...rows]);
}

function timeOr(cell: Cell, isTime: boolean): Cell {
  return isTime && cell !== null ? new Date(Number(cell)).toISOString().slice(0, -1) : cell;
}

function membersOf(filter: NaiveFilter): readonly string[] {
  if ("member" in filter) return [filter.member];
  return ("and" in filter ? filter.and : filter.or).flatMap(membersOf);
}

/** Returns whether a filter compares measures. All other common members of the cubes are dimensions. */
function isAggregate(filter: NaiveFilter): boolean {
  return membersOf(filter).some((name) =>
    measureNames("orders").includes(name.split(".")[1] ?? ""),
  );
}

function startOf(local: number, granularity: string): number {
  switch (granularity) {
    case "fiscal":
      return truncatedFrom(local, (index) => Date.UTC(2000 + index, 1));
    case "fortnight":
      return truncatedFrom(local, (index) => Date.UTC(2025, 0, 6 + 14 * index));
    case "shift":
      return Math.floor((local - 21_600_000) / 28_800_000) * 28_800_000 + 21_600_000;
    case "two_months":
      return truncatedFrom(local, (index) => Date.UTC(2025, 2 * index, 15));
    default:
      return truncated(local, granularity);
  }
}

/** The days in intervals of own granularities; the others have months. */
const customDays: Readonly<Record<string, number>> = { fortnight: 14, shift: 1 / 3 };

/** Returns the intervals of the range of a time dimension; without a granularity, the range. */
function intervals({ granularity, dateRange }: NaiveTime): readonly (readonly [number, number])[] {
  const [from, to] = dateRange ?? ["2026-01-01", "2026-01-01"];
  const last = Date.parse(to) + day;
  if (granularity === undefined) return [[Date.parse(from), last]];
  const all: [number, number][] = [];
  for (let start = startOf(Date.parse(from), granularity); start < last;) {
    let end = start + 1000;
    const length = customDays[granularity];
    if (granularity === "minute") end = start + 60_000;
    else if (granularity === "hour") end = start + 3_600_000;
    else if (granularity === "day") end = start + day;
    else if (granularity === "week") end = start + 7 * day;
    else if (length !== undefined) end = start + length * day;
    else if (granularity === "two_months") end = addMonths(start, 2);
    else if (granularity !== "second") {
      end = addMonths(start, granularity === "month" ? 1 : granularity === "quarter" ? 3 : 12);
    }
    all.push([start, end]);
    start = end;
  }
  return all;
}

function windowBounds(name: string, start: number, end: number): readonly [number, number] {
  switch (name) {
    case "running":
      return [Number.NEGATIVE_INFINITY, end];
    case "recent":
      return [end - 3 * day, end];
    case "around":
      return [addMonths(start, -1), start + 2 * day];
    case "moving":
      return [addMonths(end, -2), end];
    case "lagging":
      return [end - 5 * day, end - 2 * day];
    case "month_so_far":
      return [truncated(end - 1, "month"), end];
    case "fiscal_so_far":
      return [startOf(end - 1, "fiscal"), end];
    default:
      return [truncated(end - 1, "year"), end];
  }
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

/** Returns a measure over the distinct rows of its cube in a group. */
function plainMeasure(name: string, group: Group, itemCount: (order: Row) => number): Cell {
  const [cube = "", member] = name.split(".");
  const rows = [...new Set(group.map((row) => row[cube as Cube]))].filter(
    (row) => row !== undefined,
  );
  const amounts = (some: readonly Row[]) => some.map(({ amount }) => amount as number | null);
  const total = sum(amounts(rows));
  switch (member) {
    case "count":
      return rows.length;
    case "total":
      return total;
    case "average":
      return total === null ? null : total / amounts(rows).filter((one) => one !== null).length;
    case "kinds":
      return new Set(rows.map(({ kind }) => kind).filter((kind) => kind !== null)).size;
    case "some":
      return sum(amounts(rows.filter(({ kind }) => kind === "x")));
    case "padded":
      return sum(amounts(rows).map((one) => one ?? 1));
    default:
      return sum(rows.map(itemCount));
  }
}
