import { useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useText } from "../../i18n/i18n.tsx";
import { session, signOut } from "../../session/session.ts";
import { useSignInOptions } from "../options.ts";
import { SignInForm } from "../sign-in-form.tsx";
import { Button } from "../../ui/button.tsx";

/**
 * Over the open page when its session has ended. The browser's own modal dialog stands above every drawer and dialog of the page and keeps
 * the focus from them, so they stay as they are; requests that were refused go out again once somebody has signed in.
 */
export default function SignInAgain() {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { providers } = useSignInOptions();
  // While it still stands in the page, as the browser gives the focus back then only.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => event.preventDefault()}
      // Escape would close the drawers behind.
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      className="m-auto w-[calc(100%-2rem)] max-w-sm rounded-card bg-paper p-6 text-ink shadow-2xl backdrop:bg-backdrop backdrop:backdrop-blur-md"
    >
      <h2 id={`${id}-title`} className="text-lg font-semibold">
        {t("signInAgain.title")}
      </h2>
      <p id={`${id}-text`} className="mt-2 mb-4 text-muted">
        {t("signInAgain.text")}
      </p>
      <SignInForm knownEmail={session.user()?.email ?? ""} />
      {providers.length > 0 && (
        <a href="/signin" target="_blank" rel="noreferrer" className="mt-3 block text-center text-primary-ink underline">
          {t("signInAgain.otherTab")}
        </a>
      )}
      <Button look="plain" className="mt-3 w-full" onClick={() => void signOut()}>
        {t("signInAgain.leave")}
      </Button>
    </dialog>,
    document.body,
  );
}
