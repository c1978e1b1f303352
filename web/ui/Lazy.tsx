// A component whose file is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns a component that shows nothing until its file is there. A file that cannot be loaded is tried again with the next one shown. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Shown, setShown] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (Shown !== undefined) return undefined;
      let isGone = false;
      void load().then(
        (component) => {
          loaded = component;
          if (!isGone) setShown(() => component);
        },
        () => undefined,
      );
      return () => {
        isGone = true;
      };
    }, []);
    return Shown === undefined ? null : <Shown {...props} />;
  };
}
