// Formats of Intl by language and options. Making one takes long, so that they are kept.

const mostKept = 500;

/** Returns a function that returns formats of a class; English ones for a language that is none. */
export function intlFormats<Options extends object, Format>(
  make: new (locale: string, options: Options) => Format,
): (locale: string, options: Options) => Format {
  const kept = new Map<string, Format>();
  return (locale, options) => {
    const key = `${locale}${JSON.stringify(options)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    let made: Format;
    try {
      made = new make(locale, options);
    } catch {
      made = new make("en-US", options);
    }
    if (kept.size > mostKept) kept.clear();
    kept.set(key, made);
    return made;
  };
}
