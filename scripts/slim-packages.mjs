// Makes bundles load only the parts of packages that they use.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./install.mjs";

/**
 * The entry of undici loads fetch, WebSocket, caches and mocks, which cost 70 ms of CPU at every start. The client uses
 * pools, and single requests. The exports are named, so that the build fails if an import asks for another one.
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

/** Every pool and agent has `allowH2: false`. Loading HTTP/2 would load TLS too, even for plain HTTP. */
const withoutHttp2 = `
module.exports = () => {
  throw new Error("the bundle contains no HTTP/2; set allowH2 to false");
};
`;

/** The exports of gRPC that a server uses: the file and the name there. */
const grpcServerParts = {
  Metadata: ["metadata.js", "Metadata"],
  Server: ["server.js", "Server"],
  ServerCredentials: ["server-credentials.js", "ServerCredentials"],
  status: ["constants.js", "Status"],
};

/**
 * The entry of gRPC loads its client, which costs a plugin a tenth of the CPU of its start. The bundle loads the server, with
 * the resolvers of its addresses, and the entry when another export is used.
 */
function grpcParts() {
  const load = (file) => `require("@grpc/grpc-js/build/src/${file}")`;
  const names = Object.keys(createRequire(import.meta.url)("@grpc/grpc-js"));
  return `
${load("resolver-dns.js")}.setup();
${load("resolver-uds.js")}.setup();
${lazyExports(names, (name) => {
  const [file, member] = grpcServerParts[name] ?? ["index.js", name];
  return `${load(file)}.${member}`;
})}
`;
}

/**
 * Modules that programs load at their start and that few runs use, by the files that load them. These start other
 * programs. In plugins they also encode messages, or are parts of Node.js for compression and host names, which are not
 * used before the first request.
 */
const loadedOnUse = [
  { module: "node:child_process", of: /./ },
  { module: "protobufjs/minimal.js", of: /[/\\]terraform[/\\]wire[/\\]protobuf\.ts$/ },
  { module: "zlib", of: /[/\\]grpc-js[/\\]/ },
  { module: "dns", of: /[/\\]grpc-js[/\\]/ },
];

/** Returns a module that loads another one with the first use of an export. */
function onUse(module) {
  const names = Object.keys(createRequire(import.meta.url)(module));
  return lazyExports(names, (name) => `require("${module}").${name}`);
}

function lazyExports(names, expressionFor) {
  const getters = names.map((name) => `get ${name}() { return ${expressionFor(name)}; },`);
  return `module.exports = { ${getters.join("\n")} };`;
}

const clientOfServices = `const make_client_1 = require("./make-client");`;

/** Makes the services of gRPC that no plugin offers load the client when they are used. */
function withoutClient(text, path) {
  if (!text.includes(clientOfServices)) throw new Error(`${path} loads the client otherwise`);
  return text.replace(
    clientOfServices,
    `const make_client_1 = { get loadPackageDefinition() { return require("./make-client").loadPackageDefinition; } };`,
  );
}

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
    onResolve({ filter: /^typebox$/ }, () => ({ path: join(root, "scripts", "slim-typebox.ts") }));
    onResolve({ filter: /^@grpc\/grpc-js$/ }, ({ resolveDir }) => ({
      path: "grpc",
      namespace: "slim",
      pluginData: resolveDir,
    }));
    onLoad({ filter: /^grpc$/, namespace: "slim" }, ({ pluginData }) => ({
      contents: grpcParts(),
      resolveDir: pluginData,
    }));
    for (const { module, of } of loadedOnUse) {
      onResolve({ filter: new RegExp(`^${module}$`) }, ({ path, importer, namespace }) =>
        namespace === "file" && of.test(importer) ? { path, namespace: "on-use" } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: "on-use" }, ({ path }) => ({
      contents: onUse(path),
      resolveDir: root,
    }));
    onLoad({ filter: /grpc-js[/\\]build[/\\]src[/\\](?:channelz|orca)\.js$/ }, ({ path }) => ({
      contents: withoutClient(readFileSync(path, "utf8"), path),
    }));
    onLoad({ filter: /undici[/\\]lib[/\\]dispatcher[/\\]client-h2\.js$/ }, () => ({
      contents: withoutHttp2,
    }));
  },
};
