// Measures how compilations grow with the number of cubes, in YAML and in JavaScript.
import { compileFiles } from "../service/model/compile.ts";
import type { ModelFile } from "../service/model/types.ts";
import type { GrowthScene } from "./growth-rate.ts";

/** Compiles cubes that join each other. The large size is 2,000. */
export const modelScene: GrowthScene = {
  title: "Data models",
  size: 500,
  isIndependent: true,
  open: async (size) => {
    const step = (name: string, write: (cube: Cube) => string, extension: string) => {
      const files = Array.from({ length: size }, (_, at): ModelFile => ({
        path: `model/c${at}.${extension}`,
        content: write(cubeAt(at)),
      }));
      return { name, run: async () => compile(files) };
    };
    const yaml = step("YAML", (cube) => JSON.stringify({ cubes: [cube.yaml] }), "yml");
    const scripts = step("JavaScript", ({ script }) => script, "js");
    return { steps: [yaml, scripts], close: async () => {} };
  },
};

async function compile(files: readonly ModelFile[]): Promise<void> {
  const { model, errors } = await compileFiles(files);
  if (model === undefined) throw new Error(errors[0]?.message);
}

interface Cube {
  readonly yaml: object;
  readonly script: string;
}

const columns = Array.from({ length: 10 }, (_, at) => `d${at}`);

function cubeAt(at: number): Cube {
  const other = `c${Math.max(at - 1, 1)}`;
  const dimensions = columns.map((name) => ({ name, sql: `{CUBE}.${name}`, type: "number" }));
  const measures = columns.map((name) => ({ name: `${name}_sum`, sql: `{${name}}`, type: "sum" }));
  const joins =
    at < 2 ? [] : [{ name: other, sql: `{CUBE}.p = {${other}.id}`, relationship: "many_to_one" }];
  const id = { name: "id", sql: "id", type: "number", primary_key: true };
  const members = (list: readonly { readonly name: string; readonly sql: string }[]) =>
    list
      .map(({ name, sql, ...rest }) => {
        const more = Object.entries(rest).map(
          ([key, value]) => `, ${key}: ${JSON.stringify(value)}`,
        );
        return `    ${name}: { sql: \`${sql.replaceAll("{", "${")}\`${more.join("")} },`;
      })
      .join("\n");
  const script = `cube(\`c${at}\`, {
  sql_table: \`c${at}\`,
  joins: {
${members(joins)}
  },
  dimensions: {
${members([id, ...dimensions])}
  },
  measures: {
${members(measures)}
  },
});`;
  const yaml = {
    name: `c${at}`,
    sql_table: `c${at}`,
    joins,
    dimensions: [id, ...dimensions],
    measures,
  };
  return { yaml, script };
}
