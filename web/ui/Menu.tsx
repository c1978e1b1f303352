// A menu of actions.
import type { ComponentChildren } from "preact";
import { Popover } from "./Popover.tsx";

/** An action of a menu. */
export interface MenuAction {
  readonly title: string;
  readonly run: () => void;
}

/** Shows a button that opens a menu. Arrow keys move between its actions. */
export function Menu({
  label,
  text,
  actions,
  className = "",
}: {
  readonly label: string;
  readonly text: ComponentChildren;
  readonly actions: readonly MenuAction[];
  readonly className?: string;
}) {
  if (actions.length === 0) return null;
  return (
    <Popover label={label} text={text} role="menu" className={`menu ${className}`}>
      {(close) => (
        <div
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            const items = [...event.currentTarget.querySelectorAll("button")];
            const at = items.indexOf(document.activeElement as HTMLButtonElement);
            items[(at + step + items.length) % items.length]?.focus();
          }}
        >
          {actions.map(({ title, run }) => (
            <button
              key={title}
              type="button"
              role="menuitem"
              class="menu-item"
              onClick={() => {
                close();
                run();
              }}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
