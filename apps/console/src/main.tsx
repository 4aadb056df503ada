import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LanguageProvider, loadLanguage, type Language } from "./i18n/i18n.tsx";
import { router } from "./router.tsx";
import { resumeSession, session } from "./session.ts";
import { followLook, locale } from "./settings.ts";
import "./theme.css";

function App({ language }: { language: Language }) {
  return (
    <LanguageProvider initial={language}>
      <RouterProvider router={router} />
    </LanguageProvider>
  );
}

async function start(): Promise<void> {
  followLook();
  const [language] = await Promise.all([loadLanguage(locale.get()), resumeSession()]);
  followSession();
  const root = document.getElementById("root");
  if (root)
    createRoot(root).render(
      <StrictMode>
        <App language={language} />
      </StrictMode>,
    );
}

/** Signing in or out runs the guards again. */
function followSession(): void {
  let userId = session.user()?._id;
  session.subscribe(() => {
    const nextId = session.user()?._id;
    if (nextId === userId) return;
    userId = nextId;
    void router.invalidate();
  });
}

void start();
