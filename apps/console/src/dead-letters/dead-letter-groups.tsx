import type { Queue, SettingsChange, Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { ClipboardPen, Ellipsis, List } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { RepairLink, RepairReason, repairOf } from "../messages/repair-link.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useIsPermitted } from "../session/session.ts";
import { BarePopover } from "../ui/bare-popover.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";
import { inUnit } from "../ui/time-unit.ts";
import { subtenantLabel } from "../session/workspace.ts";
import type { GroupRow } from "./queries.ts";
import { Sparkline } from "./sparkline.tsx";
import { TriageLine } from "./triage-status.tsx";
import { OtherVerbs, PatchButton, RequeueButton, type Verb } from "./verb-buttons.tsx";
import { faultText } from "../messages/message-states.ts";

export type GroupVerb = Verb | "triage" | "show";

type DeadLetterGroupsProps = {
  groups: readonly GroupRow[];
  /** There may be more of each than were counted. */
  isFloor: boolean;
  /** Those that have left the list since it was read. */
  goneIds: ReadonlySet<string>;
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
  onAct: (verb: GroupVerb, group: GroupRow) => void;
};

/** What stands in a fingerprint for what differs from message to message. */
const differing = /…|#|<url>|<address>/;

/** One entry an error: how many died of it, where and when, who looks into it, and what to do with all of them. */
export function DeadLetterGroups({ groups, isFloor, goneIds, queues, subtenants, onAct }: DeadLetterGroupsProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <ul>
      {groups.map((group) => (
        <li
          key={group.id}
          className={`flex flex-wrap items-start gap-x-6 gap-y-3 border-t border-line px-4 py-4 first:border-t-0 ${goneIds.has(group.id) ? "line-through grayscale" : ""}`}
        >
          <div className="grid w-24 shrink-0 gap-1">
            <p className="text-2xl font-semibold text-bad tabular-nums">
              {formatNumber(group.count, { notation: "compact" })}
              {isFloor && "+"}
            </p>
            <Sparkline hours={group.hours} />
          </div>
          <div className="grid min-w-[min(18rem,100%)] flex-1 gap-2">
            <h2 dir="auto" className="font-medium rtl:text-right">
              {group.error === null ? (group.errorClass ?? t("deadLetters.noReason")) : faultText(t, group.error)}
            </h2>
            {group.count > 1 && differing.test(group.fingerprint) && <p className="text-xs text-muted">{t("deadLetters.asNewest")}</p>}
            <Places group={group} queues={queues} subtenants={subtenants} />
            {group.changeBefore && <ChangeBefore change={group.changeBefore} firstAt={group.firstAt} queues={queues} />}
            <RepairReason errorClass={group.errorClass} className="text-muted" />
            <TriageLine triage={group.triage} />
          </div>
          {/* What died of nothing named cannot be told from the rest by a filter. */}
          {group.fingerprint !== "" && <GroupActions group={group} onAct={(verb) => onAct(verb, group)} />}
        </li>
      ))}
    </ul>
  );
}

type PlacesProps = { group: GroupRow; queues: Queue[]; subtenants: Pick<Subtenant, "code" | "name">[] };

/** What the error touches: queues, the targets behind them, subtenants. */
function Places({ group, queues, subtenants }: PlacesProps) {
  const t = useText();
  const ofGroup = queues.filter(({ id }) => group.queueIds.includes(id));
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {group.errorClass && <Chip tone="bad">{group.errorClass}</Chip>}
      <FirstNames names={ofGroup.map(({ name }) => name)}>
        {(names) =>
          names.map((name) => (
            <Chip key={name} tone="neutral">
              {name}
            </Chip>
          ))
        }
      </FirstNames>
      <span>
        <FirstNames names={ofGroup.map(({ integrationPoint }) => integrationPoint.name)}>{(names) => names.join(", ")}</FirstNames>
        {group.subtenantCodes.length > 0 && " · "}
        <FirstNames names={group.subtenantCodes.map((code) => subtenantLabel(subtenants, code))}>{(names) => names.join(", ")}</FirstNames>
      </span>
      <span>
        {t("deadLetters.last")} <Time at={group.lastAt} />
      </span>
      <span>
        {t("deadLetters.first")} <Time at={group.firstAt} />
      </span>
    </div>
  );
}

