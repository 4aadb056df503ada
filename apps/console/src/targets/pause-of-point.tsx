import type { Pause } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Time } from "../ui/time.tsx";

/** Who paused an integration point, when and why. */
export function PauseOfPoint({ pause: { by, at, reason } }: { pause: Pause }) {
  const t = useText();
  return (
    <>
      <bdi>{t("pause.by", { by })}</bdi> · <Time at={at} />
      {reason !== null && (
        <>
          {" "}
          · <bdi>{reason}</bdi>
        </>
      )}
    </>
  );
}

/** The same for a tooltip. */
export function usePauseTitle(): (pause: Pause) => string {
  const t = useText();
  const { formatDate } = useIntl();
  return ({ by, at, reason }) =>
    [t("pause.by", { by }), formatDate(at, { dateStyle: "medium", timeStyle: "short" }), ...(reason === null ? [] : [reason])].join(" · ");
}
