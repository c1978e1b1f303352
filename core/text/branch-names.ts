// Prefixes of branch names that have a meaning.

/** Prefix of personal dev-mode branches. The API refuses it for other branches. */
export const devModePrefix = "dev-";

/** Prefix of the branches that applies of data models create and delete. A killed apply leaves one, which has no effect and is deleted later. */
export const temporaryPrefix = "svc-apply-";