type ChangeBeforeProps = { change: SettingsChange; firstAt: string; queues: Queue[] };

/** The change of settings that the error may come from, with the way to it. */
function ChangeBefore({ change: { integrationPointId, madeAt, madeBy }, firstAt, queues }: ChangeBeforeProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const mayOpenConfiguration = useIsPermitted("operate");
  const duration = formatNumber(...inUnit(Date.parse(firstAt) - Date.parse(madeAt), { unitDisplay: "long", maximumFractionDigits: 0 }));
  const point = queues.find(({ integrationPoint }) => integrationPoint.id === integrationPointId)?.integrationPoint.name;
  // The queues, which name the points, may still be on their way.
  if (integrationPointId !== null && point === undefined) return null;
  const told = { duration, person: madeBy, point: point ?? "" };
  if (integrationPointId === null) {
    return (
      <p className="text-xs">
        <Link to="/mapping-list" search={{ view: "versions" }} className="underline">
          {t("deadLetters.mappingsChanged", told)}
        </Link>
      </p>
    );
  }
  const text = t("deadLetters.settingsChanged", told);
  return (
    <p className="text-xs">
      {mayOpenConfiguration ? (
        <Link to="/configuration" search={{ point: String(integrationPointId) }} className="underline">
          {text}
        </Link>
      ) : (
        text
      )}
    </p>
  );
}

/** Names that stand there at once: an error may touch every queue of the tenant. */
const firstNames = 3;

/** A few of the names, the rest of them on demand. */
function FirstNames({ names, children }: { names: string[]; children: (names: string[]) => ReactNode }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const [isWhole, setIsWhole] = useState(false);
  const all = [...new Set(names)];
  const left = isWhole ? 0 : all.length - firstNames;
  if (left <= 0) return children(all);
  return (
    <>
      {children(all.slice(0, firstNames))}{" "}
      <button type="button" title={t("list.more")} onClick={() => setIsWhole(true)} className="min-h-6 min-w-6 text-primary-ink underline">
        {formatNumber(left, { signDisplay: "always" })}
      </button>
    </>
  );
}

type ActionsProps = { onAct: (verb: GroupVerb) => void };

/** What repairs comes first. On narrow screens what is seldom done stands behind a button, so that a card is about its error. */
function GroupActions({ group: { errorClass, integrationPointIds }, onAct }: ActionsProps & { group: GroupRow }) {
  const t = useText();
  const repair = repairOf(errorClass);
  const hasPatch = repair !== "document";
  const more = (
    <button type="button" aria-label={t("menu.more")} title={t("menu.more")} className={buttonClass("quiet", "lg:hidden")}>
      <Ellipsis aria-hidden className="size-4" />
    </button>
  );
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => onAct("show")}>
        <List aria-hidden className="size-4" />
        {t("action.show")}
      </Button>
      <RepairLink errorClass={errorClass} pointIds={integrationPointIds} className={buttonClass("primary")} />
      {repair === "document" && <PatchButton look="primary" onAct={onAct} />}
      <RequeueButton look={repair ? "quiet" : "primary"} onAct={onAct} />
      <SeldomActions className="max-lg:hidden" hasPatch={hasPatch} onAct={onAct} />
      <BarePopover label={t("menu.more")} align="end" trigger={more}>
        {(close) => (
          <div className="grid gap-2 p-4">
            <SeldomActions
              className="justify-start"
              hasPatch={hasPatch}
              onAct={(verb) => {
                close();
                onAct(verb);
              }}
            />
          </div>
        )}
      </BarePopover>
    </div>
  );
}

function SeldomActions({ onAct, className, hasPatch }: ActionsProps & { className: string; hasPatch: boolean }) {
  const t = useText();
  return (
    <>
      <Button className={className} disabledReason={useRoleReason("operate")} onClick={() => onAct("triage")}>
        <ClipboardPen aria-hidden className="size-4" />
        {t("triage.action")}
      </Button>
      {hasPatch && <PatchButton className={className} onAct={onAct} />}
      <OtherVerbs className={className} onAct={onAct} />
    </>
  );
}
