import type { ExternalMessageDetails } from "@crossdock/contract";
import { useMemo, useState, type ReactNode } from "react";
import { parseCsv, separatorOf } from "../csv.ts";
import { useText } from "../i18n/i18n.tsx";
import { RevealAll } from "../masking/reveal-all.tsx";
import { RevealableJson } from "../masking/revealable-json.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { bodyKindOf, bytesOf, faultsIn, hexDump, indentXml } from "./body-content.ts";

/** What is shown of a binary body and of a table; the rest is in the copy. */
const bytesShown = 64 * 1024;
const rowsShown = 200;

/** A body as it was received, shown as what it is; what was rejected is marked where it stands. */
export function RawBody({ tenantCode, message }: { tenantCode: string; message: ExternalMessageDetails }) {
  const t = useText();
  const [view, setView] = useState<View>("rendered");
  const { body, reasons } = message;
  const label = t("external.body");
  const kind = bodyKindOf(message);
  const faults = useMemo(() => faultsIn(body, reasons), [body, reasons]);
  if (body === "") return <p className="p-4 text-muted">{t("external.noBody")}</p>;
  const source = { kind: "external-message", externalMessageId: message.id } as const;
  const bytes = (
    <Plain label={label} copied={body}>
      {hexDump(bytesOf(message), bytesShown)}
    </Plain>
  );
  if (kind === "binary")
    return (
      <>
        {bytes}
        <RevealAll tenantCode={tenantCode} source={source} text={new TextDecoder().decode(bytesOf(message))} />
      </>
    );
  const text = (
    <Plain label={label} copied={body}>
      {body}
    </Plain>
  );
  const rendered = {
    json: () => <RevealableJson tenantCode={tenantCode} source={source} text={body} label={label} faults={faults} />,
    csv: () => <Table text={body} label={label} />,
    xml: () => (
      <Plain label={label} copied={body}>
        {indentXml(body)}
      </Plain>
    ),
    text: () => text,
  }[kind];
  const isRevealedInPlace = kind === "json" && view === "rendered";
  return (
    <>
      <Tabs
        label={label}
        value={view}
        onChange={setView}
        tabs={[
          { value: "rendered", label: t("external.view.rendered"), content: rendered() },
          { value: "text", label: t("external.view.text"), content: text },
          { value: "bytes", label: t("external.view.bytes"), content: bytes },
        ]}
      />
      {!isRevealedInPlace && <RevealAll tenantCode={tenantCode} source={source} text={body} />}
    </>
  );
}

type View = "rendered" | "text" | "bytes";

function Plain({ label, copied, children }: { label: string; copied: string; children: ReactNode }) {
  return (
    <section dir="ltr" aria-label={label} className="relative min-w-0">
      <CopyButton text={copied} className="absolute end-1 top-1 bg-paper" />
      <pre tabIndex={0} className="max-h-[40rem] overflow-auto p-3 pe-12 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        {children}
      </pre>
    </section>
  );
}

function Table({ text, label }: { text: string; label: string }) {
  const t = useText();
  const [head = [], ...rows] = useMemo(() => parseCsv(text, separatorOf(text)), [text]);
  return (
    <section dir="ltr" aria-label={label} className="relative min-w-0">
      <CopyButton text={text} className="absolute end-1 top-1 z-10 bg-paper" />
      <div tabIndex={0} role="group" aria-label={label} className="max-h-[40rem] overflow-auto">
        <table className="text-xs">
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th key={column} scope="col" className="sticky top-0 bg-page px-3 py-2 text-start font-semibold whitespace-nowrap">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowsShown).map((row, line) => (
              <tr key={line} className="border-t border-line">
                {row.map((cell, column) => (
                  <td key={column} className="px-3 py-1.5 whitespace-nowrap">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > rowsShown && (
        <p dir="auto" className="border-t border-line p-3 text-muted">
          {t("external.moreRows", { count: rows.length - rowsShown })}
        </p>
      )}
    </section>
  );
}
