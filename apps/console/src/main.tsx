import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { noteFirstScreen } from "./code-files.ts";
import { firstPart, reloadOnceReachable } from "./lazy-screen.ts";
import { connection, useStanding } from "./api/connection.ts";
import { expectFirstScreen, LanguageProvider, loadLanguage, type Language } from "./i18n/i18n.tsx";
import { noteAddress } from "./last-address.ts";
import { router } from "./router.tsx";
import { resumeSession, session, useIsLapsed } from "./session/session.ts";
import { followLook, locale } from "./settings.ts";
import { StatusStrip } from "./api/status-strip.tsx";
import "./theme.css";

const MaintenanceCover = firstPart(() => import("./error-pages/maintenance-cover.tsx"));
const SignInAgain = firstPart(() => import("./sign-in/again/sign-in-again.tsx"));

/** The screens stay mounted behind the maintenance page and a repeated sign-in, so that nothing typed into them is lost. */
function App({ language, hasScreens }: { language: Language; hasScreens: boolean }) {
  const isUnderMaintenance = useStanding() === "maintenance";
  const isLapsed = useIsLapsed();
  return (
    <LanguageProvider initial={language}>
      {hasScreens && <RouterProvider router={router} />}
      {isUnderMaintenance ? (
        <Suspense>
          <MaintenanceCover />
        </Suspense>
      ) : (
        <StatusStrip />
      )}
      {isLapsed && !isUnderMaintenance && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </LanguageProvider>
  );
}

async function start(): Promise<void> {
  followLook();
  const element = document.getElementById("root");
  if (!element) return;
  const root = createRoot(element);
  if (session.isExpected()) expectFirstScreen();
  const resumed = resumeSession();
  const language = await loadLanguage(locale.get()).catch(reloadOnceReachable);
  const render = (hasScreens: boolean) =>
    root.render(
      <StrictMode>
        <App language={language} hasScreens={hasScreens} />
      </StrictMode>,
    );
  // Until it is known who is signed in, there is something to show only if the server is away.
  render(false);
  await resumed;
  followSession();
  followConnection();
  router.subscribe("onRendered", noteFirstScreen);
  router.subscribe("onResolved", noteAddress);
  render(true);
}

function personAndRole(): string {
  const user = session.user();
  return user ? [user._id, ...user.role].join(" ") : "";
}

/** Runs the guards again after signing in or out, and when the role changes. */
function followSession(): void {
  let known = personAndRole();
  session.subscribe(() => {
    const next = personAndRole();
    if (next === known) return;
    known = next;
    void router.invalidate();
  });
}

/** A screen that failed because there was no connection is tried again when the connection is back. */
function followConnection(): void {
  let standing = connection.standing();
  connection.subscribe(() => {
    const next = connection.standing();
    if (next === standing) return;
    standing = next;
    if (next === "connected") void router.invalidate();
  });
}

void start();
