import type pg from "pg";
import { personNameSql } from "./actor.ts";
import { notFound } from "../errors/errors.ts";

const isGranted = `exists (select from hub.user_tenant granted where granted.tenant_id = $1 and granted.user_id = person.id)`;

/** As SQL, whether `person` may read in the tenant $1; in the installation only admins may. */
export const mayOpenSql = `person.is_active and (person.role = 'admin' or ${isGranted})`;

/** The same for whoever may change something there, too. */
const mayWorkSql = `person.is_active and (person.role = 'admin' or person.role = 'user' and ${isGranted})`;

/** Who may be given an alert or an error to work on. */
export type Operator = { id: number; name: string };

const peopleSql = (condition: string) => `
  select person.id, ${personNameSql("person")} as name from hub."user" person
  where ${condition} and ($2::integer is null or person.id = $2) order by name, person.id`;

const operatorsSql = peopleSql(mayWorkSql);
const readersSql = peopleSql(mayOpenSql);

export async function listOperators(client: pg.ClientBase, tenantId: number): Promise<Operator[]> {
  return (await client.query<Operator>(operatorsSql, [tenantId, null])).rows;
}

/** Who may be told of an alert: the operators, and those who may only look. */
export async function listReaders(client: pg.ClientBase, tenantId: number): Promise<Operator[]> {
  return (await client.query<Operator>(readersSql, [tenantId, null])).rows;
}

/** Throws not-found for somebody who may not work in the tenant. Who was only invited stays until the transaction ends, as what names them refers to them. */
export async function requireOperator(client: pg.ClientBase, tenantId: number, userId: number): Promise<Operator> {
  const { rows } = await client.query<Operator>(`${operatorsSql} for key share of person`, [tenantId, userId]);
  if (!rows[0]) throw notFound();
  return rows[0];
}
