// Bundles the modules that most commands load into few chunks.
import { readFileSync } from "node:fs";

/**
 * Modules that load nearly all that another one loads, and that one. By default each set of commands that share modules
 * gets a separate chunk for them. A plan would then load a hundred files, which takes a third of its start.
 */
const together = [
  {
    of: /[/\\]cli[/\\]runs[/\\](?:adopt|apply|controller|deploy|drift|export|graph|history|init|inventory-(?:move|show|unlock)|lint|promote|protect|undo|validate|why)\.ts$/,
    load: "./plan.ts",
  },
  {
    of: /[/\\]cli[/\\]runs[/\\](?:api|context|doctor|login|logout|meta|query|spec|whoami)\.ts$/,
    load: "../operations/run.ts",
  },
];

/**
 * An esbuild plugin that makes a module load all the imports of another one if it loads most of them. One chunk then
 * contains them.
 */
export const loadTogether = {
  name: "load-together",
  setup({ onLoad }) {
    for (const { of, load } of together) {
      onLoad({ filter: of }, ({ path }) => ({
        contents: `${readFileSync(path, "utf8")}\nimport "${load}";\n`,
        loader: "ts",
      }));
    }
  },
};
