import type { RelatedObject } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { entityTypeLabels } from "./entity-types.ts";
import { useText } from "./i18n/i18n.tsx";
import { CopyButton } from "./ui/copy-button.tsx";
import { Card } from "./ui/page.tsx";

type RelatedObjectsProps = { related: RelatedObject[]; subtenantCode: string; isDevelopment: boolean };

/** An order's shipments, by which one tells where it is, or a shipment's order; nothing where there is none. */
export function RelatedObjects({ related, subtenantCode, isDevelopment }: RelatedObjectsProps) {
  const t = useText();
  const [first] = related;
  return (
    first && (
      <Card title={t(first.entityType === "order" ? entityTypeLabels.order : "entities.shipments")}>
        <ul className="divide-y divide-line">
          {related.map(({ entityType, key, carrier, trackingNumbers }) => (
            <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Link
                to="/entities"
                search={{ entity: entityType, object: key, of: subtenantCode, ...(isDevelopment && { test: "true" }) }}
                className="min-w-0 font-medium break-words text-primary-ink underline"
              >
                <bdi>{key}</bdi>
              </Link>
              {carrier !== null && <bdi className="min-w-0 break-words">{carrier}</bdi>}
              {trackingNumbers.map((number) => (
                <Fragment key={number}>
                  <span dir="ltr" className="min-w-0 font-mono break-all">
                    {number}
                  </span>
                  <CopyButton text={number} className="-my-2 -ms-2" />
                </Fragment>
              ))}
            </li>
          ))}
        </ul>
      </Card>
    )
  );
}
