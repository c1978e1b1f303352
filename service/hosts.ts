// Hosts as requests name them, brought to one form.

/** `host` in lower case, without its port and the dot that may end a name. */
export function addressOf(host: string): string {
  const text = host.trim().toLowerCase();
  const bare = text.startsWith("[") ? text.replace(/\]:\d*$/, "]") : text.replace(/:\d*$/, "");
  return bare.replace(/\.$/, "");
}
