// Makes bundles load only the parts of packages that the client uses.

/**
 * The entry of undici loads fetch, WebSocket, caches and mocks, which cost 70 ms of CPU at every start. The client uses
 * pools, and single requests. The exports have names, so that the build fails where an import asks for another one.
 */
const undiciParts = `
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";
import Agent from "undici/lib/dispatcher/agent.js";
import api from "undici/lib/api/index.js";

Object.assign(Dispatcher.prototype, api);
let agent;

function request(address, { method = "GET", ...options }) {
  const { origin, pathname, search } = new URL(address);
  agent ??= new Agent({ allowH2: false });
  return agent.request({ ...options, method, origin, path: pathname + search });
}

export { Agent, Dispatcher, Pool, request };
`;

/** Every pool and agent has `allowH2: false`. Loading HTTP/2 would load TLS too, also for plain HTTP. */
const withoutHttp2 = `
module.exports = () => {
  throw new Error("the bundle contains no HTTP/2; set allowH2 to false");
};
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
    onLoad({ filter: /undici[/\\]lib[/\\]dispatcher[/\\]client-h2\.js$/ }, () => ({
      contents: withoutHttp2,
    }));
  },
};
