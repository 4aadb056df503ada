import { Outlet, useMatches, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useIntl } from "react-intl";
import { focusHeading } from "./focus-heading.ts";
import { useText } from "./i18n/i18n.tsx";
import { useInterimTitle } from "./ui/page-title.ts";

/** Around every screen: the tab's title, and what someone who can't see the screen change has to be told. */
export function RootScreen() {
  const t = useText();
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.rule?.title });
  const { messages } = useIntl();
  // On the way in from the sign-in, the screen's texts come after its title is asked for.
  useInterimTitle(title && title in messages ? t(title) : "");
  return (
    <>
      <Outlet />
      <Announcement />
    </>
  );
}

/** After a navigation the keyboard goes on at the new heading, and screen readers hear where they are. */
function Announcement() {
  const router = useRouter();
  const [text, setText] = useState("");
  useEffect(
    () =>
      router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
        // The first page is announced by the browser.
        if (!pathChanged || !fromLocation) return;
        // The screen sets its title in an effect, which comes before the next frame.
        requestAnimationFrame(() => {
          setText(document.title);
          focusHeading();
        });
      }),
    [router],
  );
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}
