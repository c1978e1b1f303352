// Speaks sentences to screen readers through one live region a page.

const region = document.createElement("div");
region.className = "visually-hidden";
region.setAttribute("role", "status");
region.setAttribute("aria-live", "polite");
document.body.append(region);

/** Speaks a sentence after what is being spoken. */
export function announce(sentence: string): void {
  // The same sentence twice is spoken twice.
  region.textContent = region.textContent === sentence ? `${sentence} ` : sentence;
}
