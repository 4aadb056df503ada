import { parseArgs } from "node:util";
import { roleUrl, roles, type Role } from "@crossdock/db";
import { readConfig, type Config } from "../config.ts";
import { findOwnerDatabase } from "./owner-database.ts";
import { StartError, refuse } from "./start-error.ts";

const usage = `Usage: npm run --silent database-url [-- app | worker]

Prints the connection string of the database's owner, or of one of the server's two roles, for psql, pg_dump or pg_basebackup.
It holds a password.`;

/** For whom the embedded database has let in nobody yet: its passwords derive from the installation's secret. */
export function databaseUrl(config: Config, role: Role | "owner"): string {
  const database = findOwnerDatabase(config);
  if (!database)
    throw new StartError("The embedded database runs with Crossdock only. Start that first, with the same CROSSDOCK_DATA_DIR.");
  return role === "owner" ? database.ownerUrl : roleUrl(database.ownerUrl, database.secret, role);
}

function run(): void {
  const [name = "owner"] = parseArgs({ allowPositionals: true }).positionals;
  if (name !== "owner" && !isRole(name)) throw new StartError(usage);
  console.log(databaseUrl(readConfig(process.env), name));
}

function isRole(name: string): name is Role {
  return name in roles;
}

if (import.meta.main) {
  try {
    run();
  } catch (error) {
    refuse(error);
  }
}
