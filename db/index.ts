export {
  findRunningPostgres,
  freePort,
  inDatabase,
  ownerUrlOf,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type PostgresPlace,
} from "./embedded.ts";
export { migrate, roleUrl, roles, type Role } from "./migrate.ts";
export { memoryBytes } from "./memory.ts";
