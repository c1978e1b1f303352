// Imports Node's own modules into bundles of ES modules without the cost of such an import.
import { isBuiltin } from "node:module";

/**
 * An esbuild plugin. An `import` of a module of Node.js reads every property of it, including properties that load
 * further modules (`fs.promises`, `crypto.webcrypto`, `process.stdin`): 20 ms of CPU at every start. The bundle imports
 * the plain properties. The build fails if an import names another one.
 */
export const builtinModules = {
  name: "builtin-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === "import-statement" && isBuiltin(path)
        ? { path: path.replace(/^node:/, ""), namespace: "builtin-module", sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin-module" }, ({ path }) => ({
      contents: moduleText(path),
    }));
  },
};

function moduleText(name) {
  const properties = Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`));
  const plain = Object.entries(properties).filter(
    ([key, property]) => "value" in property && /^[A-Za-z][\w$]*$/.test(key),
  );
  const exports = plain.map(
    ([key]) => `export const ${key} = /* @__PURE__ */ $property("${key}");`,
  );
  return [
    `const $builtin = process.getBuiltinModule("node:${name}");`,
    "const $property = (key) => $builtin[key];",
    ...exports,
    "export default $builtin;",
  ].join("\n");
}
