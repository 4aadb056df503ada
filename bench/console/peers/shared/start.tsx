import "@fontsource/poppins/latin-400.css";
import "@fontsource/poppins/latin-500.css";
import "@fontsource/poppins/latin-600.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { LanguageProvider, loadAllTexts, loadLanguage } from "../../../../apps/console/src/i18n/i18n.tsx";
import { parseQueueSearch } from "../../../../apps/console/src/messages/search.ts";
import { queryClient } from "../../../../apps/console/src/api/query-client.ts";
import { resumeSession } from "../../../../apps/console/src/session/session.ts";
import { locale } from "../../../../apps/console/src/settings.ts";
import { parseTextSearch, writeTextSearch } from "../../../../apps/console/src/text-search.ts";

/** Everything of the page but its looks: session, language, router and queries are the console's own. */
export async function startPage(Page: () => ReactNode): Promise<void> {
  const [language] = await Promise.all([loadAllTexts().then(() => loadLanguage(locale.get())), resumeSession()]);
  const root = createRootRoute();
  const queue = createRoute({ getParentRoute: () => root, path: "/queue", validateSearch: parseQueueSearch, component: Page });
  const router = createRouter({
    routeTree: root.addChildren([queue]),
    parseSearch: parseTextSearch,
    stringifySearch: writeTextSearch,
  });
  const element = document.getElementById("root");
  if (element === null) return;
  createRoot(element).render(
    <LanguageProvider initial={language}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </LanguageProvider>,
  );
}
