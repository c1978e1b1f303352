// A page with one sentence: it loads, or it cannot be shown.
import { t } from "../ui/i18n/text.ts";

/** Shows a sentence, and what the viewer can do. */
export function PageMessage({
  text,
  isBusy = false,
  signIn,
  onRetry,
}: {
  readonly text: string;
  readonly isBusy?: boolean;
  /** The address of the sign-in, which a frame opens in a window of its own. */
  readonly signIn?: { readonly address: string; readonly isFramed: boolean };
  readonly onRetry?: () => void;
}) {
  return (
    <main class="page-message" aria-busy={isBusy}>
      <p role="status" class={isBusy ? "visually-hidden" : ""}>
        {text}
      </p>
      {signIn !== undefined && (
        <a
          class="button primary"
          href={signIn.address}
          {...(signIn.isFramed && { target: "_blank", rel: "opener" })}
        >
          {t("action.signIn")}
        </a>
      )}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          {t("action.retry")}
        </button>
      )}
    </main>
  );
}
