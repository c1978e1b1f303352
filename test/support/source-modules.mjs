// Loaded before everything else in each process that runs tests: Node.js runs the sources itself and keeps what it compiled, and
// what the examples import from the package is its source.
import { enableCompileCache, registerHooks } from "node:module";

enableCompileCache(process.env.NODE_COMPILE_CACHE);

const sources = new Map([
  ["svc-as-code/pulumi", new URL("../../provider/pulumi/sdk/index.ts", import.meta.url).href],
]);

registerHooks({
  resolve: (specifier, context, next) => {
    const url = sources.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
