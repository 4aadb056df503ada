import type { ExternalMessageDetails, SignatureState } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { entityTypeText } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { CopyableId } from "../ui/copyable-id.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { ExternalStateChip } from "./external-state-chip.tsx";

const signatures: Record<SignatureState, { label: TextKey; tone: Tone }> = {
  valid: { label: "external.signature.valid", tone: "ok" },
  invalid: { label: "external.signature.invalid", tone: "bad" },
  stale: { label: "external.signature.stale", tone: "bad" },
  missing: { label: "external.signature.missing", tone: "bad" },
  "none-configured": { label: "external.signature.noneConfigured", tone: "warn" },
  "not-applicable": { label: "external.signature.notApplicable", tone: "neutral" },
};

const channelTexts = {
  hook: "external.channel.hook",
  gateway: "external.channel.gateway",
  poll: "external.channel.poll",
  import: "external.channel.import",
} as const;

export function ExternalMessageFacts({ tenantCode, message }: { tenantCode: string; message: ExternalMessageDetails }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const signature = signatures[message.signature];
  const facts = [
    { name: t("external.received"), value: <CopyableTime at={message.receivedAt} /> },
    { name: t("external.integrationPoint"), value: message.integrationPointName ?? "–" },
    { name: t("filter.subtenant"), value: subtenantLabel(subtenants, message.subtenantCode) },
    { name: t("message.source"), value: message.source ?? "–" },
    { name: t("external.channel"), value: t(channelTexts[message.channel]) },
    { name: t("message.entityType"), value: message.entityType === null ? "–" : entityTypeText(t, message.entityType) },
    { name: t("filter.key"), value: message.key ?? "–" },
    { name: t("external.contentType"), value: message.contentType ?? "–" },
    { name: t("external.size"), value: formatNumber(message.sizeBytes, { style: "unit", unit: "byte", unitDisplay: "long" }) },
    { name: t("external.signature"), value: <Chip tone={signature.tone}>{t(signature.label)}</Chip> },
    { name: t("message.id"), value: <CopyableId id={message.id} /> },
    ...(message.removedAt
      ? [
          { name: t("external.removedAt"), value: <CopyableTime at={message.removedAt} /> },
          { name: t("external.removedBy"), value: message.removedBy ?? "–" },
        ]
      : []),
  ];
  return (
    <Card title={t("details.title")}>
      <Facts facts={facts} />
      <Replays message={message} />
    </Card>
  );
}

/** What the message repeats, and what was made of it. */
function Replays({ message: { replayOf, replays } }: { message: ExternalMessageDetails }) {
  const t = useText();
  if (replayOf === null && replays.length === 0) return null;
  return (
    <div className="grid gap-2 border-t border-line p-4">
      {replayOf !== null && (
        <p>
          {t("external.replayOf")} <ExternalLink id={replayOf} />
        </p>
      )}
      {replays.map(({ id, state, receivedAt }) => (
        <p key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>
            {t("external.replayedAs")} <ExternalLink id={id} />
          </span>
          <ExternalStateChip state={state} />
          <CopyableTime at={receivedAt} isRelative />
        </p>
      ))}
    </div>
  );
}

function ExternalLink({ id }: { id: string }) {
  return (
    <Link to="/externalmessages/details/$messageId" params={{ messageId: id }} className="font-mono text-primary-ink underline">
      {id}
    </Link>
  );
}
