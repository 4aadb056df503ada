import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { connection, reload } from "../api/connection.ts";
import { useText } from "../i18n/i18n.tsx";
import { CodeMissing, loadCode } from "../lazy-screen.ts";
import { useNewVersion } from "../api/new-version.ts";
import { ApiError } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { ErrorPage } from "./error-page.tsx";
import { RequestId } from "./request-id.tsx";

/** This page comes with the frame, its pictures do not. It stands when code can't be had, so it does without them then. */
const pictures = () => import("./pictures.tsx").catch(() => null);
const NewVersionPicture = lazy(async () => ({ default: (await pictures())?.NewVersionPicture ?? Nothing }));
const SomethingWrongPicture = lazy(async () => ({ default: (await pictures())?.SomethingWrongPicture ?? Nothing }));
const Nothing = () => null;

/** What stands in place of a screen that failed to load or to render. */
export function SomethingWrongPage({ error }: Pick<ErrorComponentProps, "error">) {
  const isOutdated = useNewVersion() !== "none";
  // The code of a build that is gone: nothing is wrong, only old.
  return error instanceof CodeMissing && isOutdated ? <NewVersion /> : <SomethingWrong error={error} />;
}

function NewVersion() {
  const t = useText();
  usePageTitle(t("newVersion.title"));
  return (
    <ErrorPage
      picture={
        <Suspense>
          <NewVersionPicture />
        </Suspense>
      }
      heading={t("newVersion.title")}
    >
      <p className="max-w-md text-muted">{t("newVersion.text")}</p>
      <Button look="primary" className="mt-2" onClick={() => void reload()}>
        {t("newVersion.reload")}
      </Button>
    </ErrorPage>
  );
}

function SomethingWrong({ error }: { error: unknown }) {
  const t = useText();
  const router = useRouter();
  usePageTitle(t("error.boundary.title"));
  const requestId = requestIdOf(error);
  return (
    <div role="alert">
      <ErrorPage
        picture={
          <Suspense>
            <SomethingWrongPicture />
          </Suspense>
        }
        heading={t("error.boundary.title")}
      >
        <p className="text-muted">{t("error.boundary.text")}</p>
        <p className="text-muted">{t("error.boundary.hint")}</p>
        {requestId && <RequestId id={requestId} />}
        <div className="mt-2 flex flex-wrap justify-center gap-2">
          <Button look="primary" onClick={() => void reload()}>
            {t("action.refresh")}
          </Button>
          <Button onClick={() => void forgetAnswers().then(() => router.invalidate())}>{t("action.tryAgain")}</Button>
        </div>
      </ErrorPage>
    </div>
  );
}

/** What nothing on the screen uses: the answer that it may have broken over is among it. Loaded here, since the sign-in has no use for it. */
async function forgetAnswers(): Promise<void> {
  const { queryClient } = await loadCode(() => import("../api/query-client.ts"));
  queryClient.removeQueries({ type: "inactive" });
}

function requestIdOf(error: unknown): string {
  if (error instanceof ApiError) return error.problem.requestId;
  // A screen that broke over an answer is explained by the newest one; code that is missing broke over none.
  return error instanceof CodeMissing ? "" : connection.lastRequestId();
}
