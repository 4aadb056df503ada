import type { AlertChannel } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { Place } from "./alert-news.ts";
import { DraftWatch, useDraft } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { SecretOnce } from "../secret-once.tsx";
import { Checkbox, RadioGroup } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { createChannel, recipientsQuery, updateChannel } from "./queries.ts";

type Draft = Pick<AlertChannel, "kind" | "name" | "userIds" | "intervalSeconds"> & { url: string };

const draftOf = (channel: AlertChannel | null): Draft => ({
  kind: channel?.kind ?? "email",
  name: channel?.name ?? "",
  url: channel?.url ?? "",
  userIds: channel?.userIds ?? [],
  intervalSeconds: channel?.intervalSeconds ?? 300,
});

type ChannelDialogProps = { place: Place; channel: AlertChannel | null; onClose: () => void };

/** Makes or changes a channel. A webhook's secret is shown once, when it is made. */
export default function ChannelDialog({ place, channel, onClose }: ChannelDialogProps) {
  const t = useText();
  const refresh = useRefresh(place.tenantCode);
  const { data: people = [] } = useQuery(recipientsQuery(place));
  const { base, draft, setDraft, saved: _saved, ...watch } = useDraft(channel, draftOf);
  const { kind, name, url, userIds, intervalSeconds } = draft;
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const [secret, setSecret] = useState<string | null>(null);
  const isWebhook = kind === "webhook";
  const save = useMutation({
    mutationFn: async () => {
      const fields = { name, intervalSeconds, ...(isWebhook ? { url } : { userIds }) };
      if (!base) return (await createChannel(place, { kind, ...fields })).secret;
      await updateChannel(place, base.id, fields, base.version);
      return null;
    },
    // Not waited for: the dialog would take its own version for somebody else's.
    onSettled: () => void refresh(),
  });
  if (secret !== null) {
    return (
      <Modal key="made" title={name} description={t("alerts.secretOnce")} onClose={onClose}>
        <SecretOnce label={t("alerts.secret")} text={secret} onClose={onClose} />
      </Modal>
    );
  }
  const block =
    name.trim() === "" ? t("validation.nameRequired") : isWebhook && !/^https?:\/\/\S+$/.test(url) ? t("alerts.urlRequired") : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (block === null && !save.isPending) save.mutate(undefined, { onSuccess: (made) => (made === null ? onClose() : setSecret(made)) });
  };
  return (
    <Modal title={t(channel ? "alerts.editChannel" : "alerts.newChannel")} onClose={onClose} isHeld={save.isPending && !base && isWebhook}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        {!channel && (
          <RadioGroup
            label={t("alerts.channelKind")}
            value={kind}
            onChange={(next) => set({ kind: next })}
            options={[
              { value: "email", label: t("alerts.channel.email"), hint: t("alerts.channel.emailHint") },
              { value: "webhook", label: t("alerts.channel.webhook"), hint: t("alerts.channel.webhookHint") },
            ]}
          />
        )}
        <TextField
          id="channel-name"
          label={t("users.name")}
          value={name}
          maxLength={200}
          onChange={(event) => set({ name: event.target.value })}
        />
        {isWebhook ? (
          <TextField
            id="channel-url"
            type="url"
            dir="ltr"
            label={t("alerts.url")}
            value={url}
            maxLength={2000}
            onChange={(event) => set({ url: event.target.value })}
          />
        ) : (
          <fieldset className="grid gap-1.5">
            <legend className="mb-1 text-xs text-muted">{t("alerts.recipients")}</legend>
            <div className="grid max-h-60 gap-1.5 overflow-y-auto">
              {people.map((person) => (
                <Checkbox
                  key={person.id}
                  label={person.name}
                  isOn={userIds.includes(person.id)}
                  onChange={(isOn) => set({ userIds: isOn ? [...userIds, person.id] : userIds.filter((id) => id !== person.id) })}
                />
              ))}
            </div>
          </fieldset>
        )}
        <NumberField
          label={t("alerts.interval")}
          value={Math.round(intervalSeconds / 60)}
          min={0}
          max={1_440}
          onChange={(minutes) => set({ intervalSeconds: minutes * 60 })}
        />
        <DraftWatch {...watch} />
        <FormFooter
          action={t("action.save")}
          isBusy={save.isPending}
          disabledReason={block}
          refusal={!watch.isChangedElsewhere && save.error?.message}
        />
      </form>
    </Modal>
  );
}
