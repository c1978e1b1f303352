// What stands in place of a dashboard that cannot be loaded: a sentence, and a button that tries again.

/** What viewers read where a dashboard cannot be loaded. */
export interface EmbedTexts {
  /** "The dashboard cannot be loaded." by default. */
  readonly unavailable?: string;
  /** The text of the button; "Try again" by default. */
  readonly retry?: string;
}

/** Shows and hides the sentence. */
export interface Notice {
  show(): void;
  hide(): void;
}

/** Creates the sentence for an element. It has the font and the colors of the host. */
export function createNotice(mount: Element, texts: EmbedTexts, retry: () => void): Notice {
  const box = document.createElement("div");
  box.role = "alert";
  box.style.cssText = "padding:24px;text-align:center";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = texts.retry ?? "Try again";
  button.addEventListener("click", retry);
  box.append(texts.unavailable ?? "The dashboard cannot be loaded.", " ", button);
  return {
    show: () => void (box.isConnected || mount.prepend(box)),
    hide: () => box.remove(),
  };
}
