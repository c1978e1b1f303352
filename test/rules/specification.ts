// The rules and table rows of the specification for the areas that are served: each needs a test whose title begins with its id.

/** One rule or row: the id that titles name, and what it says, in short. */
export interface Rule {
  readonly id: string;
  readonly says: string;
}

/** In the order of the specification. */
export const rules: readonly Rule[] = [
  ...of("service", {
    "item 4": "minting answers with a short-lived session identifier",
    "item 5": "an admin subscribes users and embed users to a notification",
    "item 6": "the API publishes its own OpenAPI 3.1 description",
    "base address": "bodies are JSON",
    "only HTTPS": "plain HTTP on loopback alone, our recorded deviation",
  }),
  ...of("NotificationRecipientInput row", {
    type: "required; one of three",
    userId: "of type USER; this or email",
    email: "of type USER, this or userId; of an embed user, where to deliver",
    embedTenantName: "of type EMBED_USER",
    externalId: "of type EMBED_USER",
    groups: "each has to exist",
    securityContext: "free-form; stored for rendering",
    userAttributes: "each has to be defined",
    channelId: "of type SLACK",
    channelName: "of type SLACK",
  }),
  ...of("UserAttributeInput row", {
    name: "required",
    value: "one of five types, or null",
  }),
  ...of("NotificationRecipient row", {
    type: "required; one of three",
    userId: "of an internal user",
    username: "of whom it is",
    email: "where it is delivered",
    embedUserId: "of an embed user",
    embedTenantName: "of an embed user",
    externalId: "of an embed user",
    channelId: "of a channel, which nobody can subscribe",
    channelName: "of a channel, which nobody can subscribe",
  }),
  ...of("NotificationRecipientsMutationResponse row", {
    createdRecipients: "newly subscribed; always there",
    updatedRecipients: "existing, whose properties changed; always there",
    unchangedRecipients: "existing and left as they were; always there",
  }),
  ...of("generate-session request row", {
    deploymentId: "required; the deployment that the session is for",
    externalId: "conditional; lowercase and trimmed",
    internalId: "conditional; the name of a user who exists",
    email: "attached to the external user; never with internalId",
    userProfile: "a profile; never with internalId",
    embedTenantName: "its form; the current tenant where it is left out",
    creatorMode: "resolves in the embed tenant; needs the tenant flag",
    userAttributes: "names with values; never with internalId",
    groups: "names, not ids; never with internalId",
    userAttributeDefinitions: "need creator mode",
    groupDefinitions: "need creator mode",
    securityContext: "free-form; never with internalId",
    settings: "per-session overrides",
  }),
  ...of("generate-session request", {
    "with internalId": "six members are disallowed; the user's own permissions apply",
  }),
  ...of("generate-session response row", { sessionId: "the identifier for the signed address" }),
  ...of("SessionSettings row", { showDashboardChat: "omitted inherits, false hides, true shows" }),
  ...of("UserProfile row", {
    displayName: "a human-readable name",
    picture: "an absolute http or https address, checked in form and never fetched",
  }),
  ...of("UserProfile", {
    "keyed by externalId": "both members are stored on the external user",
    overwrites: "sending it again overwrites what was saved",
    "omitting the profile": "keeps what was saved",
    "omitting a property": "keeps what was saved of it",
  }),
  ...of("attribute value row", {
    name: "references a definition that exists",
    value: "its type is the definition's; null clears",
  }),
  ...of("GroupDefinition row", {
    name: "a group of the name is used again",
    description: "updated when supplied and different, never cleared",
  }),
  ...of("UserAttributeDefinition row", {
    name: "an attribute of the name is used again",
    type: "one of four; immutable",
    displayName: "updated when supplied and different",
    defaultValue: "updated when supplied and different",
    description: "updated when supplied and different",
  }),
  ...of("endpoint row", {
    "POST recipients": "1 to 1000 recipients in, three lists out",
    "POST generate-session": "JSON and Api-Key in, a session identifier out",
    "GET embed-tenants groups": "the tenant's groups, by cursor",
    "DELETE embed-tenants group": "deletes it",
    "GET embed-tenants user-attributes": "the tenant's attributes, by cursor",
    "DELETE embed-tenants user-attribute": "deletes it",
    "GET spec": "OpenAPI 3.1",
    "GET deployments": "the list",
    "embed-tenants need an admin": "admin access with the same Api-Key authentication",
  }),
  ...of("recipients rule", {
    "1": "the caller is an administrator",
    "2": "USER is identified by userId or email",
    "3": "EMBED_USER by tenant and external id, created where missing, with what is stored for rendering",
    "4": "SLACK is rejected",
    "5": "every recipient resolves to a valid email, or nothing is written",
    "6": "idempotent, each recipient in exactly one list",
  }),
  ...of("generate-session rule", {
    "1": "exactly one of externalId and internalId",
    "2": "a key scoped to deployments reaches only those",
    "3": "where attribute names are looked up, and the message for unknown ones",
    "4": "no duplicate attribute names; values are kept by user and overwritten by name",
    "5, omitted groups": "memberships are kept",
    "5, empty groups": "memberships are cleared",
    "5, named groups": "memberships become exactly these",
    "6": "where group names are looked up, and the message for unknown ones",
    "7, needs": "creator mode, an embed tenant's name and the tenant flag",
    "7, scope": "only the embed tenant's groups and attributes",
    "7, idempotent": "the same definitions twice are the same",
    "7, order": "they are applied before groups and attributes",
    "7, duplicates": "no name twice in one request",
    "8": "an attribute's type cannot change, and nothing is written",
    "9": "the same request twice ends in the same state",
  }),
  ...of("endpoint row", { "PUT deployment": "an update body in, the updated deployment out" }),
  ...of("client area", {
    "Deployments, create": "name, region, and a body with a deploy mode or a creation method",
    "Deployments, list, get, update, delete": "what the client does with them",
    "Deployments, settings": "every setting, with version and channel in effect",
    "Deployments, token": "mints a token for the data API",
    "Version change, list": "channel heads and older versions that the account ran",
    "Version change, spellings": "`1.2.3`, `v1.2.3` or `<image>:v1.2.3`",
    "Version change, off the list": "is rejected",
    "Version change, channel": "moves to the channel's latest",
    "Version change, image": "is derived from the version",
    "Other, variables": "listed, set and deleted",
  }),
  ...of("authentication", {
    "1": "the Bearer scheme on the management and build APIs",
    "2": "a key is sent as a bearer token",
    "4": "the Api-Key scheme on sessions and embed tenants",
    "5": "scoped and unscoped keys",
    "6": "the principal is a user, who has to be an admin",
    "7": "data-API tokens are minted by the deployment token operation",
    "9": "credentials are secrets",
  }),
  ...of("errors", {
    "400 SLACK recipient": "the request contains one",
    "400 unresolved email": "any recipient has none; nothing is written",
    "400 duplicate userAttributes": "in a session request",
    "400 duplicate definitions": "of groups or of attributes",
    "401": "the credential is missing, malformed or expired",
    "403": "the credential is not authorised for the target",
    "message User attributes not found": "an unknown attribute name",
    "message Groups with names <missing> not found": "unknown group names",
    "message cannot change type": "a conflict of types; nothing is written",
  }),
  ...of("limits", {
    "recipients per request": "1 to 1000",
    "external users per account": "10,000, raisable",
    "embedTenantName length": "5 to 36 characters",
    "picture size": "guidance; nothing is fetched",
  }),
  ...of("versioning", {
    "1": "the path prefixes, and version 1.0.0 of the description",
    "2": "the description is that of the build that serves it",
    "3": "a deployment runs a version chosen from a list",
  }),
];

function of(prefix: string, rows: Readonly<Record<string, string>>): readonly Rule[] {
  return Object.entries(rows).map(([name, says]) => ({ id: `${prefix} ${name}`, says }));
}
