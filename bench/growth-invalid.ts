// Measures how the work grows that invalid input of a size chosen by an attacker causes.
import { Type } from "typebox";
import { validator } from "../core/schema/validate.ts";
import { Failure } from "../core/errors.ts";
import { parse } from "../reconciler/manifest/parse.ts";
import { parseSql } from "../service/model/parse-sql.ts";
import { resolveDateRange } from "../service/query/date-range.ts";
import type { GrowthScene } from "./growth-rate.ts";

const schema = Type.Object({
  items: Type.Array(Type.Object({ value: Type.Union([Type.String(), Type.Null()]) })),
});

/** Reports the errors of a body in which every item is invalid, and of a manifest; parses an unfinished reference in SQL, and a
 * date of blanks. */
export const invalidInputScene: GrowthScene = {
  title: "Invalid input",
  size: 2000,
  open: (size) => {
    const body = { items: Array.from({ length: size }, () => ({ value: 1, other: 1 })) };
    const sql = `{FILTER_PARAMS.orders.at.filter(${"(".repeat(size)}${" ".repeat(size)}x)}`;
    return Promise.resolve({
      steps: [
        {
          name: "errors of a request",
          run: () => {
            const found = validator(schema)(body).length;
            if (found < size) throw new Error(`${found} errors`);
            return Promise.resolve();
          },
        },
        { name: "reference in SQL", run: () => Promise.resolve(repeatParse(sql)) },
        { name: "errors of a manifest", run: () => Promise.resolve(readErrors(size)) },
        { name: "date range", run: () => Promise.resolve(repeatRefusal(size)) },
      ],
      close: () => Promise.resolve(),
    });
  },
};

/** Reads a list with an error between each two of its items, all in one line, which is not closed. */
function readErrors(size: number): void {
  const { diagnostics } = parse("list.yaml", `list: [${'"x" "y" '.repeat(size)}`);
  if (diagnostics.length === 0) throw new Error("an invalid manifest was read");
}

/** One parse is too short to measure. */
function repeatParse(sql: string): void {
  for (let round = 0; round < 4000; round++) parseSql(sql);
}

/** Refuses a date range without an end, which a pattern with repeated blanks reads in cubic time. */
function repeatRefusal(size: number): void {
  const text = `from${" ".repeat(size)}x`;
  const clock = { now: new Date(0), timezone: "UTC" };
  for (let round = 0; round < 10_000; round++) {
    try {
      resolveDateRange(text, clock);
      throw new Error("a date range of blanks was read");
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
}
