// Lists the contexts of `svc login` for completion.
import { contextFilePath, readContexts } from "../../../client/context-file.ts";
import type { Candidate } from "./candidate.ts";

/** Returns the names of the contexts, described by their servers. */
export function contextCandidates(): readonly Candidate[] {
  const path = contextFilePath(process.env);
  const { contexts } = path === undefined ? { contexts: [] } : readContexts(path);
  return contexts.map(({ name, url }) => ({ value: name, description: url }));
}
