// A panel that a button opens. Escape and a click elsewhere close it; the focus returns to the button.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** The panel that is open. It may be lower than the rest of the page. */
export const openPanel = signal<HTMLElement | undefined>(undefined);

/** Shows a button and its panel. `children` get a function that closes the panel. */
export function Popover({
  label,
  text,
  isDisabled = false,
  title,
  className = "",
  role,
  children,
}: {
  /** The name for screen readers, if it differs from the text. */
  readonly label?: string;
  readonly text: ComponentChildren;
  readonly isDisabled?: boolean;
  readonly title?: string | undefined;
  readonly className?: string;
  readonly role?: "menu" | "dialog";
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setIsOpen(false);
    button.current?.focus();
  };
  // Before the next key: a late focus would be lost with the panel.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    panel.current?.querySelector<HTMLElement>("input, select, button, [tabindex]")?.focus();
    keepInView(panel.current);
    openPanel.value = panel.current ?? undefined;
    const onPointer = ({ target }: PointerEvent): void => {
      const isInside = [panel, button].some(({ current }) => current?.contains(target as Node));
      if (!isInside) setIsOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => {
      document.removeEventListener("pointerdown", onPointer);
      openPanel.value = undefined;
    };
  }, [isOpen]);
  return (
    <div
      class={`popover ${className}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        class="popover-button"
        disabled={isDisabled}
        title={title}
        aria-label={label}
        aria-expanded={isOpen}
        aria-haspopup={role ?? "dialog"}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {text}
      </button>
      {isOpen && (
        <div ref={panel} id={id} class="popover-panel" role={role ?? "dialog"} aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** Moves a panel that would leave the right side of the page. */
function keepInView(panel: HTMLElement | null): void {
  if (panel === null) return;
  const { right } = panel.getBoundingClientRect();
  const over = right - document.documentElement.clientWidth + 8;
  if (over > 0) panel.style.transform = `translateX(${-over}px)`;
}
