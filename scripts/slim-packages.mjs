// Makes bundles load only the parts of packages that the client uses.

/**
 * The entry of undici loads fetch, WebSocket, caches and mocks, which cost 70 ms of CPU at every start. The client uses
 * pools and requests on them.
 */
const undiciParts = `
const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");
const Pool = require("undici/lib/dispatcher/pool.js");
const Agent = require("undici/lib/dispatcher/agent.js");
Object.assign(Dispatcher.prototype, require("undici/lib/api/index.js"));
module.exports = { Agent, Dispatcher, Pool };
`;

/** An esbuild plugin that replaces the entries of packages by the parts in use. A missing part fails the build. */
export const slimPackages = {
  name: "slim-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: "undici",
      namespace: "slim",
      pluginData: resolveDir,
    }));
    onLoad({ filter: /^undici$/, namespace: "slim" }, ({ pluginData }) => ({
      contents: undiciParts,
      resolveDir: pluginData,
    }));
  },
};
