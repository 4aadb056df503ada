import type { AlertRule } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { useIntl } from "react-intl";
import { alertKindTexts } from "./alert-labels.tsx";
import { useFailureNotice } from "../api/failure-notice.ts";
import { lazyPart } from "../lazy-screen.ts";
import type { Place } from "./alert-news.ts";
import { rulesQuery } from "./alert-rules.ts";
import { latestOf } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/choice.tsx";
import { Chip } from "../ui/chip.tsx";
import { Findable } from "../ui/findable.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { showFirst } from "../ui/show-first.ts";
import { useRefresh } from "../live/use-refresh.ts";
import { channelsQuery, createRule, peopleQuery, removeRule, updateRule } from "./queries.ts";
import { useRuleWords } from "./texts.ts";
import { useWhere } from "./use-where.ts";

const RuleDialog = lazyPart(() => import("./rule-dialog.tsx"));

type RulesProps = {
  place: Place;
  /** Id of the rule that a link led to. */
  wanted: string | undefined;
  typed: string;
  onType: (typed: string) => void;
};

export function Rules({ place, wanted, typed, onType }: RulesProps) {
  const t = useText();
  const { data: rules, error, refetch } = useQuery(rulesQuery(place));
  const [edited, setEdited] = useState<AlertRule | "new" | null>(null);
  const words = useRuleWords();
  const where = useWhere(place);
  const told = useTold(place);
  const disabledReason = useRoleReason("configure");
  /** Where there is nothing yet, the way to begin stands there. */
  const isBegun = rules?.length !== 0 || disabledReason !== null;
  const create = (
    <Button look="primary" disabledReason={disabledReason} onClick={() => setEdited("new")}>
      <Plus aria-hidden className="size-4" />
      {t("alerts.newRule")}
    </Button>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      {!place.isInstallation && isBegun && <div className="flex justify-end">{create}</div>}
      <Card>
        {!rules && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={8} />)}
        {rules?.length === 0 && <EmptyState title={t("state.noRecord")} hint={t("alerts.noRules")} action={!isBegun && create} />}
        <Findable
          items={rules ?? []}
          textOf={(rule) => `${t(alertKindTexts[rule.kind])} ${words(rule, where(rule))} ${told(rule) ?? ""}`}
          typed={typed}
          onType={onType}
          className="px-4 pt-4"
        >
          {(found) => (
            <ul className="divide-y divide-line">
              {found.map((rule) => (
                <RuleItem
                  key={rule.id}
                  place={place}
                  rule={rule}
                  isWanted={String(rule.id) === wanted}
                  condition={words(rule, where(rule))}
                  told={told(rule)}
                  disabledReason={disabledReason}
                  onEdit={() => setEdited(rule)}
                />
              ))}
            </ul>
          )}
        </Findable>
      </Card>
      <Suspense fallback={null}>
        {edited !== null && (
          <RuleDialog place={place} rule={edited === "new" ? null : latestOf(edited, rules)} onClose={() => setEdited(null)} />
        )}
      </Suspense>
    </div>
  );
}

type RuleItemProps = {
  place: Place;
  rule: AlertRule;
  isWanted: boolean;
  /** What it watches for and where, in words. */
  condition: string;
  told: string | null;
  disabledReason: string | null;
  onEdit: () => void;
};

function RuleItem({ place, rule, isWanted, condition, told, disabledReason, onEdit }: RuleItemProps) {
  const t = useText();
  const refresh = useRefresh(place.tenantCode);
  const after = {
    onError: useFailureNotice(),
    onSettled: refresh,
  };
  const change = useMutation({ mutationFn: (isActive: boolean) => updateRule(place, rule.id, { isActive }), ...after });
  const putBack = useMutation({
    mutationFn: async () => {
      const { id: _id, openCount: _openCount, version: _version, kind, ...fields } = rule;
      // Of the installation, whose rule stays.
      if (kind !== "outage") await createRule(place.tenantCode, { kind, ...fields });
    },
    ...after,
  });
  const remove = useMutation({
    mutationFn: () => removeRule(place.tenantCode, rule.id),
    onSuccess: () => noticeSuccess(t("alerts.ruleRemoved"), { label: t("action.undo"), run: () => putBack.mutate() }),
    ...after,
  });
  const title = t(alertKindTexts[rule.kind]);
  return (
    <li
      ref={isWanted ? showFirst : undefined}
      aria-current={isWanted || undefined}
      className="flex flex-wrap items-start gap-x-4 gap-y-2 p-4 aria-[current]:bg-primary-soft"
    >
      <span className="pt-0.5">
        <Switch
          label={t("alerts.watchFor", { kind: title })}
          isOn={rule.isActive}
          onChange={(isOn) => change.mutate(isOn)}
          disabledReason={disabledReason}
          isBusy={change.isPending}
        />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {title}
          {rule.openCount > 0 && <Chip tone="bad">{t("alerts.openCount", { count: rule.openCount })}</Chip>}
        </p>
        <p className="text-muted">{condition}</p>
        <p className="min-h-4 text-xs text-muted">{told}</p>
      </div>
      <div className="flex gap-2">
        <Button disabledReason={disabledReason} onClick={onEdit}>
          {t("alerts.edit")}
        </Button>
        {!place.isInstallation && (
          <Button isBusy={remove.isPending} disabledReason={disabledReason} onClick={() => remove.mutate()}>
            {t("action.remove")}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Who is told, and whose it is at first; null as long as the names aren't there. */
function useTold(place: Place): (rule: Pick<AlertRule, "channelIds" | "ownerId">) => string | null {
  const t = useText();
  const { formatList } = useIntl();
  const { data: channels } = useQuery(channelsQuery(place));
  const { data: people } = useQuery(peopleQuery(place));
  return ({ channelIds, ownerId }) => {
    if (!channels || !people) return null;
    const isAll = channelIds === null && channels.length > 1;
    const names = isAll
      ? [t("alerts.allChannels")]
      : channels.filter(({ id }) => channelIds === null || channelIds.includes(id)).map(({ name }) => name);
    const owner = people.find(({ id }) => id === ownerId)?.name;
    const told = t("alerts.toldBy", { channels: formatList([t("notifications.title"), ...names]) });
    return owner === undefined ? told : `${told} ${t("triage.ownedBy", { name: owner })}`;
  };
}
