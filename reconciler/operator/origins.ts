// Normalizes and checks origins of servers.

/** Returns `https://host` in lower case and without the default port; accepts `https://*.host`. Other text is returned as is. */
export function normalizeOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** Returns true for an origin that can be granted: `http(s)://host`, or `*.host` for all subdomains, and nothing after it. */
export function isGrantableOrigin(text: string): boolean {
  return /^https?:\/\/(?:\*\.)?[^/?#@\s*]+\/?$/iu.test(text) && URL.canParse(text);
}
