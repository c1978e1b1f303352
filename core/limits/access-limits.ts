// Every bound of roles, policies, users, API keys, sessions, tokens and sign-in. `limits.ts` contains them.

/** The limits. A name without a unit counts things. */
export const accessLimits = {
  /** Roles of one account, and of one user. Built-in roles do not count. */
  roles: 1000,
  rolesOfUser: 10,
  /** Policies of one role, and IDs of objects in all of them. */
  rolePolicies: 200,
  roleResources: 1000,
  /** Policies on one object, for users and for groups. */
  resourcePolicies: 1000,
  /** Objects that the rights of a user name, for each action that policies grant on a type. */
  shownGrantResources: 1000,
  /** Bytes of the settings of one user as JSON. */
  userSettingsBytes: 64 * 1024,
  /** Deployments in the scope of one API key. */
  scopedDeployments: 1000,
  /** States that an API key may list. */
  keyStates: 100,
  /** Members in one call on a group's members. */
  members: 1000,
  /** Characters of a password. */
  passwordMin: 12,
  passwordMax: 256,
  /** Passwords that a server hashes concurrently (each takes 19 MiB), and how long others wait. */
  passwordHashes: 4,
  passwordWaitMs: 5000,
  /** Wrong passwords of a user before each further one delays the next attempt, twice as long each time. */
  freeSignInFailures: 5,
  signInDelayMs: 30_000,
  signInDelayMaxMs: 900_000,
  /** Wrong passwords and codes from one address in a window. */
  addressSignInFailures: 30,
  addressSignInMs: 300_000,
  /** Lifetime of a session of the sign-in pages, and of a link to set a password. */
  browserSessionMs: 28_800_000,
  passwordLinkMs: 259_200_000,
  /** Bytes of a form of the sign-in pages. */
  signInFormBytes: 8192,
  /** Lifetimes of OAuth records. A refresh token is replaced at each use; the grant ends its chain. */
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 2_592_000,
  grantSeconds: 31_536_000,
  deviceCodeSeconds: 900,
  authorizationCodeSeconds: 60,
  authorizationSeconds: 900,
  /** Pause between polls for a device code, and the time that each early poll adds. */
  devicePollSeconds: 5,
  devicePollMaxSeconds: 60,
  /** Device codes and authorizations of an account that wait for a user. */
  pendingAuthorizations: 10_000,
  /** Bytes of the file of contexts, and of a response of an OAuth server. */
  contextFileBytes: 1024 * 1024,
  oauthAnswerBytes: 64 * 1024,
  /** Age from which the lock of the file counts as abandoned: longer than a refresh takes. Attempts to get the lock. */
  contextLockMs: 60_000,
  contextLockAttempts: 120,
  /** Workload trusts of an account, and claims of one. */
  workloadTrusts: 1000,
  workloadClaims: 20,
  /** Lifetime of the tokens that pipelines get, unless a trust says otherwise, and the shortest one. */
  workloadTokenSeconds: 900,
  workloadTokenSecondsMin: 60,
  /** Characters of an OIDC token, audiences of it that count, its longest lifetime, and the accepted difference of clocks. */
  workloadAssertionMax: 16_384,
  workloadAudiences: 10,
  workloadAssertionSeconds: 86_400,
  workloadClockSkewSeconds: 60,
  /** How long before its end a token is replaced, and tokens that a process keeps. */
  workloadRenewalMs: 60_000,
  workloadTokens: 100,
  /** Identity providers of an account, domains of the emails that one signs in, and providers whose metadata a server keeps. */
  identityProviders: 20,
  identityProviderDomains: 100,
  knownIdentityProviders: 100,
  /** SCIM integrations of an account. How long a token is accepted after its rotation, and the longest such time. */
  scimIntegrations: 20,
  previousScimTokenSeconds: 86_400,
  previousScimTokenSecondsMax: 604_800,
  /** How much later a request is recorded as the last one of an integration. */
  scimRequestRecordMs: 60_000,
  /** OAuth clients of an account, and redirect URIs of one. */
  oauthClients: 100,
  oauthRedirectUris: 20,
  /** Issuers whose keys a server keeps, and keys of one. */
  issuers: 100,
  issuerKeys: 100,
  /** How long keys count as current, and the pause before an unknown key or a failure is looked up again. */
  issuerKeysMs: 600_000,
  issuerKeysPauseMs: 30_000,
  /** OAuth servers of accounts and their addresses that a server keeps. */
  oauthServers: 32,
  /** External users an account may have unless the operator raises it. */
  externalUsers: 10_000,
  /** Definitions of attributes, or of groups, in one request. */
  definitions: 1000,
  /** Embed tenants with access to one workbook. */
  embedAccess: 5000,
  /** Roles of one session. */
  sessionRoles: 20,
  /** Lifetime of a session identifier that was not exchanged. */
  sessionSeconds: 300,
  /** Lifetime of an embed token. */
  embedTokenSeconds: 86_400,
  /** Time after which an embed token no longer carries administrator rights. */
  embedAdministratorSeconds: 3600,
  /** Lifetime of a token for a deployment's data by default, and at most. */
  dataTokenSeconds: 86_400,
} as const;
