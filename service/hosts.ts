// Hosts as requests name them, brought to one form.
import { hostName } from "../core/texts.ts";

/** `host` in lower case, without its port and the dot that may end a name. */
export function addressOf(host: string): string {
  const text = host.trim().toLowerCase();
  const bare = text.startsWith("[") ? text.replace(/\]:\d*$/, "]") : text.replace(/:\d*$/, "");
  return bare.replace(/\.$/, "");
}

const form = new RegExp(hostName);

/** True for a name that can be a host: labels of letters, digits and hyphens; other letters have to be spelt in ASCII. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && form.test(text);
}
