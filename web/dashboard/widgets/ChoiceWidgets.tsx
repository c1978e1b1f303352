// Controls with a list of choices: granularities, members, and parents of other controls.
import {
  chosenOption,
  fieldsOf,
  grainsOf,
  isLocked,
  memberOf,
} from "../../../charts/config/control-values.ts";
import { useId } from "preact/hooks";
import { parentOptionsOf } from "../../../charts/config/parent-options.ts";
import { hasText, t } from "../../ui/i18n/text.ts";
import { withParent } from "../state/controls.ts";
import { titleOf, useMembers } from "../state/members.ts";
import { textOf, type Widget } from "../state/widgets.ts";
import type { WidgetProps } from "./widget-props.ts";

interface Choice {
  readonly value: string;
  readonly title: string;
}

function ChoiceControl({
  label,
  value,
  choices,
  isDisabled,
  onChoose,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly isDisabled: boolean;
  readonly onChoose: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="control">
      <label class="control-label" for={id}>
        {label}
      </label>
      <select
        id={id}
        class="field"
        value={value}
        disabled={isDisabled}
        title={isDisabled ? t("control.locked") : undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </div>
  );
}

function labelOf({ config }: Widget): string {
  return textOf(config["title"]) || textOf(config["label"]);
}

/** Returns the name of a granularity: a built-in one in the language of the viewer, another as it is. */
function grainTitle(grain: string): string {
  const key = `grain.${grain}`;
  return hasText(key) ? t(key) : grain;
}

/** Chooses the granularity of a time dimension. */
export function GrainWidget({ store, widget }: WidgetProps) {
  const members = useMembers(store);
  const value = store.values.value.grains.get(widget.id) ?? "";
  return (
    <ChoiceControl
      label={labelOf(widget) || titleOf(members, memberOf(widget))}
      value={value}
      isDisabled={isLocked(widget)}
      choices={[
        { value: "", title: t("control.asPublished") },
        ...grainsOf(widget).map((grain) => ({ value: grain, title: grainTitle(grain) })),
      ]}
      onChoose={(grain) =>
        store.pick((picks) => ({
          ...picks,
          grains: { ...picks.grains, [widget.id]: grain || null },
        }))
      }
    />
  );
}

/** Chooses a member in place of the published one. */
export function FieldWidget({ store, widget }: WidgetProps) {
  const members = useMembers(store);
  const own = memberOf(widget);
  return (
    <ChoiceControl
      label={labelOf(widget) || titleOf(members, own)}
      value={store.values.value.fields.get(widget.id) ?? own}
      isDisabled={isLocked(widget)}
      choices={fieldsOf(widget).map((member) => ({
        value: member,
        title: titleOf(members, member),
      }))}
      onChoose={(member) =>
        store.pick((picks) => ({ ...picks, fields: { ...picks.fields, [widget.id]: member } }))
      }
    />
  );
}

/** Chooses one of the options that set other controls. */
export function ParentWidget({ store, widget }: WidgetProps) {
  const options = parentOptionsOf(widget);
  const chosen = chosenOption(widget, store.picks.value);
  return (
    <ChoiceControl
      label={labelOf(widget)}
      value={String(chosen)}
      isDisabled={isLocked(widget)}
      choices={[
        ...(chosen === -1 ? [{ value: "-1", title: "–" }] : []),
        ...options.map(({ title }, index) => ({ value: String(index), title })),
      ]}
      onChoose={(option) => store.pick((picks) => withParent(picks, widget, Number(option)))}
    />
  );
}
