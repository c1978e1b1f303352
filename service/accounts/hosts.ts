// Hosts as requests name them, brought to one form.
import { hostNamePattern } from "../../core/text-patterns.ts";

/** `host` in lower case, without its port and the dot that may end a name. */
export function normalizeHost(host: string): string {
  const text = host.trim().toLowerCase();
  const bare = text.startsWith("[") ? text.replace(/\]:\d*$/, "]") : text.replace(/:\d*$/, "");
  return bare.replace(/\.$/, "");
}

const hostPattern = new RegExp(hostNamePattern);

/** True for a name that can be a host: labels of letters, digits and hyphens; other letters have to be spelt in ASCII. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text);
}
