// Assigns functions to the parts of the service that a request passes, by their files.
import type { PartOf } from "./cpu-profile.ts";

/** Name of the code outside all parts. */
export const otherParts = "Node.js: garbage collector, timers, native code";

/** The first pattern that matches a file decides. */
const parts: readonly (readonly [part: string, files: RegExp])[] = [
  [
    "validation",
    /^(?:service\/http\/(?:validate|coerce|body|json-syntax|validation-errors)\.ts|ajv)/u,
  ],
  [
    "authorisation",
    /^(?:service\/security\/|service\/http\/authenticate\.ts|core\/operation\/(?:authorize|permission-actions)\.ts|jose\/)/u,
  ],
  [
    "serialisation",
    /^(?:service\/http\/response-envelope\.ts|service\/areas\/shared\/json-document\.ts|fastify\/lib\/(?:reply|schemas|validation)\.js|fast-json-stringify|@fastify\/fast-json)/u,
  ],
  ["log and metrics", /^(?:pino|sonic-boom|prom-client|service\/http\/metrics\.ts|quick-format)/u],
  ["store", /^(?:service\/store\/|kysely\/|better-sqlite3\/|pg)/u],
  [
    "admission: account, limits, load",
    /^service\/http\/(?:request-admission|rate-limit|load-shedding|request-head|transport-security|account-origin|idempotency)\.ts|^service\/accounts\//u,
  ],
  ["operation", /^service\/(?:areas|data-plane|jobs|git)\//u],
  ["Node.js: HTTP and sockets", /^node:(?:_http|http$|net$|internal\/stream)/u],
  ["routing and hooks", /^(?:service\/|fastify\/|find-my-way|avvio|light-my-request)/u],
];

/** Validators that ajv compiled have no file; `logRequest` is in the file of the hooks. */
export const partOfService: PartOf = (functionName, file) => {
  if (/^validate\d+$/u.test(functionName)) return "validation";
  if (functionName === "logRequest") return "log and metrics";
  return file === "" ? undefined : parts.find(([, files]) => files.test(file))?.[0];
};
