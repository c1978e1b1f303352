// The handlers of all requests, and the session that they share.
export { closeEphemeral, openEphemeral, validateEphemeralResource } from "./ephemeral-requests.ts";
export { list, validateList } from "./list-requests.ts";
export {
  allFunctions,
  allIdentitySchemas,
  allSchemas,
  callFunction,
  configure,
  metadata,
  readDataSource,
  validateDataSource,
  validateProvider,
} from "./provider-requests.ts";
export {
  applyChange,
  importResource,
  moveState,
  planChange,
  readResource,
  upgradeIdentity,
  upgradeState,
  validateResource,
} from "./resource-requests.ts";
export { createSession } from "./session.ts";
