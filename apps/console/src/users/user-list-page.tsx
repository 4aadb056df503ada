import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Mail, UserPlus } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { personRoles, roleTexts } from "../session/role-texts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { tenantsQuery } from "../session/workspace.ts";
import { userExport, userQuery, usersQuery, userStates } from "./queries.ts";
import type { UserSearch } from "./search.ts";
import { stateTexts, useUserColumns } from "./user-columns.tsx";

const InviteDialog = lazyPart(() => import("./invite-dialog.tsx"));
const UserPanel = lazyPart(() => import("./user-panel.tsx"));
/** The longest text that the server takes. */
const searchLengthMax = 200;
const route = getRouteApi("/shell/users");

export function UserListPage() {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isInviting, setIsInviting] = useState(false);
  const filter = (next: UserSearch) => void navigate({ search: next, replace: true });
  return (
    <>
      <PageHeader title={t("menu.users")} hint={t("users.hint")}>
        <Link to="/outbox" className={buttonClass()}>
          <Mail aria-hidden className="size-4" />
          {t("mails.title")}
        </Link>
        <Button look="primary" onClick={() => setIsInviting(true)}>
          <UserPlus aria-hidden className="size-4" />
          {t("users.invite")}
        </Button>
      </PageHeader>
      <Card>
        <Filters search={search} onChange={filter} />
        <Rows search={search} onOpen={(user) => filter({ ...search, user })} />
      </Card>
      <Suspense fallback={null}>{isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}</Suspense>
    </>
  );
}

function Filters({ search, onChange }: { search: UserSearch; onChange: (search: UserSearch) => void }) {
  const t = useText();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const set = (change: UserSearch) => onChange({ ...search, ...change });
  const choices = {
    search: { name: t("users.search") },
    role: { name: t("users.role"), options: personRoles.map((role) => ({ value: role, label: t(roleTexts[role]) })) },
    state: { name: t("filter.state"), options: userStates.map((state) => ({ value: state, label: t(stateTexts[state].text) })) },
    tenant: { name: t("users.mayOpen"), options: tenants.map(({ code, name }) => ({ value: code, label: name })) },
  };
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      <FilterField
        label={choices.search.name}
        value={search.search ?? ""}
        onChange={(text) => set({ search: text })}
        maxLength={searchLengthMax}
        isSearch
        hasSlash
      />
      {(["role", "state", "tenant"] as const).map((name) => (
        <FilterSelect
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          onChange={(value) => set({ [name]: value })}
          options={choices[name].options}
        />
      ))}
    </FilterBar>
  );
}

function Rows({ search, onOpen }: { search: UserSearch; onOpen: (userId: string) => void }) {
  const t = useText();
  const client = useQueryClient();
  const list = useList(usersQuery(search));
  const columns = useUserColumns(search);
  const table = { name: "users", label: t("menu.users"), columns };
  const index = list.rows.findIndex(({ id }) => id === search.user);
  // Whoever came by a link may stand further down than the list was read.
  const isElsewhere = search.user !== undefined && !list.isPending && index === -1;
  const { data: linked } = useQuery({ ...userQuery(search.user ?? ""), enabled: isElsewhere });
  const open = isElsewhere ? linked : list.rows[index];
  const step = (row: { id: string } | undefined) => (row ? () => onOpen(row.id) : null);
  return (
    <>
      <DataList list={list} isInUse={open !== undefined} empty={<EmptyState title={t("state.noUser")} />}>
        <TableToolbar {...table} exported={userExport(search)} />
        <DataTable {...table} list={list} labelOf={({ email }) => email} openId={open?.id} />
      </DataList>
      <Suspense fallback={null}>
        {open && (
          <UserPanel
            key={open.id}
            user={open}
            onClose={() => onOpen("")}
            onPrevious={step(list.rows[index - 1])}
            onNext={step(list.rows[index + 1])}
            // All that is read of the list, in which the person may stand far down.
            onChanged={() => void client.invalidateQueries({ queryKey: ["users"] })}
          />
        )}
      </Suspense>
    </>
  );
}
