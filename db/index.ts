export { embeddedSuperuser, startEmbeddedPostgres, freePort, type EmbeddedPostgres } from "./embedded.ts";
export { migrate, rolePassword, roleUrl, roles, type Role } from "./migrate.ts";
