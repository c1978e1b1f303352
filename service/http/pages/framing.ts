// Which pages may show the pages of an account in a frame: the origins that the account declares. Without a declaration, a
// page with a session may be framed by any origin, because whoever has the session may show it; other pages by none.
import type { AppConfig } from "../../areas/app/app-config.ts";

/** Returns the origins that may frame pages and send them messages; empty if the account declares none. */
export function allowedOrigins({ embedding }: Pick<AppConfig, "embedding">): readonly string[] {
  return embedding?.allowedOrigins ?? [];
}

/** Returns the sources of `frame-ancestors` for a page. */
export function frameAncestors(
  origins: readonly string[],
  { isSigned }: { readonly isSigned: boolean },
): string {
  if (origins.length > 0) return ["'self'", ...origins].join(" ");
  return isSigned ? "*" : "'self'";
}
