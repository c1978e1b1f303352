// A modal dialog on the browser's own element, which keeps the focus inside and closes on Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "./i18n/text.ts";

/** Shows a dialog until it is closed. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t("action.close")}
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
