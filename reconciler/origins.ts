// Origins as people grant them, and as addresses have them: one form to compare.

/** `https://host`, in small letters and without the port that goes without saying; `https://*.host` likewise. What is no address stays as it is. */
export function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** True for what can be granted: http or https, a host, `*.` before it for every host below, and nothing behind. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\/(?:\*\.)?[^/?#@\s*]+\/?$/iu.test(text) && URL.canParse(text);
}
