import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { ObjectTrace } from "../object-trace.tsx";
import type { EntitySearch, OpenEntity } from "./search.ts";

type EntityTraceProps = { tenantCode: string; entity: OpenEntity; search: EntitySearch };

/** The whole way of an object, whether or not any target was told of it. An external item says by its integration point which object it means. */
export default function EntityTrace({ tenantCode, entity, search }: EntityTraceProps) {
  const t = useText();
  const { view: _, point, ...list } = search;
  const of = { ...entity, ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }) };
  const back = (
    <Link to="/entities" search={list} className="text-primary-ink underline">
      {t("menu.entities")}
    </Link>
  );
  return <ObjectTrace tenantCode={tenantCode} of={of} back={back} />;
}
