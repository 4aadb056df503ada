import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrate, startEmbeddedPostgres } from "@crossdock/db";

/** Writes db/schema.sql from a freshly migrated database, or with --check compares. The file is for readers and reviews; migrations are the truth. */
const file = new URL("../db/schema.sql", import.meta.url);
const schemas = "('queue', 'hub')";

const sections: [title: string, sql: string][] = [
  [
    "tables",
    `select format(E'%s %I.%I (\\n%s\\n)%s', case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end, n.nspname, c.relname,
       (select string_agg(format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
          case when a.attidentity <> '' then ' identity' when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end), E',\\n' order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
       coalesce(' partition by ' || pg_get_partkeydef(c.oid), '') || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')
       || case when c.relrowsecurity then ' row level security' else '' end) as line
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and c.relkind in ('r', 'p', 'v', 'S') and not c.relispartition order by n.nspname, c.relname`,
  ],
  [
    "constraints",
    `select format('%I.%I %I: %s', n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and not c.relispartition and k.contype <> 'n' order by n.nspname, c.relname, k.conname`,
  ],
  [
    "indexes",
    `select pg_get_indexdef(i.indexrelid) as line from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and not c.relispartition order by n.nspname, c.relname, 1`,
  ],
  [
    "policies",
    `select format('%I.%I %I for %s to %s using (%s) with check (%s)', schemaname, tablename, policyname, cmd, array_to_string(roles, ', '), qual, with_check) as line
     from pg_policies p where schemaname in ${schemas}
       and not exists (select 1 from pg_class c where c.oid = format('%I.%I', p.schemaname, p.tablename)::regclass and c.relispartition)
     order by schemaname, tablename, policyname`,
  ],
  [
    "grants",
    `select format('%I.%I to %s: %s', table_schema, table_name, grantee, string_agg(lower(privilege_type), ', ' order by privilege_type)) as line
     from information_schema.role_table_grants g
     where table_schema in ${schemas} and grantee in ('crossdock_app', 'crossdock_worker', 'PUBLIC')
       and not exists (select 1 from pg_class c where c.oid = format('%I.%I', g.table_schema, g.table_name)::regclass and c.relispartition)
     group by table_schema, table_name, grantee order by table_schema, table_name, grantee`,
  ],
  [
    "functions",
    `select pg_get_functiondef(p.oid) as line from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ${schemas} and p.prokind in ('f', 'p')
       and not exists (select 1 from pg_depend x where x.objid = p.oid and x.deptype = 'e') order by n.nspname, p.proname, p.oid`,
  ],
  [
    "triggers",
    `select pg_get_triggerdef(t.oid) as line from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and not t.tgisinternal and not c.relispartition order by n.nspname, c.relname, t.tgname`,
  ],
];

const dumped = await dump();
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== dumped) {
    console.error("db/schema.sql is not what the migrations make. Run: npm run schema");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, dumped);
}

async function dump(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-schema-"));
  const postgres = await startEmbeddedPostgres({ dir, password: "schema", isTemporary: true });
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await migrate(postgres.url, "schema");
    await client.connect();
    const parts = ["-- What the migrations make, written by scripts/schema.ts. Partitions are left out: they come and go by the day.\n"];
    for (const [title, sql] of sections) {
      const { rows } = await client.query<{ line: string }>(sql);
      parts.push(`-- ${title}\n${rows.map((row) => row.line.trimEnd()).join("\n")}\n`);
    }
    return parts.join("\n");
  } finally {
    await client.end();
    await postgres.stop();
  }
}
