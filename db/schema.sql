-- What the migrations make, written by scripts/schema.ts. Partitions are left out: they come and go by the day.

-- tables
table hub.alert (
  tenant_id integer not null,
  id integer not null identity,
  rule_id integer not null,
  kind text not null,
  object text not null,
  state text not null,
  subtenant_id integer,
  queue_id integer,
  value double precision not null,
  details jsonb not null default '{}'::jsonb,
  since timestamp with time zone not null,
  quiet_since timestamp with time zone,
  fired_at timestamp with time zone,
  recovered_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  owner_id integer,
  is_taken boolean not null default false,
  flaps smallint not null default 0,
  version integer not null default 1
) row level security
table hub.alert_channel (
  tenant_id integer not null,
  id integer not null identity,
  kind text not null,
  name text not null,
  is_active boolean not null default true,
  user_ids integer[] not null default '{}'::integer[],
  url text,
  secret bytea,
  secret_before bytea,
  before_until timestamp with time zone,
  interval_seconds integer not null default 300,
  told_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  told_to bigint not null default 0,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone
) row level security
sequence hub.alert_channel_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.alert_delivery (
  tenant_id integer not null,
  id integer not null identity,
  channel_id integer not null,
  is_test boolean not null default false,
  alert_ids integer[] not null default '{}'::integer[],
  body text,
  recipients integer,
  state text not null default 'waiting'::text,
  attempts smallint not null default 0,
  next_at timestamp with time zone,
  status integer,
  failure jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  finished_at timestamp with time zone
) row level security
sequence hub.alert_delivery_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.alert_event (
  tenant_id integer not null,
  id bigint not null identity,
  alert_id integer not null,
  at timestamp with time zone not null default clock_timestamp(),
  kind text not null,
  actor_name text,
  detail text
) row level security
sequence hub.alert_event_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
sequence hub.alert_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.alert_read (
  tenant_id integer not null,
  user_id integer not null,
  up_to bigint not null
) row level security
table hub.alert_rule (
  tenant_id integer not null,
  id integer not null identity,
  kind text not null,
  threshold integer not null,
  window_seconds integer not null default 900,
  for_seconds integer not null default 0,
  recover_seconds integer not null default 300,
  subtenant_id integer,
  queue_id integer,
  entity_type text,
  owner_id integer,
  channel_ids integer[],
  is_active boolean not null default true,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone
) row level security
sequence hub.alert_rule_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.alert_watch (
  tenant_id integer not null,
  next_at timestamp with time zone not null default clock_timestamp(),
  slow_next_at timestamp with time zone not null default clock_timestamp(),
  away_from timestamp with time zone not null default '-infinity'::timestamp with time zone,
  away_to timestamp with time zone not null default '-infinity'::timestamp with time zone
) row level security
table hub.announcement (
  id integer not null identity,
  text text not null,
  translations jsonb not null default '{}'::jsonb,
  link text,
  is_dismissible boolean not null default true,
  starts_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone,
  created_by integer,
  created_at timestamp with time zone not null default now()
)
sequence hub.announcement_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.api_key (
  tenant_id integer not null,
  id integer not null identity,
  name text not null,
  prefix text not null,
  hash bytea not null,
  role text not null,
  scopes text[],
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone
) row level security
sequence hub.api_key_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.audit_event (
  tenant_id integer,
  id bigint not null identity,
  at timestamp with time zone not null default clock_timestamp(),
  outcome text not null,
  action text not null,
  code text,
  target_kind text,
  target_id text,
  user_id integer,
  api_key_id integer,
  actor_name text,
  address text,
  user_agent text,
  request_id uuid not null,
  reason text,
  before jsonb,
  after jsonb
) row level security
sequence hub.audit_event_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.coming_soon_address (
  id integer not null identity,
  email text not null,
  locale text,
  created_at timestamp with time zone not null default now()
)
sequence hub.coming_soon_address_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
view hub.cut_off_point (
  tenant_id integer,
  id integer,
  subtenant_id integer,
  code text,
  name text,
  url text,
  waiting integer,
  circuit_fault jsonb,
  is_paused boolean
) with (security_invoker=true)
table hub.dead_letter_triage (
  tenant_id integer not null,
  fingerprint text not null,
  status text not null,
  ignored_until timestamp with time zone,
  resolved_up_to timestamp with time zone,
  owner_id integer,
  comment text not null default ''::text,
  version integer not null default 1,
  changed_by text not null,
  changed_at timestamp with time zone not null default now()
) row level security
table hub.death (
  tenant_id integer not null,
  queue_id integer not null,
  died_at timestamp with time zone not null
) row level security
table hub.debug_exchange (
  tenant_id integer not null,
  id bigint not null identity,
  message_id bigint not null,
  attempt smallint not null,
  made_at timestamp with time zone not null default now(),
  exchanges text not null
) row level security
sequence hub.debug_exchange_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.default_view (
  tenant_id integer not null,
  user_id integer not null,
  list text not null,
  view_id integer not null
) row level security
table hub.email_code (
  id uuid not null default gen_random_uuid(),
  purpose text not null,
  email text not null,
  network bytea not null,
  is_known_network boolean not null,
  is_mailed boolean not null,
  code_hash bytea,
  name text,
  password_hash text,
  locale text,
  attempts integer not null default 0,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone
)
table hub.entity (
  tenant_id integer not null,
  subtenant_id integer not null,
  entity_type text not null,
  business_key text not null,
  is_development boolean not null,
  version integer not null,
  hash bytea not null,
  source_version bigint,
  integration_point_id integer not null,
  part_of text,
  deleted_at timestamp with time zone,
  changed_at timestamp with time zone not null default now(),
  told_at timestamp with time zone not null default now()
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05) row level security
table hub.entity_version (
  tenant_id integer not null,
  subtenant_id integer not null,
  entity_type text not null,
  business_key text not null,
  is_development boolean not null,
  version integer not null,
  external_message_id bigint not null,
  integration_point_id integer not null,
  document text not null,
  order_number text default 
CASE
    WHEN (entity_type = 'shipment'::text) THEN hub.order_of_shipment(document)
    ELSE NULL::text
END,
  created_at timestamp with time zone not null default now()
) row level security
table hub.export_part (
  tenant_id integer not null,
  run_id integer not null,
  number integer not null,
  content text not null
) row level security
table hub.external_item (
  tenant_id integer not null,
  integration_point_id integer not null,
  entity_type text not null,
  business_key text not null,
  subtenant_id integer not null,
  external_id text,
  delivered_hash bytea,
  message_id bigint,
  delivered_at timestamp with time zone default now(),
  created_at timestamp with time zone not null default now()
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05) row level security
sequence hub.external_item_import (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.external_item_imported (
  tenant_id integer not null,
  import_id integer not null,
  integration_point_id integer not null,
  entity_type text not null,
  business_key text not null,
  is_new boolean not null,
  before text,
  after text not null,
  imported_at timestamp with time zone not null default now()
) row level security
table hub.external_item_removed (
  tenant_id integer not null,
  id bigint not null identity,
  integration_point_id integer not null,
  entity_type text not null,
  business_key text not null,
  subtenant_id integer not null,
  external_id text,
  delivered_hash bytea,
  message_id bigint,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone not null default now(),
  removed_by text not null,
  is_of_former_system boolean not null default false
) row level security
sequence hub.external_item_removed_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.external_message (
  tenant_id integer not null,
  id bigint not null,
  subtenant_id integer not null,
  integration_point_id integer not null,
  received_at timestamp with time zone not null default now(),
  channel text not null,
  entity_type text,
  business_key text,
  state text not null,
  signature text not null,
  content_type text,
  headers text not null,
  body bytea not null,
  reasons text,
  replay_of bigint,
  removed_at timestamp with time zone,
  removed_by text,
  changed_by_job integer
) partition by RANGE (id) row level security
table hub.idempotent_answer (
  tenant_id integer not null,
  hash bytea not null,
  request_hash bytea not null,
  answer text,
  explanation text,
  etag text,
  created_at timestamp with time zone not null default now()
) row level security
table hub.identity (
  issuer text not null,
  subject text not null,
  user_id integer not null,
  created_at timestamp with time zone not null default now()
)
table hub.import_file (
  tenant_id integer not null,
  run_id integer not null,
  name text not null,
  format text not null,
  element text not null,
  mapping jsonb not null,
  row_count integer not null default 0,
  is_complete boolean not null default false
) row level security
table hub.import_part (
  tenant_id integer not null,
  run_id integer not null,
  number integer not null,
  content text not null
) row level security
table hub.import_rejection (
  tenant_id integer not null,
  run_id integer not null,
  row_count integer not null,
  lines text not null
) row level security
table hub.intake_key (
  tenant_id integer not null,
  hash bytea not null,
  external_message_id bigint not null,
  body_hash bytea not null
) row level security
table hub.integration_point (
  tenant_id integer not null,
  id integer not null identity,
  subtenant_id integer not null,
  connector text not null,
  code text not null,
  name text not null,
  environment text not null,
  delivery_mode text not null,
  source_types text[] not null,
  target_types text[] not null,
  settings jsonb not null default '{}'::jsonb,
  credentials bytea,
  credential_names text[] not null default '{}'::text[],
  retry jsonb not null,
  rate_per_second double precision,
  concurrency integer not null default 8,
  hook_id uuid not null default gen_random_uuid(),
  is_active boolean not null default true,
  is_paused boolean not null default false,
  version integer not null default 1,
  system integer not null default 1,
  system_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now()
) row level security
sequence hub.integration_point_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.integration_point_version (
  tenant_id integer not null,
  integration_point_id integer not null,
  version integer not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  reason text,
  restored integer,
  content jsonb not null
) row level security
table hub.invitation (
  user_id integer not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null
)
table hub.job (
  tenant_id integer not null,
  id integer not null identity,
  kind text not null,
  subject text not null default 'messages'::text,
  selection jsonb not null,
  queue_ids integer[] not null default '{}'::integer[],
  state text not null default 'ready'::text,
  state_by text,
  total integer not null,
  done integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  cursor bigint not null default 0,
  next_at timestamp with time zone not null default clock_timestamp(),
  per_second real,
  faults smallint not null default 0,
  fault text,
  reason text,
  actor_name text not null default ''::text,
  created_by integer,
  api_key_id integer,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  undo_of integer,
  target_queue_id integer,
  patch jsonb,
  failure_limit smallint,
  stage smallint,
  stage_sent integer not null default 0,
  stage_failed integer not null default 0,
  in_flight integer not null default 0,
  is_halted boolean not null default false
) with (fillfactor=70) row level security
sequence hub.job_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.job_item (
  message_id bigint not null,
  tenant_id integer not null,
  job_id integer not null,
  queue_id integer,
  integration_point_id integer,
  entity_type text,
  business_key text,
  system integer,
  outcome text,
  detail text,
  successor_id bigint
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.05) row level security
table hub.known_network (
  user_id integer not null,
  network bytea not null,
  last_at timestamp with time zone not null default now()
)
table hub.mail (
  id integer not null identity,
  recipient text not null,
  locale text not null,
  kind text not null,
  subject text not null,
  sealed bytea,
  created_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  failure text
)
sequence hub.mail_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.mapping (
  tenant_id integer not null,
  id integer not null identity,
  subtenant_id integer,
  field_name text not null,
  source text not null,
  source_value text not null,
  target text not null,
  target_value text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now()
) row level security
table hub.mapping_change (
  tenant_id integer not null,
  version integer not null,
  mapping_id integer not null,
  before jsonb,
  after jsonb
) row level security
sequence hub.mapping_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.mapping_version (
  tenant_id integer not null,
  version integer not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  reason text,
  restored integer,
  xid xid8 not null default pg_current_xact_id()
) row level security
table hub.masking (
  tenant_id integer not null,
  fields text[] not null,
  version integer not null default 1,
  changed_at timestamp with time zone not null default now()
) row level security
table hub.message_action (
  tenant_id integer not null,
  message_id bigint not null,
  id bigint not null identity,
  verb text not null,
  actor_name text not null,
  acted_at timestamp with time zone not null default clock_timestamp(),
  job_id integer
) row level security
sequence hub.message_action_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.metric (
  tenant_id integer not null,
  grain smallint not null,
  queue_id integer not null,
  at timestamp with time zone not null,
  subtenant_id integer,
  added integer not null default 0,
  delivered integer not null default 0,
  attempts integer not null default 0,
  failed integer not null default 0,
  dead integer not null default 0,
  superseded integer not null default 0,
  redirected integer not null default 0,
  minutes smallint not null default 1,
  added_max integer not null default 0,
  added_min integer not null default 0,
  depth_total double precision not null default 0,
  depth_max integer not null default 0,
  depth_min integer not null default 0,
  samples smallint not null default 0,
  oldest_seconds integer not null default 0
) with (fillfactor=80) row level security
table hub.metric_latency (
  tenant_id integer not null,
  grain smallint not null,
  queue_id integer not null,
  at timestamp with time zone not null,
  bucket smallint not null,
  count integer not null default 0,
  attempts integer not null default 0
) with (fillfactor=80) row level security
table hub.metric_latency_total (
  tenant_id integer not null,
  queue_id integer not null,
  bucket smallint not null,
  count bigint not null
) row level security
table hub.metric_mark (
  read_at timestamp with time zone not null,
  next_xid xid8 not null
)
table hub.metric_progress (
  is_only boolean not null default true,
  settled_to timestamp with time zone not null,
  totalled_to timestamp with time zone not null default '-infinity'::timestamp with time zone
)
table hub.metric_total (
  tenant_id integer not null,
  queue_id integer not null,
  added bigint not null,
  delivered bigint not null,
  failed bigint not null,
  dead bigint not null,
  superseded bigint not null
) row level security
table hub.note (
  tenant_id integer not null,
  id integer not null identity,
  message_id bigint not null,
  message_key text not null,
  queue_name text not null,
  author_id integer,
  api_key_id integer,
  author_name text not null,
  text text not null,
  mentions integer[] not null default '{}'::integer[],
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone
) row level security
sequence hub.note_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.note_read (
  tenant_id integer not null,
  user_id integer not null,
  up_to integer not null
) row level security
table hub.oidc_flow (
  state_hash bytea not null,
  browser_hash bytea not null,
  provider text not null,
  nonce text not null,
  code_verifier text not null,
  is_remembered boolean not null,
  expires_at timestamp with time zone not null
)
table hub.open_order (
  tenant_id integer not null,
  subtenant_id integer not null,
  order_number text not null,
  ordered_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  is_shipped boolean not null default false
) with (fillfactor=80) row level security
table hub.order_news (
  tenant_id integer not null,
  id bigint not null identity,
  subtenant_id integer not null,
  order_number text not null,
  ordered_at timestamp with time zone,
  is_open boolean not null,
  is_shipment boolean not null
) row level security
sequence hub.order_news_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.refresh_token (
  hash bytea not null,
  session_id uuid not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone
)
table hub.repair (
  tenant_id integer not null,
  message_id bigint not null,
  successor_id bigint not null,
  actor_name text not null,
  reason text not null,
  is_edited boolean not null,
  made_at timestamp with time zone not null default now()
) row level security
table hub.run (
  tenant_id integer not null,
  id integer not null identity,
  kind text not null,
  schedule_id integer,
  subtenant_id integer not null,
  integration_point_id integer,
  entity_type text not null,
  options jsonb not null default '{}'::jsonb,
  state text not null default 'waiting'::text,
  is_cancelling boolean not null default false,
  is_pausing boolean not null default false,
  actor_name text,
  total integer,
  done integer not null default 0,
  accepted integer not null default 0,
  unchanged integer not null default 0,
  rejected integer not null default 0,
  differing integer not null default 0,
  fault text,
  cursor text,
  system integer,
  rests_until timestamp with time zone,
  faults smallint not null default 0,
  losses smallint not null default 0,
  lease_epoch integer not null default 0,
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone
) with (fillfactor=70) row level security
table hub.run_difference (
  tenant_id integer not null,
  run_id integer not null,
  id bigint not null identity,
  business_key text not null,
  kind text not null,
  fields jsonb not null default '[]'::jsonb,
  fixed_by integer
) row level security
sequence hub.run_difference_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
sequence hub.run_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.run_line (
  tenant_id integer not null,
  run_id integer not null,
  id bigint not null identity,
  at timestamp with time zone not null default clock_timestamp(),
  level text not null,
  text text not null
) row level security
sequence hub.run_line_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.run_object (
  tenant_id integer not null,
  run_id integer not null,
  side text not null,
  business_key text not null,
  fields jsonb not null,
  may_be_missing boolean not null default false
) row level security
table hub.saved_view (
  tenant_id integer not null,
  id integer not null identity,
  user_id integer,
  is_shared boolean not null default false,
  list text not null,
  name text not null,
  query text not null,
  version integer not null default 1,
  changed_by integer,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
) row level security
sequence hub.saved_view_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.schedule (
  tenant_id integer not null,
  id integer not null identity,
  kind text not null default 'poll'::text,
  subtenant_id integer not null,
  integration_point_id integer,
  entity_type text not null,
  options jsonb not null default '{}'::jsonb,
  cron text,
  every_seconds integer,
  cursor text,
  is_active boolean not null default true,
  next_at timestamp with time zone not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone
) row level security
sequence hub.schedule_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.session (
  id uuid not null default gen_random_uuid(),
  user_id integer not null,
  is_remembered boolean not null,
  address text,
  user_agent text,
  created_at timestamp with time zone not null default now(),
  refreshed_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  revoked_at timestamp with time zone
)
table hub.sign_in_failure (
  key bytea not null,
  failures integer not null,
  last_at timestamp with time zone not null
)
table hub.subtenant (
  tenant_id integer not null,
  id integer not null identity,
  code text not null,
  name text not null,
  is_active boolean not null default true,
  debug_mode boolean not null default false,
  incoming_paused boolean not null default false,
  outgoing_paused boolean not null default false,
  version integer not null default 1,
  created_at timestamp with time zone not null default now()
) row level security
sequence hub.subtenant_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.tenant (
  id integer not null identity,
  code text not null,
  name text not null,
  is_active boolean not null default true,
  colour text,
  version integer not null default 1,
  created_at timestamp with time zone not null default now()
) row level security
sequence hub.tenant_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.tenant_limit (
  tenant_id integer not null,
  history_days integer,
  raw_message_days integer,
  removed_days integer,
  attempt_days integer,
  run_days integer,
  message_bytes integer,
  version integer not null default 1
) row level security
table hub.toolbox_run (
  tenant_id integer not null,
  id integer not null identity,
  operation text not null,
  parameters jsonb not null,
  is_dry_run boolean not null default false,
  result jsonb,
  job_id integer,
  run_id integer,
  cursor text,
  actor_name text not null,
  created_at timestamp with time zone not null default now()
) row level security
sequence hub.toolbox_run_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub."user" (
  id integer not null identity,
  email text not null,
  name text not null,
  password_hash text,
  role text not null,
  avatar text,
  locale text,
  is_active boolean not null default true,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone
)
sequence hub.user_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table hub.user_tenant (
  tenant_id integer not null,
  user_id integer not null
) row level security
table hub.whole (
  tenant_id integer not null,
  name text not null,
  source_version bigint not null
) with (fillfactor=80) row level security
table queue.attempt (
  id bigint not null,
  started_at timestamp with time zone not null,
  tenant_id integer not null,
  queue_id integer not null,
  duration_ms integer not null,
  number smallint not null,
  error_class text,
  error_message text,
  fingerprint text,
  exchange text
) partition by RANGE (id) row level security
table queue.day_partitioned (
  parent text not null
)
table queue.dead (
  id bigint not null,
  lane bigint not null,
  version bigint,
  dead_at timestamp with time zone not null default clock_timestamp(),
  published_at timestamp with time zone,
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  attempts smallint not null,
  collapses boolean not null,
  key text,
  source text,
  error_class text,
  error_message text,
  fingerprint text
) row level security
table queue.dead_change (
  tenant_id integer not null,
  queue_id integer not null,
  fingerprint text not null,
  hour integer not null,
  count integer not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000) row level security
table queue.dead_tally (
  tenant_id integer not null,
  queue_id integer not null,
  fingerprint text not null,
  count integer not null,
  hours integer[] not null,
  to_hour integer not null
) with (fillfactor=70) row level security
table queue.delivered_version (
  lane bigint not null,
  version bigint not null,
  tenant_id integer not null,
  queue_id integer not null
) with (fillfactor=70) row level security
table queue.depth (
  tenant_id integer not null,
  queue_id integer not null,
  ready integer not null,
  retrying integer not null,
  parked integer not null
) with (fillfactor=50) row level security
table queue.depth_count (
  is_only boolean not null default true,
  counted_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  rests interval not null default '00:00:00'::interval
)
table queue.held (
  lane bigint not null,
  message_id bigint not null,
  tenant_id integer not null,
  queue_id integer not null
) row level security
table queue.history (
  id bigint not null,
  finished_at timestamp with time zone not null default clock_timestamp(),
  successor_id bigint,
  tenant_id integer not null,
  queue_id integer not null,
  attempts smallint not null,
  outcome text not null
) partition by RANGE (id) row level security
table queue.lease (
  lane bigint not null,
  message_id bigint not null,
  leased_at timestamp with time zone not null default clock_timestamp(),
  lease_until timestamp with time zone not null,
  token uuid not null default gen_random_uuid(),
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null
) row level security
table queue.message (
  id bigint not null default nextval('queue.message_id'::regclass),
  origin_id bigint,
  version bigint,
  created_at timestamp with time zone not null default clock_timestamp(),
  tenant_id integer not null,
  queue_id integer not null,
  subtenant_id integer not null,
  entity_version integer,
  key text not null,
  entity_type text not null,
  source text,
  headers text,
  document text not null
) partition by RANGE (id) row level security
sequence queue.message_id (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table queue.parked (
  id bigint not null,
  lane bigint not null,
  version bigint,
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  attempts smallint not null default 0,
  attempt_limit smallint
) row level security
table queue.place (
  lane bigint not null,
  message_id bigint not null,
  place bigint not null,
  tenant_id integer not null,
  queue_id integer not null
) row level security
table queue.queue (
  tenant_id integer not null,
  id integer not null identity,
  target_id integer not null,
  name text not null,
  mode text not null,
  delivery text not null,
  shards smallint not null,
  max_attempts smallint not null default 5,
  base_delay_ms integer not null default 1000,
  max_delay_ms integer not null default 3600000,
  is_paused boolean not null default false
) row level security
sequence queue.queue_id_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
)
table queue.ready (
  id bigint not null,
  lane bigint not null,
  version bigint,
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  attempts smallint not null default 0,
  attempt_limit smallint,
  collapses boolean not null,
  message_place tid
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000) row level security
table queue.removed (
  id bigint not null,
  lane bigint not null,
  version bigint,
  removed_at timestamp with time zone not null default clock_timestamp(),
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  attempts smallint not null,
  attempt_limit smallint,
  collapses boolean not null,
  removed_from text not null,
  removed_by text,
  due_at timestamp with time zone,
  failed_at timestamp with time zone,
  error_class text,
  error_message text,
  fingerprint text
) row level security
table queue.retrying (
  id bigint not null,
  lane bigint not null,
  version bigint,
  due_at timestamp with time zone not null,
  failed_at timestamp with time zone not null default clock_timestamp(),
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  attempts smallint not null,
  attempt_limit smallint,
  collapses boolean not null,
  error_class text,
  error_message text,
  fingerprint text
) row level security
table queue.search_cursor (
  is_only boolean not null default true,
  filled_to bigint not null default 0,
  seen_to bigint,
  seen_xid bigint
)
table queue.search_text (
  id bigint not null,
  tenant_id integer not null,
  queue_id integer not null,
  text text not null
) partition by RANGE (id) row level security
table queue.shard (
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null,
  is_active boolean not null default false,
  is_waiting boolean not null default false,
  is_blocked boolean not null default false,
  is_fresh boolean not null default true,
  owner text,
  lease_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  epoch bigint not null default 0,
  generation integer not null default 0,
  virtual_time double precision not null default 0,
  cursor bigint not null default 0,
  read_to bigint not null default 0,
  careful_to bigint not null default 0
) with (fillfactor=30, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500) row level security
table queue.suspect (
  message_id bigint not null,
  tenant_id integer not null,
  queue_id integer not null,
  shard smallint not null
) row level security
table queue.target (
  tenant_id integer not null,
  id integer not null,
  concurrency smallint not null default 8,
  rate_per_second real,
  is_paused boolean not null default false,
  circuit text not null default 'closed'::text,
  circuit_open_until timestamp with time zone,
  circuit_trips smallint not null default 0,
  circuit_fault jsonb,
  rate_free_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  rate_moved_at timestamp with time zone not null default '-infinity'::timestamp with time zone
) with (fillfactor=70) row level security
table queue.worker (
  id text not null,
  seen_at timestamp with time zone not null default clock_timestamp()
)

-- constraints
hub.alert alert_check: CHECK (((state = 'snoozed'::text) = (snoozed_until IS NOT NULL)))
hub.alert alert_check1: CHECK (((state = 'recovered'::text) = (recovered_at IS NOT NULL)))
hub.alert alert_check2: CHECK (((state = 'pending'::text) = (fired_at IS NULL)))
hub.alert alert_owner_id_fkey: FOREIGN KEY (owner_id) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.alert alert_pkey: PRIMARY KEY (tenant_id, id)
hub.alert alert_state_check: CHECK ((state = ANY (ARRAY['pending'::text, 'firing'::text, 'acknowledged'::text, 'snoozed'::text, 'recovered'::text])))
hub.alert alert_tenant_id_rule_id_fkey: FOREIGN KEY (tenant_id, rule_id) REFERENCES hub.alert_rule(tenant_id, id)
hub.alert_channel alert_channel_check: CHECK (((kind = 'webhook'::text) = (url IS NOT NULL)))
hub.alert_channel alert_channel_check1: CHECK (((kind = 'webhook'::text) = (secret IS NOT NULL)))
hub.alert_channel alert_channel_interval_seconds_check: CHECK (((interval_seconds >= 0) AND (interval_seconds <= 86400)))
hub.alert_channel alert_channel_kind_check: CHECK ((kind = ANY (ARRAY['email'::text, 'webhook'::text])))
hub.alert_channel alert_channel_name_check: CHECK (((length(name) >= 1) AND (length(name) <= 200)))
hub.alert_channel alert_channel_pkey: PRIMARY KEY (tenant_id, id)
hub.alert_channel alert_channel_url_check: CHECK ((length(url) <= 2000))
hub.alert_delivery alert_delivery_check: CHECK (((state = 'waiting'::text) = (next_at IS NOT NULL)))
hub.alert_delivery alert_delivery_pkey: PRIMARY KEY (tenant_id, id)
hub.alert_delivery alert_delivery_state_check: CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text])))
hub.alert_delivery alert_delivery_tenant_id_channel_id_fkey: FOREIGN KEY (tenant_id, channel_id) REFERENCES hub.alert_channel(tenant_id, id)
hub.alert_event alert_event_kind_check: CHECK ((kind = ANY (ARRAY['fired'::text, 'woken'::text, 'recovered'::text, 'acknowledged'::text, 'snoozed'::text, 'reopened'::text, 'assigned'::text])))
hub.alert_event alert_event_pkey: PRIMARY KEY (tenant_id, id)
hub.alert_event alert_event_tenant_id_alert_id_fkey: FOREIGN KEY (tenant_id, alert_id) REFERENCES hub.alert(tenant_id, id) ON DELETE CASCADE
hub.alert_read alert_read_pkey: PRIMARY KEY (tenant_id, user_id)
hub.alert_read alert_read_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.alert_rule alert_rule_check: CHECK (((kind = 'outage'::text) = (tenant_id = 0)))
hub.alert_rule alert_rule_entity_type_check: CHECK ((entity_type = ANY (ARRAY['item'::text, 'price'::text, 'stock'::text, 'order'::text, 'shipment'::text, 'customer'::text])))
hub.alert_rule alert_rule_for_seconds_check: CHECK (((for_seconds >= 0) AND (for_seconds <= 86400)))
hub.alert_rule alert_rule_kind_check: CHECK ((kind = ANY (ARRAY['dead-letters'::text, 'dead-letters-rising'::text, 'queue-age'::text, 'circuit-open'::text, 'job-failed'::text, 'silence'::text, 'order-unshipped'::text, 'stock-stale'::text, 'outage'::text])))
hub.alert_rule alert_rule_owner_id_fkey: FOREIGN KEY (owner_id) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.alert_rule alert_rule_pkey: PRIMARY KEY (tenant_id, id)
hub.alert_rule alert_rule_recover_seconds_check: CHECK (((recover_seconds >= 0) AND (recover_seconds <= 86400)))
hub.alert_rule alert_rule_tenant_id_queue_id_fkey: FOREIGN KEY (tenant_id, queue_id) REFERENCES queue.queue(tenant_id, id)
hub.alert_rule alert_rule_tenant_id_subtenant_id_fkey: FOREIGN KEY (tenant_id, subtenant_id) REFERENCES hub.subtenant(tenant_id, id)
hub.alert_rule alert_rule_threshold_check: CHECK (((threshold >= 1) AND (threshold <= 1000000)))
hub.alert_rule alert_rule_window_seconds_check: CHECK (((window_seconds >= 60) AND (window_seconds <= 86400)))
hub.alert_watch alert_watch_pkey: PRIMARY KEY (tenant_id)
hub.announcement announcement_check: CHECK ((ends_at >= starts_at))
hub.announcement announcement_created_by_fkey: FOREIGN KEY (created_by) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.announcement announcement_link_check: CHECK ((link ~ '^(https://|/([^/]|$))'::text))
hub.announcement announcement_pkey: PRIMARY KEY (id)
hub.announcement announcement_text_check: CHECK (((length(text) >= 1) AND (length(text) <= 300)))
hub.api_key api_key_hash_key: UNIQUE (hash)
hub.api_key api_key_pkey: PRIMARY KEY (tenant_id, id)
hub.api_key api_key_role_check: CHECK ((role = ANY (ARRAY['viewer'::text, 'user'::text, 'admin'::text, 'gateway'::text])))
hub.api_key api_key_scopes_check: CHECK (((scopes <@ ARRAY['read'::text, 'operate'::text, 'configure'::text, 'gateway'::text]) AND (scopes <> '{}'::text[])))
hub.api_key api_key_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.audit_event audit_event_check: CHECK (((code IS NULL) = (outcome = 'done'::text)))
hub.audit_event audit_event_outcome_check: CHECK ((outcome = ANY (ARRAY['done'::text, 'denied'::text])))
hub.audit_event audit_event_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.audit_event audit_event_tenant_id_id_key: UNIQUE NULLS NOT DISTINCT (tenant_id, id)
hub.coming_soon_address coming_soon_address_email_check: CHECK ((email = lower(email)))
hub.coming_soon_address coming_soon_address_email_key: UNIQUE (email)
hub.coming_soon_address coming_soon_address_pkey: PRIMARY KEY (id)
hub.dead_letter_triage dead_letter_triage_check: CHECK (((status = 'ignored'::text) = (ignored_until IS NOT NULL)))
hub.dead_letter_triage dead_letter_triage_check1: CHECK (((status = 'resolved'::text) = (resolved_up_to IS NOT NULL)))
hub.dead_letter_triage dead_letter_triage_comment_check: CHECK ((length(comment) <= 2000))
hub.dead_letter_triage dead_letter_triage_fingerprint_check: CHECK (((length(fingerprint) >= 1) AND (length(fingerprint) <= 300)))
hub.dead_letter_triage dead_letter_triage_owner_id_fkey: FOREIGN KEY (owner_id) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.dead_letter_triage dead_letter_triage_pkey: PRIMARY KEY (tenant_id, fingerprint)
hub.dead_letter_triage dead_letter_triage_status_check: CHECK ((status = ANY (ARRAY['new'::text, 'investigating'::text, 'waiting-for-partner'::text, 'ignored'::text, 'resolved'::text])))
hub.dead_letter_triage dead_letter_triage_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.debug_exchange debug_exchange_pkey: PRIMARY KEY (tenant_id, id)
hub.debug_exchange debug_exchange_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.default_view default_view_pkey: PRIMARY KEY (tenant_id, user_id, list)
hub.default_view default_view_tenant_id_view_id_fkey: FOREIGN KEY (tenant_id, view_id) REFERENCES hub.saved_view(tenant_id, id) ON DELETE CASCADE
hub.default_view default_view_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.email_code email_code_email_check: CHECK ((email = lower(email)))
hub.email_code email_code_pkey: PRIMARY KEY (id)
hub.email_code email_code_purpose_check: CHECK ((purpose = ANY (ARRAY['sign-up'::text, 'password-reset'::text])))
hub.entity entity_entity_type_check: CHECK ((entity_type = ANY (ARRAY['item'::text, 'price'::text, 'stock'::text, 'order'::text, 'shipment'::text, 'customer'::text])))
hub.entity entity_pkey: PRIMARY KEY (tenant_id, subtenant_id, entity_type, business_key, is_development)
hub.entity entity_version_check: CHECK ((version > 0))
hub.entity_version entity_version_pkey: PRIMARY KEY (tenant_id, subtenant_id, entity_type, business_key, is_development, version)
hub.export_part export_part_pkey: PRIMARY KEY (tenant_id, run_id, number)
hub.export_part export_part_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE CASCADE
hub.external_item external_item_delivered: CHECK ((num_nonnulls(delivered_hash, message_id, delivered_at) = ANY (ARRAY[0, 3])))
hub.external_item external_item_pkey: PRIMARY KEY (tenant_id, integration_point_id, entity_type, business_key)
hub.external_item_imported external_item_imported_pkey: PRIMARY KEY (tenant_id, import_id, integration_point_id, entity_type, business_key)
hub.external_item_removed external_item_removed_pkey: PRIMARY KEY (tenant_id, id)
hub.external_message external_message_channel_check: CHECK ((channel = ANY (ARRAY['hook'::text, 'gateway'::text, 'poll'::text, 'import'::text])))
hub.external_message external_message_pkey: PRIMARY KEY (tenant_id, id)
hub.external_message external_message_signature_check: CHECK ((signature = ANY (ARRAY['valid'::text, 'invalid'::text, 'missing'::text, 'stale'::text, 'none-configured'::text, 'not-applicable'::text])))
hub.external_message external_message_state_check: CHECK ((state = ANY (ARRAY['accepted'::text, 'unchanged'::text, 'rejected'::text, 'ignored'::text])))
hub.idempotent_answer idempotent_answer_check: CHECK (((answer IS NULL) <> (explanation IS NULL)))
hub.idempotent_answer idempotent_answer_pkey: PRIMARY KEY (tenant_id, hash)
hub.identity identity_pkey: PRIMARY KEY (issuer, subject)
hub.identity identity_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.import_file import_file_element_check: CHECK ((length(element) <= 100))
hub.import_file import_file_format_check: CHECK ((format = ANY (ARRAY['csv'::text, 'ndjson'::text, 'xml'::text])))
hub.import_file import_file_name_check: CHECK ((length(name) <= 300))
hub.import_file import_file_pkey: PRIMARY KEY (tenant_id, run_id)
hub.import_file import_file_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE CASCADE
hub.import_part import_part_content_check: CHECK ((length(content) <= 600000))
hub.import_part import_part_number_check: CHECK (((number >= 1) AND (number <= 10000)))
hub.import_part import_part_pkey: PRIMARY KEY (tenant_id, run_id, number)
hub.import_part import_part_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.import_file(tenant_id, run_id) ON DELETE CASCADE
hub.import_rejection import_rejection_pkey: PRIMARY KEY (tenant_id, run_id, row_count)
hub.import_rejection import_rejection_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.import_file(tenant_id, run_id) ON DELETE CASCADE
hub.intake_key intake_key_pkey: PRIMARY KEY (tenant_id, hash)
hub.integration_point integration_point_check: CHECK (((cardinality(source_types) + cardinality(target_types)) > 0))
hub.integration_point integration_point_code_check: CHECK ((code ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
hub.integration_point integration_point_concurrency_check: CHECK (((concurrency >= 1) AND (concurrency <= 64)))
hub.integration_point integration_point_delivery_mode_check: CHECK ((delivery_mode = ANY (ARRAY['push'::text, 'pull'::text])))
hub.integration_point integration_point_environment_check: CHECK ((environment = ANY (ARRAY['production'::text, 'development'::text])))
hub.integration_point integration_point_hook_id_key: UNIQUE (hook_id)
hub.integration_point integration_point_pkey: PRIMARY KEY (tenant_id, id)
hub.integration_point integration_point_rate_per_second_check: CHECK ((rate_per_second > (0)::double precision))
hub.integration_point integration_point_source_types_check: CHECK ((source_types <@ ARRAY['item'::text, 'price'::text, 'stock'::text, 'order'::text, 'shipment'::text, 'customer'::text]))
hub.integration_point integration_point_target_types_check: CHECK ((target_types <@ ARRAY['item'::text, 'price'::text, 'stock'::text, 'order'::text, 'shipment'::text, 'customer'::text]))
hub.integration_point integration_point_tenant_id_code_key: UNIQUE (tenant_id, code)
hub.integration_point integration_point_tenant_id_subtenant_id_fkey: FOREIGN KEY (tenant_id, subtenant_id) REFERENCES hub.subtenant(tenant_id, id)
hub.integration_point_version integration_point_version_pkey: PRIMARY KEY (tenant_id, integration_point_id, version)
hub.integration_point_version integration_point_version_tenant_id_integration_point_id_fkey: FOREIGN KEY (tenant_id, integration_point_id) REFERENCES hub.integration_point(tenant_id, id) ON DELETE CASCADE
hub.invitation invitation_pkey: PRIMARY KEY (user_id)
hub.invitation invitation_token_hash_key: UNIQUE (token_hash)
hub.invitation invitation_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.job job_check: CHECK ((num_nonnulls(created_by, api_key_id) = 1))
hub.job job_check1: CHECK ((((state = 'ready'::text) = (started_at IS NULL)) OR (state = 'cancelled'::text)))
hub.job job_check2: CHECK (((state = ANY (ARRAY['done'::text, 'cancelled'::text])) = (finished_at IS NOT NULL)))
hub.job job_check3: CHECK ((((done + skipped) + failed) <= total))
hub.job job_created_by_fkey: FOREIGN KEY (created_by) REFERENCES hub."user"(id)
hub.job job_failure_limit_check: CHECK (((failure_limit >= 0) AND (failure_limit <= 100)))
hub.job job_in_flight: CHECK (((((done + skipped) + failed) + in_flight) <= total))
hub.job job_kind_check: CHECK ((kind = ANY (ARRAY['retry-now'::text, 'requeue'::text, 'remove'::text, 'restore'::text, 'patch'::text, 'replay'::text, 'redirect'::text])))
hub.job job_patch: CHECK ((((kind = 'patch'::text) = (num_nonnulls(patch, failure_limit, stage) = 3)) AND (num_nonnulls(patch, failure_limit, stage) = ANY (ARRAY[0, 3]))))
hub.job job_pkey: PRIMARY KEY (tenant_id, id)
hub.job job_reason_check: CHECK ((length(reason) <= 500))
hub.job job_stage_check: CHECK (((stage >= 0) AND (stage <= 3)))
hub.job job_state_check: CHECK ((state = ANY (ARRAY['ready'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text, 'stopped'::text])))
hub.job job_subject_check: CHECK ((subject = ANY (ARRAY['messages'::text, 'external-messages'::text, 'external-items'::text])))
hub.job job_target: CHECK ((((kind = 'redirect'::text) AND ((target_queue_id IS NOT NULL) OR (undo_of IS NOT NULL))) OR ((kind <> 'redirect'::text) AND (target_queue_id IS NULL))))
hub.job job_tenant_id_api_key_id_fkey: FOREIGN KEY (tenant_id, api_key_id) REFERENCES hub.api_key(tenant_id, id)
hub.job job_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.job job_tenant_id_undo_of_fkey: FOREIGN KEY (tenant_id, undo_of) REFERENCES hub.job(tenant_id, id)
hub.job job_total_check: CHECK ((total >= 0))
hub.job_item job_item_outcome_check: CHECK ((outcome = ANY (ARRAY['sent'::text, 'done'::text, 'skipped'::text, 'failed'::text])))
hub.job_item job_item_pkey: PRIMARY KEY (tenant_id, job_id, message_id)
hub.job_item job_item_tenant_id_job_id_fkey: FOREIGN KEY (tenant_id, job_id) REFERENCES hub.job(tenant_id, id) ON DELETE CASCADE
hub.known_network known_network_pkey: PRIMARY KEY (user_id, network)
hub.known_network known_network_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.mail mail_pkey: PRIMARY KEY (id)
hub.mapping mapping_pkey: PRIMARY KEY (tenant_id, id)
hub.mapping mapping_tenant_id_field_name_source_target_source_value_sub_key: UNIQUE NULLS NOT DISTINCT (tenant_id, field_name, source, target, source_value, subtenant_id)
hub.mapping mapping_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.mapping mapping_tenant_id_subtenant_id_fkey: FOREIGN KEY (tenant_id, subtenant_id) REFERENCES hub.subtenant(tenant_id, id)
hub.mapping_change mapping_change_pkey: PRIMARY KEY (tenant_id, version, mapping_id)
hub.mapping_change mapping_change_tenant_id_version_fkey: FOREIGN KEY (tenant_id, version) REFERENCES hub.mapping_version(tenant_id, version) ON DELETE CASCADE
hub.mapping_version mapping_version_pkey: PRIMARY KEY (tenant_id, version)
hub.mapping_version mapping_version_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.masking masking_pkey: PRIMARY KEY (tenant_id)
hub.masking masking_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.message_action message_action_pkey: PRIMARY KEY (tenant_id, message_id, id)
hub.message_action message_action_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.message_action message_action_verb_check: CHECK ((verb = ANY (ARRAY['requeue'::text, 'retry'::text, 'remove'::text, 'restore'::text, 'replace'::text])))
hub.metric metric_grain_check: CHECK ((grain = ANY (ARRAY[1, 15, 60, 1440])))
hub.metric metric_pkey: PRIMARY KEY (tenant_id, grain, queue_id, at)
hub.metric_latency metric_latency_pkey: PRIMARY KEY (tenant_id, grain, queue_id, at, bucket)
hub.metric_latency_total metric_latency_total_pkey: PRIMARY KEY (tenant_id, queue_id, bucket)
hub.metric_progress metric_progress_is_only_check: CHECK (is_only)
hub.metric_progress metric_progress_pkey: PRIMARY KEY (is_only)
hub.metric_total metric_total_pkey: PRIMARY KEY (tenant_id, queue_id)
hub.note note_author_id_fkey: FOREIGN KEY (author_id) REFERENCES hub."user"(id)
hub.note note_author_name_check: CHECK (((length(author_name) >= 1) AND (length(author_name) <= 200)))
hub.note note_check: CHECK ((num_nonnulls(author_id, api_key_id) = 1))
hub.note note_pkey: PRIMARY KEY (tenant_id, id)
hub.note note_tenant_id_api_key_id_fkey: FOREIGN KEY (tenant_id, api_key_id) REFERENCES hub.api_key(tenant_id, id)
hub.note note_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.note note_text_check: CHECK (((length(text) >= 1) AND (length(text) <= 2000)))
hub.note_read note_read_pkey: PRIMARY KEY (tenant_id, user_id)
hub.note_read note_read_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.note_read note_read_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.oidc_flow oidc_flow_pkey: PRIMARY KEY (state_hash)
hub.open_order open_order_pkey: PRIMARY KEY (tenant_id, subtenant_id, order_number)
hub.order_news order_news_pkey: PRIMARY KEY (tenant_id, id)
hub.refresh_token refresh_token_pkey: PRIMARY KEY (hash)
hub.refresh_token refresh_token_session_id_fkey: FOREIGN KEY (session_id) REFERENCES hub.session(id) ON DELETE CASCADE
hub.repair repair_pkey: PRIMARY KEY (tenant_id, message_id)
hub.repair repair_reason_check: CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
hub.repair repair_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.repair repair_tenant_id_successor_id_key: UNIQUE (tenant_id, successor_id)
hub.run run_check: CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL)))
hub.run run_check1: CHECK (((integration_point_id IS NOT NULL) OR (kind = 'export'::text)))
hub.run run_kind_check: CHECK ((kind ~ '^[a-z-]{1,40}$'::text))
hub.run run_pkey: PRIMARY KEY (tenant_id, id)
hub.run run_state_check: CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
hub.run run_tenant_id_integration_point_id_fkey: FOREIGN KEY (tenant_id, integration_point_id) REFERENCES hub.integration_point(tenant_id, id)
hub.run run_tenant_id_schedule_id_fkey: FOREIGN KEY (tenant_id, schedule_id) REFERENCES hub.schedule(tenant_id, id)
hub.run run_tenant_id_subtenant_id_fkey: FOREIGN KEY (tenant_id, subtenant_id) REFERENCES hub.subtenant(tenant_id, id)
hub.run_difference run_difference_kind_check: CHECK ((kind = ANY (ARRAY['missing'::text, 'extra'::text, 'differing'::text])))
hub.run_difference run_difference_pkey: PRIMARY KEY (tenant_id, run_id, id)
hub.run_difference run_difference_tenant_id_run_id_business_key_key: UNIQUE (tenant_id, run_id, business_key)
hub.run_difference run_difference_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE CASCADE
hub.run_line run_line_level_check: CHECK ((level = ANY (ARRAY['info'::text, 'warning'::text, 'error'::text])))
hub.run_line run_line_pkey: PRIMARY KEY (tenant_id, run_id, id)
hub.run_line run_line_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE CASCADE
hub.run_object run_object_pkey: PRIMARY KEY (tenant_id, run_id, side, business_key)
hub.run_object run_object_side_check: CHECK ((side = ANY (ARRAY['source'::text, 'target'::text])))
hub.run_object run_object_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE CASCADE
hub.saved_view saved_view_changed_by_fkey: FOREIGN KEY (changed_by) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.saved_view saved_view_list_check: CHECK ((list ~ '^/[a-z-]+$'::text))
hub.saved_view saved_view_name_check: CHECK (((length(name) >= 1) AND (length(name) <= 100)))
hub.saved_view saved_view_pkey: PRIMARY KEY (tenant_id, id)
hub.saved_view saved_view_query_check: CHECK ((length(query) <= 4000))
hub.saved_view saved_view_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE SET NULL
hub.schedule schedule_check: CHECK ((num_nonnulls(cron, every_seconds) = 1))
hub.schedule schedule_check1: CHECK (((kind = 'export'::text) = (integration_point_id IS NULL)))
hub.schedule schedule_cron_check: CHECK ((length(cron) <= 100))
hub.schedule schedule_entity_type_check: CHECK ((entity_type = ANY (ARRAY['item'::text, 'price'::text, 'stock'::text, 'order'::text, 'shipment'::text, 'customer'::text])))
hub.schedule schedule_every_seconds_check: CHECK (((every_seconds >= 10) AND (every_seconds <= 604800)))
hub.schedule schedule_kind_check: CHECK ((kind = ANY (ARRAY['poll'::text, 'deletions'::text, 'reconciliation'::text, 'resync'::text, 'export'::text])))
hub.schedule schedule_pkey: PRIMARY KEY (tenant_id, id)
hub.schedule schedule_tenant_id_integration_point_id_fkey: FOREIGN KEY (tenant_id, integration_point_id) REFERENCES hub.integration_point(tenant_id, id)
hub.schedule schedule_tenant_id_subtenant_id_fkey: FOREIGN KEY (tenant_id, subtenant_id) REFERENCES hub.subtenant(tenant_id, id)
hub.session session_pkey: PRIMARY KEY (id)
hub.session session_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.sign_in_failure sign_in_failure_pkey: PRIMARY KEY (key)
hub.subtenant subtenant_code_check: CHECK ((code ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
hub.subtenant subtenant_pkey: PRIMARY KEY (tenant_id, id)
hub.subtenant subtenant_tenant_id_code_key: UNIQUE (tenant_id, code)
hub.subtenant subtenant_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.tenant tenant_code_check: CHECK ((code ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
hub.tenant tenant_code_key: UNIQUE (code)
hub.tenant tenant_colour_check: CHECK ((colour ~ '^#[0-9a-f]{6}$'::text))
hub.tenant tenant_pkey: PRIMARY KEY (id)
hub.tenant_limit tenant_limit_attempt_days_check: CHECK ((attempt_days > 0))
hub.tenant_limit tenant_limit_history_days_check: CHECK ((history_days > 0))
hub.tenant_limit tenant_limit_message_bytes_check: CHECK ((message_bytes >= 1024))
hub.tenant_limit tenant_limit_pkey: PRIMARY KEY (tenant_id)
hub.tenant_limit tenant_limit_raw_message_days_check: CHECK ((raw_message_days > 0))
hub.tenant_limit tenant_limit_removed_days_check: CHECK ((removed_days > 0))
hub.tenant_limit tenant_limit_run_days_check: CHECK ((run_days > 0))
hub.tenant_limit tenant_limit_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.toolbox_run toolbox_run_check: CHECK ((num_nonnulls(job_id, run_id) <= 1))
hub.toolbox_run toolbox_run_operation_check: CHECK ((operation ~ '^[a-z-]{1,40}$'::text))
hub.toolbox_run toolbox_run_pkey: PRIMARY KEY (tenant_id, id)
hub.toolbox_run toolbox_run_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.toolbox_run toolbox_run_tenant_id_job_id_fkey: FOREIGN KEY (tenant_id, job_id) REFERENCES hub.job(tenant_id, id) ON DELETE SET NULL (job_id)
hub.toolbox_run toolbox_run_tenant_id_run_id_fkey: FOREIGN KEY (tenant_id, run_id) REFERENCES hub.run(tenant_id, id) ON DELETE SET NULL (run_id)
hub."user" user_email_check: CHECK ((email = lower(email)))
hub."user" user_email_key: UNIQUE (email)
hub."user" user_pkey: PRIMARY KEY (id)
hub."user" user_role_check: CHECK ((role = ANY (ARRAY['viewer'::text, 'user'::text, 'admin'::text])))
hub.user_tenant user_tenant_pkey: PRIMARY KEY (tenant_id, user_id)
hub.user_tenant user_tenant_tenant_id_fkey: FOREIGN KEY (tenant_id) REFERENCES hub.tenant(id)
hub.user_tenant user_tenant_user_id_fkey: FOREIGN KEY (user_id) REFERENCES hub."user"(id) ON DELETE CASCADE
hub.whole whole_pkey: PRIMARY KEY (tenant_id, name)
queue.attempt attempt_pkey: PRIMARY KEY (tenant_id, queue_id, id, number)
queue.day_partitioned day_partitioned_pkey: PRIMARY KEY (parent)
queue.dead dead_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.dead_tally dead_tally_pkey: PRIMARY KEY (tenant_id, queue_id, fingerprint)
queue.delivered_version delivered_version_pkey: PRIMARY KEY (tenant_id, queue_id, lane)
queue.depth depth_pkey: PRIMARY KEY (tenant_id, queue_id)
queue.depth_count depth_count_is_only_check: CHECK (is_only)
queue.depth_count depth_count_pkey: PRIMARY KEY (is_only)
queue.held held_pkey: PRIMARY KEY (tenant_id, queue_id, lane)
queue.history history_outcome_check: CHECK ((outcome = ANY (ARRAY['delivered'::text, 'superseded'::text, 'redirected'::text])))
queue.history history_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.lease lease_pkey: PRIMARY KEY (tenant_id, queue_id, lane)
queue.lease lease_tenant_id_token_key: UNIQUE (tenant_id, token)
queue.message message_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.parked parked_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.place place_pkey: PRIMARY KEY (tenant_id, queue_id, lane, message_id)
queue.queue queue_base_delay_ms_check: CHECK ((base_delay_ms > 0))
queue.queue queue_check: CHECK ((max_delay_ms >= base_delay_ms))
queue.queue queue_delivery_check: CHECK ((delivery = ANY (ARRAY['push'::text, 'pull'::text])))
queue.queue queue_max_attempts_check: CHECK (((max_attempts >= 1) AND (max_attempts <= 1000)))
queue.queue queue_mode_check: CHECK ((mode = ANY (ARRAY['fifo'::text, 'latest'::text])))
queue.queue queue_pkey: PRIMARY KEY (tenant_id, id)
queue.queue queue_shards_check: CHECK ((((shards >= 1) AND (shards <= 64)) AND (((shards)::integer & (shards - 1)) = 0)))
queue.queue queue_tenant_id_target_id_fkey: FOREIGN KEY (tenant_id, target_id) REFERENCES queue.target(tenant_id, id)
queue.queue queue_tenant_id_target_id_name_key: UNIQUE (tenant_id, target_id, name)
queue.ready ready_pkey: PRIMARY KEY (tenant_id, queue_id, shard, id)
queue.removed removed_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.removed removed_removed_from_check: CHECK ((removed_from = ANY (ARRAY['ready'::text, 'retrying'::text, 'parked'::text, 'dead'::text])))
queue.retrying retrying_pkey: PRIMARY KEY (tenant_id, queue_id, id)
queue.search_cursor search_cursor_is_only_check: CHECK (is_only)
queue.search_cursor search_cursor_pkey: PRIMARY KEY (is_only)
queue.search_text search_text_pkey: PRIMARY KEY (tenant_id, id)
queue.shard shard_pkey: PRIMARY KEY (tenant_id, queue_id, shard)
queue.shard shard_tenant_id_queue_id_fkey: FOREIGN KEY (tenant_id, queue_id) REFERENCES queue.queue(tenant_id, id) ON DELETE CASCADE
queue.suspect suspect_pkey: PRIMARY KEY (tenant_id, queue_id, shard)
queue.target target_check: CHECK (((circuit = 'open'::text) = (circuit_open_until IS NOT NULL)))
queue.target target_circuit_check: CHECK ((circuit = ANY (ARRAY['closed'::text, 'open'::text, 'half-open'::text])))
queue.target target_concurrency_check: CHECK (((concurrency >= 1) AND (concurrency <= 1024)))
queue.target target_pkey: PRIMARY KEY (tenant_id, id)
queue.target target_rate_per_second_check: CHECK ((rate_per_second > (0)::double precision))
queue.worker worker_pkey: PRIMARY KEY (id)

-- indexes
CREATE INDEX alert_listed ON hub.alert USING btree (tenant_id, id) WHERE (state <> 'pending'::text)
CREATE INDEX alert_recovered ON hub.alert USING btree (tenant_id, rule_id, object, recovered_at) WHERE (state = 'recovered'::text)
CREATE UNIQUE INDEX alert_open ON hub.alert USING btree (tenant_id, rule_id, object) WHERE (state <> 'recovered'::text)
CREATE UNIQUE INDEX alert_pkey ON hub.alert USING btree (tenant_id, id)
CREATE UNIQUE INDEX alert_channel_pkey ON hub.alert_channel USING btree (tenant_id, id)
CREATE INDEX alert_delivery_due ON hub.alert_delivery USING btree (next_at) WHERE (state = 'waiting'::text)
CREATE INDEX alert_delivery_of_channel ON hub.alert_delivery USING btree (tenant_id, channel_id, id)
CREATE UNIQUE INDEX alert_delivery_pkey ON hub.alert_delivery USING btree (tenant_id, id)
CREATE INDEX alert_event_of_alert ON hub.alert_event USING btree (tenant_id, alert_id, id)
CREATE UNIQUE INDEX alert_event_pkey ON hub.alert_event USING btree (tenant_id, id)
CREATE UNIQUE INDEX alert_read_pkey ON hub.alert_read USING btree (tenant_id, user_id)
CREATE UNIQUE INDEX alert_rule_pkey ON hub.alert_rule USING btree (tenant_id, id)
CREATE UNIQUE INDEX alert_watch_pkey ON hub.alert_watch USING btree (tenant_id)
CREATE INDEX announcement_by_end ON hub.announcement USING btree (COALESCE(ends_at, 'infinity'::timestamp with time zone))
CREATE UNIQUE INDEX announcement_pkey ON hub.announcement USING btree (id)
CREATE UNIQUE INDEX api_key_hash_key ON hub.api_key USING btree (hash)
CREATE UNIQUE INDEX api_key_pkey ON hub.api_key USING btree (tenant_id, id)
CREATE INDEX audit_event_by_id ON hub.audit_event USING btree (id)
CREATE INDEX audit_event_by_request ON hub.audit_event USING btree (request_id)
CREATE INDEX audit_event_by_time ON hub.audit_event USING brin (at)
CREATE UNIQUE INDEX audit_event_tenant_id_id_key ON hub.audit_event USING btree (tenant_id, id) NULLS NOT DISTINCT
CREATE UNIQUE INDEX coming_soon_address_email_key ON hub.coming_soon_address USING btree (email)
CREATE UNIQUE INDEX coming_soon_address_pkey ON hub.coming_soon_address USING btree (id)
CREATE UNIQUE INDEX dead_letter_triage_pkey ON hub.dead_letter_triage USING btree (tenant_id, fingerprint)
CREATE INDEX death_by_time ON hub.death USING btree (died_at)
CREATE INDEX debug_exchange_by_age ON hub.debug_exchange USING brin (made_at)
CREATE INDEX debug_exchange_by_message ON hub.debug_exchange USING btree (tenant_id, message_id, id)
CREATE UNIQUE INDEX debug_exchange_pkey ON hub.debug_exchange USING btree (tenant_id, id)
CREATE UNIQUE INDEX default_view_pkey ON hub.default_view USING btree (tenant_id, user_id, list)
CREATE INDEX email_code_by_email ON hub.email_code USING btree (email, purpose, created_at)
CREATE UNIQUE INDEX email_code_pkey ON hub.email_code USING btree (id)
CREATE INDEX entity_by_whole ON hub.entity USING btree (tenant_id, part_of) WHERE (part_of IS NOT NULL)
CREATE UNIQUE INDEX entity_pkey ON hub.entity USING btree (tenant_id, subtenant_id, entity_type, business_key, is_development)
CREATE INDEX entity_version_by_order ON hub.entity_version USING btree (tenant_id, subtenant_id, order_number) WHERE (order_number IS NOT NULL)
CREATE INDEX entity_version_by_origin ON hub.entity_version USING btree (tenant_id, external_message_id)
CREATE UNIQUE INDEX entity_version_pkey ON hub.entity_version USING btree (tenant_id, subtenant_id, entity_type, business_key, is_development, version)
CREATE UNIQUE INDEX export_part_pkey ON hub.export_part USING btree (tenant_id, run_id, number)
CREATE INDEX external_item_by_external_id ON hub.external_item USING btree (tenant_id, integration_point_id, entity_type, external_id) WHERE (external_id IS NOT NULL)
CREATE UNIQUE INDEX external_item_pkey ON hub.external_item USING btree (tenant_id, integration_point_id, entity_type, business_key)
CREATE UNIQUE INDEX external_item_imported_pkey ON hub.external_item_imported USING btree (tenant_id, import_id, integration_point_id, entity_type, business_key)
CREATE INDEX external_item_removed_by_age ON hub.external_item_removed USING brin (removed_at)
CREATE INDEX external_item_removed_by_key ON hub.external_item_removed USING btree (tenant_id, integration_point_id, entity_type, business_key, id)
CREATE UNIQUE INDEX external_item_removed_pkey ON hub.external_item_removed USING btree (tenant_id, id)
CREATE INDEX external_message_by_key ON ONLY hub.external_message USING btree (tenant_id, business_key, id)
CREATE INDEX external_message_by_point ON ONLY hub.external_message USING btree (tenant_id, integration_point_id, entity_type, id) WHERE (removed_at IS NULL)
CREATE INDEX external_message_by_replayed ON ONLY hub.external_message USING btree (tenant_id, replay_of, id) WHERE (replay_of IS NOT NULL)
CREATE INDEX external_message_by_state ON ONLY hub.external_message USING btree (tenant_id, state, id) WHERE ((state <> 'accepted'::text) AND (removed_at IS NULL))
CREATE INDEX external_message_rejected_text ON ONLY hub.external_message USING gin (hub.external_text(body) gin_trgm_ops) WHERE (state = 'rejected'::text)
CREATE INDEX external_message_removed ON ONLY hub.external_message USING btree (tenant_id, id) WHERE (removed_at IS NOT NULL)
CREATE UNIQUE INDEX external_message_pkey ON ONLY hub.external_message USING btree (tenant_id, id)
CREATE INDEX idempotent_answer_by_age ON hub.idempotent_answer USING brin (created_at)
CREATE UNIQUE INDEX idempotent_answer_pkey ON hub.idempotent_answer USING btree (tenant_id, hash)
CREATE INDEX identity_by_user ON hub.identity USING btree (user_id)
CREATE UNIQUE INDEX identity_pkey ON hub.identity USING btree (issuer, subject)
CREATE UNIQUE INDEX import_file_pkey ON hub.import_file USING btree (tenant_id, run_id)
CREATE UNIQUE INDEX import_part_pkey ON hub.import_part USING btree (tenant_id, run_id, number)
CREATE UNIQUE INDEX import_rejection_pkey ON hub.import_rejection USING btree (tenant_id, run_id, row_count)
CREATE INDEX intake_key_by_age ON hub.intake_key USING brin (external_message_id)
CREATE UNIQUE INDEX intake_key_pkey ON hub.intake_key USING btree (tenant_id, hash)
CREATE INDEX integration_point_by_subtenant ON hub.integration_point USING btree (tenant_id, subtenant_id, connector)
CREATE UNIQUE INDEX integration_point_hook_id_key ON hub.integration_point USING btree (hook_id)
CREATE UNIQUE INDEX integration_point_pkey ON hub.integration_point USING btree (tenant_id, id)
CREATE UNIQUE INDEX integration_point_tenant_id_code_key ON hub.integration_point USING btree (tenant_id, code)
CREATE UNIQUE INDEX integration_point_version_pkey ON hub.integration_point_version USING btree (tenant_id, integration_point_id, version)
CREATE UNIQUE INDEX invitation_pkey ON hub.invitation USING btree (user_id)
CREATE UNIQUE INDEX invitation_token_hash_key ON hub.invitation USING btree (token_hash)
CREATE INDEX job_running ON hub.job USING btree (tenant_id, next_at) WHERE (state = 'running'::text)
CREATE UNIQUE INDEX job_pkey ON hub.job USING btree (tenant_id, id)
CREATE UNIQUE INDEX job_undo ON hub.job USING btree (tenant_id, undo_of) WHERE ((undo_of IS NOT NULL) AND (state <> 'cancelled'::text))
CREATE INDEX job_item_sent ON hub.job_item USING btree (tenant_id, job_id, message_id) WHERE (outcome = 'sent'::text)
CREATE INDEX job_item_unusual ON hub.job_item USING btree (tenant_id, job_id, outcome, message_id) WHERE (outcome = ANY (ARRAY['skipped'::text, 'failed'::text]))
CREATE UNIQUE INDEX job_item_pkey ON hub.job_item USING btree (tenant_id, job_id, message_id)
CREATE UNIQUE INDEX known_network_pkey ON hub.known_network USING btree (user_id, network)
CREATE INDEX mail_by_time ON hub.mail USING btree (created_at)
CREATE INDEX mail_waiting ON hub.mail USING btree (next_attempt_at) WHERE (sealed IS NOT NULL)
CREATE UNIQUE INDEX mail_pkey ON hub.mail USING btree (id)
CREATE INDEX mapping_by_field ON hub.mapping USING btree (tenant_id, field_name, id)
CREATE UNIQUE INDEX mapping_pkey ON hub.mapping USING btree (tenant_id, id)
CREATE UNIQUE INDEX mapping_tenant_id_field_name_source_target_source_value_sub_key ON hub.mapping USING btree (tenant_id, field_name, source, target, source_value, subtenant_id) NULLS NOT DISTINCT
CREATE INDEX mapping_change_by_mapping ON hub.mapping_change USING btree (tenant_id, mapping_id, version)
CREATE UNIQUE INDEX mapping_change_pkey ON hub.mapping_change USING btree (tenant_id, version, mapping_id)
CREATE INDEX mapping_version_by_time ON hub.mapping_version USING btree (tenant_id, made_at)
CREATE UNIQUE INDEX mapping_version_pkey ON hub.mapping_version USING btree (tenant_id, version)
CREATE UNIQUE INDEX masking_pkey ON hub.masking USING btree (tenant_id)
CREATE UNIQUE INDEX message_action_pkey ON hub.message_action USING btree (tenant_id, message_id, id)
CREATE INDEX metric_by_time ON hub.metric USING btree (grain, at)
CREATE UNIQUE INDEX metric_pkey ON hub.metric USING btree (tenant_id, grain, queue_id, at)
CREATE INDEX metric_latency_by_time ON hub.metric_latency USING btree (grain, at)
CREATE UNIQUE INDEX metric_latency_pkey ON hub.metric_latency USING btree (tenant_id, grain, queue_id, at, bucket)
CREATE UNIQUE INDEX metric_latency_total_pkey ON hub.metric_latency_total USING btree (tenant_id, queue_id, bucket)
CREATE UNIQUE INDEX metric_progress_pkey ON hub.metric_progress USING btree (is_only)
CREATE UNIQUE INDEX metric_total_pkey ON hub.metric_total USING btree (tenant_id, queue_id)
CREATE INDEX note_by_message ON hub.note USING btree (tenant_id, message_id, id)
CREATE UNIQUE INDEX note_pkey ON hub.note USING btree (tenant_id, id)
CREATE UNIQUE INDEX note_read_pkey ON hub.note_read USING btree (tenant_id, user_id)
CREATE UNIQUE INDEX oidc_flow_pkey ON hub.oidc_flow USING btree (state_hash)
CREATE INDEX open_order_oldest ON hub.open_order USING btree (tenant_id, subtenant_id, ordered_at) WHERE (closed_at IS NULL)
CREATE INDEX open_order_shipped ON hub.open_order USING btree (tenant_id, subtenant_id, closed_at) WHERE is_shipped
CREATE UNIQUE INDEX open_order_pkey ON hub.open_order USING btree (tenant_id, subtenant_id, order_number)
CREATE UNIQUE INDEX order_news_pkey ON hub.order_news USING btree (tenant_id, id)
CREATE INDEX refresh_token_by_session ON hub.refresh_token USING btree (session_id, used_at)
CREATE UNIQUE INDEX refresh_token_newest ON hub.refresh_token USING btree (session_id) WHERE (used_at IS NULL)
CREATE UNIQUE INDEX refresh_token_pkey ON hub.refresh_token USING btree (hash)
CREATE UNIQUE INDEX repair_pkey ON hub.repair USING btree (tenant_id, message_id)
CREATE UNIQUE INDEX repair_tenant_id_successor_id_key ON hub.repair USING btree (tenant_id, successor_id)
CREATE INDEX run_failed ON hub.run USING btree (tenant_id, subtenant_id, id) WHERE (state = 'failed'::text)
CREATE INDEX run_open ON hub.run USING btree (tenant_id, id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]))
CREATE INDEX run_rejected ON hub.run USING btree (tenant_id, id) WHERE (rejected > 0)
CREATE UNIQUE INDEX run_of_schedule ON hub.run USING btree (tenant_id, schedule_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text]))
CREATE UNIQUE INDEX run_of_target ON hub.run USING btree (tenant_id, kind, integration_point_id, entity_type) WHERE ((kind = ANY (ARRAY['reconciliation'::text, 'resync'::text, 'deletions'::text])) AND (state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])))
CREATE UNIQUE INDEX run_pkey ON hub.run USING btree (tenant_id, id)
CREATE INDEX run_difference_of_kind ON hub.run_difference USING btree (tenant_id, run_id, kind, id)
CREATE UNIQUE INDEX run_difference_pkey ON hub.run_difference USING btree (tenant_id, run_id, id)
CREATE UNIQUE INDEX run_difference_tenant_id_run_id_business_key_key ON hub.run_difference USING btree (tenant_id, run_id, business_key)
CREATE UNIQUE INDEX run_line_pkey ON hub.run_line USING btree (tenant_id, run_id, id)
CREATE UNIQUE INDEX run_object_pkey ON hub.run_object USING btree (tenant_id, run_id, side, business_key)
CREATE INDEX saved_view_by_list ON hub.saved_view USING btree (tenant_id, list)
CREATE UNIQUE INDEX saved_view_pkey ON hub.saved_view USING btree (tenant_id, id)
CREATE INDEX schedule_due ON hub.schedule USING btree (tenant_id, next_at) WHERE (is_active AND (removed_at IS NULL))
CREATE UNIQUE INDEX schedule_once ON hub.schedule USING btree (tenant_id, kind, subtenant_id, integration_point_id, entity_type) NULLS NOT DISTINCT WHERE (removed_at IS NULL)
CREATE UNIQUE INDEX schedule_pkey ON hub.schedule USING btree (tenant_id, id)
CREATE INDEX session_by_user ON hub.session USING btree (user_id)
CREATE UNIQUE INDEX session_pkey ON hub.session USING btree (id)
CREATE INDEX sign_in_failure_by_time ON hub.sign_in_failure USING btree (last_at)
CREATE UNIQUE INDEX sign_in_failure_pkey ON hub.sign_in_failure USING btree (key)
CREATE UNIQUE INDEX subtenant_pkey ON hub.subtenant USING btree (tenant_id, id)
CREATE UNIQUE INDEX subtenant_tenant_id_code_key ON hub.subtenant USING btree (tenant_id, code)
CREATE UNIQUE INDEX tenant_code_key ON hub.tenant USING btree (code)
CREATE UNIQUE INDEX tenant_pkey ON hub.tenant USING btree (id)
CREATE UNIQUE INDEX tenant_limit_pkey ON hub.tenant_limit USING btree (tenant_id)
CREATE INDEX toolbox_run_of_job ON hub.toolbox_run USING btree (tenant_id, job_id) WHERE (job_id IS NOT NULL)
CREATE INDEX toolbox_run_of_run ON hub.toolbox_run USING btree (tenant_id, run_id) WHERE (run_id IS NOT NULL)
CREATE UNIQUE INDEX toolbox_run_pkey ON hub.toolbox_run USING btree (tenant_id, id)
CREATE UNIQUE INDEX user_email_key ON hub."user" USING btree (email)
CREATE UNIQUE INDEX user_pkey ON hub."user" USING btree (id)
CREATE INDEX user_tenant_by_user ON hub.user_tenant USING btree (user_id)
CREATE UNIQUE INDEX user_tenant_pkey ON hub.user_tenant USING btree (tenant_id, user_id)
CREATE UNIQUE INDEX whole_pkey ON hub.whole USING btree (tenant_id, name)
CREATE INDEX attempt_started ON ONLY queue.attempt USING brin (started_at) WITH (pages_per_range='128', autosummarize='on')
CREATE UNIQUE INDEX attempt_pkey ON ONLY queue.attempt USING btree (tenant_id, queue_id, id, number)
CREATE UNIQUE INDEX day_partitioned_pkey ON queue.day_partitioned USING btree (parent)
CREATE INDEX dead_failed ON queue.dead USING btree (tenant_id, queue_id, (
CASE
    WHEN (fingerprint IS NULL) THEN ''::text
    ELSE fingerprint
END), dead_at)
CREATE INDEX dead_fingerprint ON queue.dead USING btree (tenant_id, fingerprint, id)
CREATE INDEX dead_lane ON queue.dead USING btree (tenant_id, lane, queue_id)
CREATE UNIQUE INDEX dead_pkey ON queue.dead USING btree (tenant_id, queue_id, id)
CREATE INDEX dead_change_of ON queue.dead_change USING btree (tenant_id)
CREATE UNIQUE INDEX dead_tally_pkey ON queue.dead_tally USING btree (tenant_id, queue_id, fingerprint)
CREATE UNIQUE INDEX delivered_version_pkey ON queue.delivered_version USING btree (tenant_id, queue_id, lane)
CREATE UNIQUE INDEX depth_pkey ON queue.depth USING btree (tenant_id, queue_id)
CREATE UNIQUE INDEX depth_count_pkey ON queue.depth_count USING btree (is_only)
CREATE UNIQUE INDEX held_pkey ON queue.held USING btree (tenant_id, queue_id, lane)
CREATE INDEX history_finished ON ONLY queue.history USING brin (finished_at) WITH (pages_per_range='128', autosummarize='on')
CREATE INDEX history_successor ON ONLY queue.history USING btree (tenant_id, successor_id) WHERE (successor_id IS NOT NULL)
CREATE INDEX history_undelivered ON ONLY queue.history USING btree (tenant_id, queue_id, outcome, id) WHERE (outcome <> 'delivered'::text)
CREATE UNIQUE INDEX history_pkey ON ONLY queue.history USING btree (tenant_id, queue_id, id)
CREATE INDEX lease_until ON queue.lease USING btree (lease_until)
CREATE UNIQUE INDEX lease_pkey ON queue.lease USING btree (tenant_id, queue_id, lane)
CREATE UNIQUE INDEX lease_tenant_id_token_key ON queue.lease USING btree (tenant_id, token)
CREATE INDEX message_created ON ONLY queue.message USING brin (created_at) WITH (pages_per_range='128', autosummarize='on')
CREATE INDEX message_key ON ONLY queue.message USING btree (tenant_id, key, id) WITH (deduplicate_items=off)
CREATE INDEX message_origin ON ONLY queue.message USING btree (tenant_id, origin_id) WHERE (origin_id IS NOT NULL)
CREATE UNIQUE INDEX message_pkey ON ONLY queue.message USING btree (tenant_id, queue_id, id)
CREATE INDEX parked_lane ON queue.parked USING btree (tenant_id, lane, queue_id, id)
CREATE UNIQUE INDEX parked_pkey ON queue.parked USING btree (tenant_id, queue_id, id)
CREATE UNIQUE INDEX place_pkey ON queue.place USING btree (tenant_id, queue_id, lane, message_id)
CREATE UNIQUE INDEX queue_pkey ON queue.queue USING btree (tenant_id, id)
CREATE UNIQUE INDEX queue_tenant_id_target_id_name_key ON queue.queue USING btree (tenant_id, target_id, name)
CREATE INDEX ready_lane ON queue.ready USING btree (tenant_id, queue_id, lane, id) WHERE collapses
CREATE UNIQUE INDEX ready_pkey ON queue.ready USING btree (tenant_id, queue_id, shard, id)
CREATE UNIQUE INDEX removed_pkey ON queue.removed USING btree (tenant_id, queue_id, id)
CREATE INDEX retrying_due ON queue.retrying USING btree (due_at)
CREATE INDEX retrying_lane ON queue.retrying USING btree (tenant_id, lane, queue_id)
CREATE UNIQUE INDEX retrying_pkey ON queue.retrying USING btree (tenant_id, queue_id, id)
CREATE UNIQUE INDEX search_cursor_pkey ON queue.search_cursor USING btree (is_only)
CREATE INDEX search_text_trigram ON ONLY queue.search_text USING gin (text gin_trgm_ops)
CREATE UNIQUE INDEX search_text_pkey ON ONLY queue.search_text USING btree (tenant_id, id)
CREATE INDEX shard_leasable ON queue.shard USING btree (tenant_id) WHERE (is_active AND (NOT is_blocked))
CREATE UNIQUE INDEX shard_pkey ON queue.shard USING btree (tenant_id, queue_id, shard)
CREATE UNIQUE INDEX suspect_pkey ON queue.suspect USING btree (tenant_id, queue_id, shard)
CREATE INDEX target_circuit ON queue.target USING btree (circuit_open_until) WHERE (circuit = 'open'::text)
CREATE UNIQUE INDEX target_pkey ON queue.target USING btree (tenant_id, id)
CREATE UNIQUE INDEX worker_pkey ON queue.worker USING btree (id)

-- policies
hub.alert own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_channel own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_delivery own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_event own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_read own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_rule own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.alert_watch own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.api_key own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.audit_event add_own for INSERT to crossdock_app using () with check ((NOT (tenant_id IS DISTINCT FROM NULLIF(( SELECT queue.current_tenant() AS current_tenant), 0))))
hub.audit_event read_own for SELECT to crossdock_app using (((( SELECT queue.current_tenant() AS current_tenant) = 0) OR (tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))) with check ()
hub.dead_letter_triage own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.death own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.debug_exchange own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.default_view own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.entity own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.entity_version own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.export_part own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.external_item own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.external_item_imported own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.external_item_removed own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.external_message own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.idempotent_answer own_tenant for ALL to public using (((tenant_id = 0) OR (tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))) with check (((tenant_id = 0) OR (tenant_id = ( SELECT queue.current_tenant() AS current_tenant))))
hub.import_file own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.import_part own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.import_rejection own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.intake_key own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.integration_point own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.integration_point_version own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.job own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.job_item own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.mapping own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.mapping_change own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.mapping_version own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.masking own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.message_action own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.metric own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.metric_latency own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.metric_latency_total own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.metric_total own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.note own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.note_read own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.open_order own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.order_news own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.repair own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.run own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.run_difference own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.run_line own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.run_object own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.saved_view own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.schedule own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.subtenant own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.tenant own_tenant for ALL to public using ((id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.tenant_limit own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.toolbox_run own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.user_tenant own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
hub.whole own_tenant for ALL to public using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.attempt of_all for ALL to crossdock_worker using (true) with check (true)
queue.attempt of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.dead of_all for ALL to crossdock_worker using (true) with check (true)
queue.dead of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.dead_change of_all for ALL to crossdock_worker using (true) with check (true)
queue.dead_change of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ()
queue.dead_tally of_all for ALL to crossdock_worker using (true) with check (true)
queue.dead_tally of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ()
queue.delivered_version of_all for ALL to crossdock_worker using (true) with check (true)
queue.delivered_version of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.depth of_all for ALL to crossdock_worker using (true) with check (true)
queue.depth of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ()
queue.held of_all for ALL to crossdock_worker using (true) with check (true)
queue.held of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.history of_all for ALL to crossdock_worker using (true) with check (true)
queue.history of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.lease of_all for ALL to crossdock_worker using (true) with check (true)
queue.lease of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.message of_all for ALL to crossdock_worker using (true) with check (true)
queue.message of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.parked of_all for ALL to crossdock_worker using (true) with check (true)
queue.parked of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.place of_all for ALL to crossdock_worker using (true) with check (true)
queue.place of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.queue of_all for ALL to crossdock_worker using (true) with check (true)
queue.queue of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.ready of_all for ALL to crossdock_worker using (true) with check (true)
queue.ready of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.removed of_all for ALL to crossdock_worker using (true) with check (true)
queue.removed of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.retrying of_all for ALL to crossdock_worker using (true) with check (true)
queue.retrying of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.search_text of_all for ALL to crossdock_worker using (true) with check (true)
queue.search_text of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.shard of_all for ALL to crossdock_worker using (true) with check (true)
queue.shard of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.suspect of_all for ALL to crossdock_worker using (true) with check (true)
queue.suspect of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))
queue.target of_all for ALL to crossdock_worker using (true) with check (true)
queue.target of_tenant for ALL to crossdock_app using ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant))) with check ((tenant_id = ( SELECT queue.current_tenant() AS current_tenant)))

-- grants
hub.alert to crossdock_app: delete, insert, select, update
hub.alert_channel to crossdock_app: insert, select, update
hub.alert_delivery to crossdock_app: delete, insert, select, update
hub.alert_event to crossdock_app: delete, insert, select, update
hub.alert_read to crossdock_app: insert, select, update
hub.alert_rule to crossdock_app: insert, select, update
hub.alert_watch to crossdock_app: insert, select, update
hub.announcement to crossdock_app: insert, select, update
hub.api_key to crossdock_app: delete, insert, select, update
hub.audit_event to crossdock_app: insert, select
hub.coming_soon_address to crossdock_app: delete, insert, select
hub.cut_off_point to crossdock_app: select
hub.dead_letter_triage to crossdock_app: insert, select, update
hub.debug_exchange to crossdock_app: select
hub.debug_exchange to crossdock_worker: delete, insert, select
hub.default_view to crossdock_app: delete, insert, select, update
hub.email_code to crossdock_app: delete, insert, select, update
hub.entity to crossdock_app: insert, select, update
hub.entity to crossdock_worker: select, update
hub.entity_version to crossdock_app: insert, select
hub.entity_version to crossdock_worker: delete, select
hub.export_part to crossdock_app: select
hub.export_part to crossdock_worker: delete, insert, select, update
hub.external_item to crossdock_app: delete, insert, select, update
hub.external_item to crossdock_worker: delete, insert, select, update
hub.external_item_imported to crossdock_app: delete, insert, select
hub.external_item_imported to crossdock_worker: delete, select
hub.external_item_removed to crossdock_app: delete, insert, select
hub.external_item_removed to crossdock_worker: delete, insert, select
hub.external_message to crossdock_app: insert, select
hub.external_message to crossdock_worker: delete, select
hub.idempotent_answer to crossdock_app: insert, select, update
hub.idempotent_answer to crossdock_worker: delete, select
hub.identity to crossdock_app: delete, insert, select, update
hub.import_file to crossdock_app: insert, select, update
hub.import_file to crossdock_worker: delete, select, update
hub.import_part to crossdock_app: insert, select, update
hub.import_part to crossdock_worker: delete, select, update
hub.import_rejection to crossdock_app: insert, select
hub.import_rejection to crossdock_worker: delete, select
hub.intake_key to crossdock_app: insert, select
hub.intake_key to crossdock_worker: delete, select
hub.integration_point to crossdock_app: delete, insert, select, update
hub.integration_point to crossdock_worker: select
hub.integration_point_version to crossdock_app: select
hub.integration_point_version to crossdock_worker: select
hub.invitation to crossdock_app: delete, insert, select, update
hub.job to crossdock_app: insert, select, update
hub.job to crossdock_worker: delete, select, update
hub.job_item to crossdock_app: insert, select, update
hub.job_item to crossdock_worker: delete, select, update
hub.known_network to crossdock_app: delete, insert, select, update
hub.mail to crossdock_app: delete, insert, select, update
hub.mapping to crossdock_app: delete, insert, select, update
hub.mapping to crossdock_worker: select
hub.mapping_change to crossdock_app: select
hub.mapping_change to crossdock_worker: select
hub.mapping_version to crossdock_app: select
hub.mapping_version to crossdock_worker: select
hub.masking to crossdock_app: insert, select, update
hub.masking to crossdock_worker: select
hub.message_action to crossdock_app: insert, select, update
hub.message_action to crossdock_worker: delete, insert, select, update
hub.metric to crossdock_app: select
hub.metric to crossdock_worker: select
hub.metric_latency to crossdock_app: select
hub.metric_latency to crossdock_worker: select
hub.metric_mark to crossdock_app: select
hub.metric_progress to crossdock_app: select
hub.note to crossdock_app: insert, select, update
hub.note_read to crossdock_app: insert, select, update
hub.oidc_flow to crossdock_app: delete, insert, select, update
hub.open_order to crossdock_app: delete, insert, select, update
hub.order_news to crossdock_app: delete, insert, select, update
hub.refresh_token to crossdock_app: delete, insert, select, update
hub.repair to crossdock_app: insert, select
hub.repair to crossdock_worker: delete, insert, select
hub.run to crossdock_app: insert, select, update
hub.run to crossdock_worker: delete, insert, select, update
hub.run_difference to crossdock_app: select
hub.run_difference to crossdock_worker: delete, insert, select, update
hub.run_line to crossdock_app: insert, select, update
hub.run_line to crossdock_worker: delete, insert, select, update
hub.run_object to crossdock_worker: delete, insert, select, update
hub.saved_view to crossdock_app: delete, insert, select, update
hub.schedule to crossdock_app: insert, select, update
hub.schedule to crossdock_worker: delete, select, update
hub.session to crossdock_app: delete, insert, select, update
hub.sign_in_failure to crossdock_app: delete, insert, select, update
hub.subtenant to crossdock_app: delete, insert, select, update
hub.subtenant to crossdock_worker: select
hub.tenant to crossdock_app: insert, select, update
hub.tenant to crossdock_worker: select
hub.tenant_limit to crossdock_app: insert, select, update
hub.tenant_limit to crossdock_worker: select
hub.toolbox_run to crossdock_app: insert, select
hub.toolbox_run to crossdock_worker: delete, select
hub."user" to crossdock_app: delete, insert, select, update
hub.user_tenant to crossdock_app: delete, insert, select, update
hub.whole to crossdock_app: insert, select, update
hub.whole to crossdock_worker: delete, select
queue.attempt to crossdock_app: delete, insert, select, update
queue.attempt to crossdock_worker: delete, insert, select, update
queue.day_partitioned to crossdock_worker: delete, insert, select, update
queue.dead to crossdock_app: delete, insert, select, update
queue.dead to crossdock_worker: delete, insert, select, update
queue.dead_change to crossdock_app: select
queue.dead_change to crossdock_worker: delete, insert, select, update
queue.dead_tally to crossdock_app: select
queue.dead_tally to crossdock_worker: delete, insert, select, update
queue.delivered_version to crossdock_app: delete, insert, select, update
queue.delivered_version to crossdock_worker: delete, insert, select, update
queue.depth to crossdock_app: select
queue.depth to crossdock_worker: delete, insert, select, update
queue.depth_count to crossdock_worker: select, update
queue.held to crossdock_app: delete, insert, select, update
queue.held to crossdock_worker: delete, insert, select, update
queue.history to crossdock_app: delete, insert, select, update
queue.history to crossdock_worker: delete, insert, select, update
queue.lease to crossdock_app: delete, insert, select, update
queue.lease to crossdock_worker: delete, insert, select, update
queue.message to crossdock_app: delete, insert, select, update
queue.message to crossdock_worker: delete, insert, select, update
queue.parked to crossdock_app: delete, insert, select, update
queue.parked to crossdock_worker: delete, insert, select, update
queue.place to crossdock_app: delete, insert, select, update
queue.place to crossdock_worker: delete, insert, select, update
queue.queue to crossdock_app: delete, insert, select, update
queue.queue to crossdock_worker: delete, insert, select, update
queue.ready to crossdock_app: delete, insert, select, update
queue.ready to crossdock_worker: delete, insert, select, update
queue.removed to crossdock_app: delete, insert, select, update
queue.removed to crossdock_worker: delete, insert, select, update
queue.retrying to crossdock_app: delete, insert, select, update
queue.retrying to crossdock_worker: delete, insert, select, update
queue.search_cursor to crossdock_app: delete, insert, select, update
queue.search_cursor to crossdock_worker: delete, insert, select, update
queue.search_text to crossdock_app: delete, insert, select, update
queue.search_text to crossdock_worker: delete, insert, select, update
queue.shard to crossdock_app: delete, insert, select, update
queue.shard to crossdock_worker: delete, insert, select, update
queue.suspect to crossdock_app: delete, insert, select, update
queue.suspect to crossdock_worker: delete, insert, select, update
queue.target to crossdock_app: delete, insert, select, update
queue.target to crossdock_worker: delete, insert, select, update
queue.worker to crossdock_worker: delete, insert, select, update

-- functions
CREATE OR REPLACE FUNCTION hub.all_tenants()
 RETURNS SETOF integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.id
    FROM hub.tenant
   ORDER BY tenant.id;
END
CREATE OR REPLACE FUNCTION hub.api_key_tenant(key_hash bytea)
 RETURNS TABLE(tenant_id integer, tenant_code text, api_key_id integer, role text, scopes text[], is_use_due boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.id,
     tenant.code,
     api_key.id,
     api_key.role,
     api_key.scopes,
     COALESCE((api_key.last_used_at < (now() - '00:01:00'::interval)), true) AS "coalesce"
    FROM (hub.api_key
      JOIN hub.tenant ON ((tenant.id = api_key.tenant_id)))
   WHERE ((api_key.hash = api_key_tenant.key_hash) AND (api_key.revoked_at IS NULL) AND ((api_key.expires_at IS NULL) OR (api_key.expires_at > now())) AND tenant.is_active);
END
CREATE OR REPLACE FUNCTION hub.bucket_of(p_ms double precision)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT (LEAST((27)::double precision, floor((ln(GREATEST((1)::double precision, p_ms)) / ln((2)::double precision)))))::smallint AS "least";
END
CREATE OR REPLACE FUNCTION hub.channels_to_tell()
 RETURNS TABLE(tenant_id integer, channel_id integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT DISTINCT delivery.tenant_id,
     delivery.channel_id
    FROM hub.alert_delivery delivery
   WHERE ((delivery.state = 'waiting'::text) AND (delivery.next_at <= clock_timestamp()));
END
CREATE OR REPLACE FUNCTION hub.collect_metrics(p_now timestamp with time zone DEFAULT clock_timestamp(), p_most interval DEFAULT '06:00:00'::interval)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_open xid8;
  v_next xid8;
  v_safe timestamptz;
  v_grain integer;
  v_under integer := 1;
  v_start timestamptz;
  v_whole timestamptz;
begin
  -- What a clock that has been set back says to be settled and read is still to come.
  update hub.metric_progress set settled_to = least(settled_to, date_trunc('minute', p_now)) returning settled_to into v_from;
  delete from hub.metric_mark where read_at > p_now;
  select pg_snapshot_xmin(s), pg_snapshot_xmax(s) into v_open, v_next from pg_current_snapshot() s;
  select max(read_at) into v_safe from hub.metric_mark where next_xid <= v_open;
  v_to := least(date_trunc('minute', p_now) + interval '1 minute', v_from + p_most);
  v_whole := least(v_to, date_trunc('minute', p_now));

  insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, attempts, failed, dead, superseded, redirected, added_max,
    added_min)
  select tenant_id, 1, queue_id, at, max(subtenant_id), sum(added), sum(delivered), sum(attempts), sum(failed), sum(dead), sum(superseded), sum(redirected),
    sum(added), sum(added)
  from (
    select tenant_id, queue_id, date_trunc('minute', created_at) as at, max(subtenant_id) as subtenant_id, count(*) as added, 0 as delivered, 0 as attempts,
      0 as failed, 0 as dead, 0 as superseded, 0 as redirected
    from queue.message where created_at >= v_from and created_at < v_to group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', finished_at), null, 0, count(*) filter (where outcome = 'delivered'), 0, 0, 0,
      count(*) filter (where outcome = 'superseded'), count(*) filter (where outcome = 'redirected')
    from queue.history where finished_at >= v_from and finished_at < v_to group by 1, 2, 3
    union all
    -- By its end. None takes more than an hour: what workers report is noted as that at most.
    select tenant_id, queue_id, date_trunc('minute', started_at + interval '1 millisecond' * duration_ms), null, 0, 0, count(*), count(error_class), 0, 0, 0
    from queue.attempt
    where started_at >= v_from - interval '1 hour' and started_at < v_to
      and started_at + interval '1 millisecond' * duration_ms >= v_from and started_at + interval '1 millisecond' * duration_ms < v_to
    group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', died_at), null, 0, 0, 0, 0, count(*), 0, 0
    from hub.death where died_at >= v_from and died_at < v_to group by 1, 2, 3
  ) counted
  group by tenant_id, queue_id, at
  on conflict (tenant_id, grain, queue_id, at) do update
  set subtenant_id = coalesce(excluded.subtenant_id, known.subtenant_id), added = excluded.added, delivered = excluded.delivered,
    attempts = excluded.attempts, failed = excluded.failed, dead = excluded.dead, superseded = excluded.superseded, redirected = excluded.redirected,
    added_max = excluded.added, added_min = excluded.added
  where (excluded.added, excluded.delivered, excluded.attempts, excluded.failed, excluded.dead, excluded.superseded, excluded.redirected)
    is distinct from (known.added, known.delivered, known.attempts, known.failed, known.dead, known.superseded, known.redirected);

  perform hub.count_latencies(v_from, v_whole);

  if v_to > p_now then perform hub.sample_depths(date_trunc('minute', p_now)); end if;
  -- Queues whose first message is older than what is counted: the subtenant of their point.
  update hub.metric set subtenant_id = point.subtenant_id
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  where metric.grain = 1 and metric.at >= v_from and metric.subtenant_id is null and queue.tenant_id = metric.tenant_id and queue.id = metric.queue_id;

  foreach v_grain in array array[15, 60, 1440] loop
    v_start := date_bin(make_interval(mins => v_grain), v_from, 'epoch');
    insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, attempts, failed, dead, superseded, redirected, minutes,
      added_max, added_min, depth_total, depth_max, depth_min, samples, oldest_seconds)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), max(subtenant_id), sum(added), sum(delivered), sum(attempts),
      sum(failed), sum(dead), sum(superseded), sum(redirected), sum(minutes), max(added_max), min(added_min), sum(depth_total), max(depth_max), min(depth_min), max(samples),
      max(oldest_seconds)
    from hub.metric
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4
    on conflict (tenant_id, grain, queue_id, at) do update
    set subtenant_id = excluded.subtenant_id, added = excluded.added, delivered = excluded.delivered, attempts = excluded.attempts,
      failed = excluded.failed, dead = excluded.dead, superseded = excluded.superseded, redirected = excluded.redirected, minutes = excluded.minutes, added_max = excluded.added_max, added_min = excluded.added_min,
      depth_total = excluded.depth_total, depth_max = excluded.depth_max, depth_min = excluded.depth_min, samples = excluded.samples,
      oldest_seconds = excluded.oldest_seconds
    where known is distinct from excluded;
    insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count, attempts)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), bucket, sum(count), sum(attempts)
    from hub.metric_latency
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4, 5
    on conflict (tenant_id, grain, queue_id, at, bucket) do update set count = excluded.count, attempts = excluded.attempts
    where (excluded.count, excluded.attempts) <> (known.count, known.attempts);
    v_under := v_grain;
  end loop;

  if v_safe is not null then
    update hub.metric_progress set settled_to = greatest(v_from, least(v_to, date_trunc('minute', v_safe - interval '2 minutes')));
    delete from hub.metric_mark where read_at <= v_safe;
  end if;
  insert into hub.metric_mark values (p_now, v_next);
  return v_to < p_now;
end $function$
CREATE OR REPLACE FUNCTION hub.count_latencies(p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_nestloop TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET work_mem TO '32MB'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  v_queues integer[];
  v_from timestamptz;
  v_to timestamptz;
begin
  select queues, first, past into v_queues, v_from, v_to from hub.untimed_minutes(p_from, p_to, false);
  insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count)
  select tenant_id, 1, queue_id, date_trunc('minute', finished_at), hub.bucket_of(extract(epoch from finished_at - created_at)::float8 * 1000), count(*)
  from (
    select h.tenant_id, h.queue_id, h.finished_at, coalesce(near.created_at, (
      select m.created_at from queue.message m where m.tenant_id = h.tenant_id and m.queue_id = h.queue_id and m.id = h.id
    )) as created_at
    from queue.history h
    left join queue.message near on near.created_at >= v_from - interval '1 minute' and near.created_at < v_to
      and near.tenant_id = h.tenant_id and near.queue_id = h.queue_id and near.id = h.id
    where h.finished_at >= v_from and h.finished_at < v_to and h.outcome = 'delivered' and h.queue_id = any (v_queues)
    offset 0
  ) delivered
  where created_at is not null
  group by 1, 3, 4, 5
  on conflict (tenant_id, grain, queue_id, at, bucket) do update set count = excluded.count where excluded.count <> known.count;

  select queues, first, past into v_queues, v_from, v_to from hub.untimed_minutes(p_from, p_to, true);
  insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, attempts)
  select tenant_id, 1, queue_id, date_trunc('minute', started_at + interval '1 millisecond' * duration_ms), hub.bucket_of(duration_ms), count(*)
  from queue.attempt
  where started_at >= v_from - interval '1 hour' and started_at < v_to
    and started_at + interval '1 millisecond' * duration_ms >= v_from and started_at + interval '1 millisecond' * duration_ms < v_to
    and queue_id = any (v_queues)
  group by 1, 3, 4, 5
  on conflict (tenant_id, grain, queue_id, at, bucket) do update set attempts = excluded.attempts where excluded.attempts <> known.attempts;
end $function$
CREATE OR REPLACE FUNCTION hub.cut_off_points()
 RETURNS TABLE(tenant_id integer, tenant_code text, tenant_name text, code text, name text, url text, waiting integer, circuit_fault jsonb, is_paused boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.id,
     tenant.code,
     tenant.name,
     point.code,
     point.name,
     point.url,
     point.waiting,
     point.circuit_fault,
     point.is_paused
    FROM (hub.cut_off_point point
      JOIN hub.tenant ON ((tenant.id = point.tenant_id)))
   WHERE tenant.is_active
   ORDER BY tenant.name, point.name;
END
CREATE OR REPLACE FUNCTION hub.external_json(body bytea)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return convert_from(body, 'UTF8')::jsonb;
exception when others then
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.external_text(body bytea)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return lower(left(convert_from(body, 'UTF8'), 8000));
exception when others then
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.grants_of_users(people integer[])
 RETURNS TABLE(user_id integer, tenant_code text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT grant_.user_id,
     tenant.code
    FROM (hub.user_tenant grant_
      JOIN hub.tenant ON ((tenant.id = grant_.tenant_id)))
   WHERE (grant_.user_id = ANY (grants_of_users.people))
   ORDER BY tenant.code;
END
CREATE OR REPLACE FUNCTION hub.hook_tenant(hook uuid)
 RETURNS TABLE(tenant_id integer, integration_point_id integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT point.tenant_id,
     point.id
    FROM (hub.integration_point point
      JOIN hub.tenant ON ((tenant.id = point.tenant_id)))
   WHERE ((point.hook_id = hook_tenant.hook) AND tenant.is_active);
END
CREATE OR REPLACE FUNCTION hub.integration_point_content(point hub.integration_point)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN jsonb_build_object('name', (point).name, 'deliveryMode', (point).delivery_mode, 'sourceTypes', to_jsonb((point).source_types), 'targetTypes', to_jsonb((point).target_types), 'settings', (point).settings, 'credentialNames', to_jsonb((point).credential_names), 'retry', (point).retry, 'ratePerSecond', (point).rate_per_second, 'concurrency', (point).concurrency, 'isActive', (point).is_active, 'isPaused', (point).is_paused)
CREATE OR REPLACE FUNCTION hub.keep_integration_point_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into hub.integration_point_version as kept (tenant_id, integration_point_id, version, made_by, reason, restored, content)
  values (new.tenant_id, new.id, new.version, coalesce(nullif(current_setting('crossdock.actor', true), ''), '–'),
    nullif(current_setting('crossdock.reason', true), ''), nullif(current_setting('crossdock.restored', true), '')::integer,
    hub.integration_point_content(new))
  on conflict (tenant_id, integration_point_id, version) do update set content = excluded.content;
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.keep_mapping_change(p_tenant integer, p_ids integer[], p_before jsonb[], p_after jsonb[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_version constant integer := hub.mapping_version_under_way(p_tenant);
begin
  insert into hub.mapping_change as change (tenant_id, version, mapping_id, before, after)
  select p_tenant, v_version, * from unnest(p_ids, p_before, p_after)
  on conflict (tenant_id, version, mapping_id) do update set after = excluded.after;
  delete from hub.mapping_change
  where tenant_id = p_tenant and version = v_version and mapping_id = any(p_ids) and before is not distinct from after;
end $function$
CREATE OR REPLACE FUNCTION hub.keep_mapping_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_row record;
begin
  if tg_op = 'INSERT' then
    for v_row in
      select n.tenant_id, array_agg(n.id) as ids, array_agg(null::jsonb) as before, array_agg(hub.mapping_content(n.subtenant_id, n.field_name, n.source, n.source_value, n.target, n.target_value)) as after
      from new_rows n group by n.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  elsif tg_op = 'DELETE' then
    for v_row in
      select o.tenant_id, array_agg(o.id) as ids, array_agg(hub.mapping_content(o.subtenant_id, o.field_name, o.source, o.source_value, o.target, o.target_value)) as before, array_agg(null::jsonb) as after
      from old_rows o group by o.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  else
    for v_row in
      select o.tenant_id, array_agg(o.id) as ids, array_agg(o.content) as before, array_agg(n.content) as after
      from (select o.tenant_id, o.id, hub.mapping_content(o.subtenant_id, o.field_name, o.source, o.source_value, o.target, o.target_value) as content from old_rows o) o
      join (select n.tenant_id, n.id, hub.mapping_content(n.subtenant_id, n.field_name, n.source, n.source_value, n.target, n.target_value) as content from new_rows n) n on n.tenant_id = o.tenant_id and n.id = o.id and n.content <> o.content
      group by o.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  end if;
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.keep_to_tenant(VARIADIC p_tables text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare name text;
begin
  foreach name in array p_tables loop
    execute format('alter table hub.%I enable row level security', name);
    execute format(
      'create policy own_tenant on hub.%I using (tenant_id = (select queue.current_tenant())) with check (tenant_id = (select queue.current_tenant()))',
      name
    );
  end loop;
end $function$
CREATE OR REPLACE FUNCTION hub.latency_counters()
 RETURNS TABLE(tenant_code text, bucket smallint, count bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.code,
     counted.bucket,
     (sum(counted.count))::bigint AS sum
    FROM (( SELECT total.tenant_id,
             total.bucket,
             sum(total.count) AS count
            FROM hub.metric_latency_total total
           GROUP BY total.tenant_id, total.bucket
         UNION ALL
          SELECT latency.tenant_id,
             latency.bucket,
             sum(latency.count) AS sum
            FROM (hub.metric_progress progress
              JOIN hub.metric_latency latency ON (((latency.grain = 1440) AND (latency.count > 0) AND (latency.at >= progress.totalled_to))))
           GROUP BY latency.tenant_id, latency.bucket) counted
      JOIN hub.tenant ON ((tenant.id = counted.tenant_id)))
   GROUP BY tenant.id, counted.bucket
   ORDER BY tenant.id, counted.bucket;
END
CREATE OR REPLACE FUNCTION hub.make_alert_rules()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into hub.alert_watch (tenant_id) values (new.id);
  insert into hub.alert_rule (tenant_id, kind, threshold, for_seconds, recover_seconds, entity_type)
  values
    (new.id, 'dead-letters', 100, 60, 300, null), (new.id, 'dead-letters-rising', 10, 0, 900, null), (new.id, 'queue-age', 30, 120, 300, null),
    (new.id, 'circuit-open', 1, 60, 120, null), (new.id, 'job-failed', 1, 0, 0, null), (new.id, 'silence', 8, 0, 60, 'order'),
    (new.id, 'order-unshipped', 72, 0, 60, null), (new.id, 'stock-stale', 24, 0, 60, null);
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.mapping_content(subtenant_id integer, field_name text, source text, source_value text, target text, target_value text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN jsonb_build_object('subtenantId', subtenant_id, 'fieldName', field_name, 'source', source, 'sourceValue', source_value, 'target', target, 'targetValue', target_value)
CREATE OR REPLACE FUNCTION hub.mapping_version_under_way(p_tenant integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_version integer;
begin
  -- By its time also: in the cluster of a restored database the ids of transactions come again.
  select version into v_version from hub.mapping_version where tenant_id = p_tenant and xid = pg_current_xact_id() and made_at = now()
  order by version desc limit 1;
  if found then return v_version; end if;
  perform from hub.tenant where id = p_tenant for no key update;
  insert into hub.mapping_version (tenant_id, version, made_by, reason, restored)
  select p_tenant, coalesce(max(version), 0) + 1, coalesce(nullif(current_setting('crossdock.actor', true), ''), '–'),
    nullif(current_setting('crossdock.reason', true), ''), nullif(current_setting('crossdock.restored', true), '')::integer
  from hub.mapping_version where tenant_id = p_tenant
  returning version into v_version;
  return v_version;
end $function$
CREATE OR REPLACE FUNCTION hub.metrics_settled_to()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT metric_progress.settled_to
    FROM hub.metric_progress;
END
CREATE OR REPLACE FUNCTION hub.note_deaths()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  -- What an operator restored died before, and was noted then.
  insert into hub.death (tenant_id, queue_id, died_at) select tenant_id, queue_id, dead_at from died where dead_at >= now();
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.note_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from added where entity_type in ('order', 'shipment') and not is_development limit 1;
  if not found then return null; end if;
  begin
    insert into hub.order_news (tenant_id, subtenant_id, order_number, ordered_at, is_open, is_shipment)
    select news.tenant_id, news.subtenant_id, news.order_number, news.ordered_at, news.is_open, news.is_shipment
    from (
      select added.tenant_id, added.subtenant_id, added.entity_type = 'shipment' as is_shipment,
        case added.entity_type when 'order' then added.business_key else read.document ->> 'orderNumber' end as order_number,
        case added.entity_type when 'order' then (read.document ->> 'orderedAt')::timestamptz end as ordered_at,
        added.entity_type = 'order' and coalesce(read.document ->> 'kind', 'sale') = 'sale' and coalesce(read.document ->> 'status', 'open') = 'open'
          and read.document ->> 'cancelledAt' is null and coalesce(read.document ->> 'fulfilmentStatus', 'unfulfilled') = 'unfulfilled' as is_open,
        added.entity_type = 'order' or read.document ->> 'status' in ('shipped', 'delivered') as is_news
      from added
      cross join lateral (select added.document::jsonb as document offset 0) read
      where added.entity_type in ('order', 'shipment') and not added.is_development
    ) news
    where news.is_news and news.order_number is not null;
  -- One of them can't be read: the others are noted all the same.
  exception when others then
    insert into hub.order_news (tenant_id, subtenant_id, order_number, ordered_at, is_open, is_shipment)
    select added.tenant_id, added.subtenant_id, added.business_key, facts.ordered_at, facts.is_open, false
    from added cross join lateral hub.order_facts(added.document) facts
    where added.entity_type = 'order' and not added.is_development and facts.is_open is not null
    union all
    select added.tenant_id, added.subtenant_id, shipped.order_number, null, false, true
    from added cross join lateral hub.shipment_order(added.document) shipped (order_number)
    where added.entity_type = 'shipment' and not added.is_development and shipped.order_number is not null;
  end;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION hub.note_presence()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if new.revoked_at is null then
    update hub."user" set last_seen_at = now() where id = new.user_id and (last_seen_at is null or last_seen_at < now() - interval '1 minute');
  end if;
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.order_facts(document text, OUT is_open boolean, OUT ordered_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare v jsonb;
begin
  -- Not in the declaration, whose faults the block would not catch.
  v := document::jsonb;
  is_open := coalesce(v ->> 'kind', 'sale') = 'sale' and coalesce(v ->> 'status', 'open') = 'open' and v ->> 'cancelledAt' is null
    and coalesce(v ->> 'fulfilmentStatus', 'unfulfilled') = 'unfulfilled';
  ordered_at := (v ->> 'orderedAt')::timestamptz;
exception when others then
  is_open := null;
end $function$
CREATE OR REPLACE FUNCTION hub.order_of_shipment(document text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return document::jsonb ->> 'orderNumber';
exception when others then
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.prune_audit_events(kept_days integer, batch_size integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  removed integer;
begin
  delete from hub.audit_event
  where ctid in (
    select ctid from hub.audit_event where at < clock_timestamp() - make_interval(days => greatest(kept_days, 30)) limit batch_size);
  get diagnostics removed = row_count;
  return removed;
end $function$
CREATE OR REPLACE FUNCTION hub.prune_metrics()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 DELETE FROM hub.metric
   WHERE (((metric.grain = 1) AND (metric.at < (now() - '8 days'::interval))) OR ((metric.grain = 15) AND (metric.at < (now() - '100 days'::interval))) OR ((metric.grain = 60) AND (metric.at < (now() - '400 days'::interval))) OR ((metric.grain = 1440) AND (metric.at < (now() - '5 years'::interval))));
 DELETE FROM hub.metric_latency
   WHERE (((metric_latency.grain = 1) AND (metric_latency.at < (now() - '8 days'::interval))) OR ((metric_latency.grain = 15) AND (metric_latency.at < (now() - '100 days'::interval))) OR ((metric_latency.grain = 60) AND (metric_latency.at < (now() - '400 days'::interval))) OR ((metric_latency.grain = 1440) AND (metric_latency.at < (now() - '5 years'::interval))));
 DELETE FROM hub.death
   WHERE (death.died_at < ( SELECT (metric_progress.settled_to - '1 day'::interval)
            FROM hub.metric_progress));
END
CREATE OR REPLACE FUNCTION hub.queue_counters()
 RETURNS TABLE(tenant_code text, subtenant_code text, point_code text, queue_id integer, queue_name text, added bigint, delivered bigint, failed bigint, dead bigint, superseded bigint, depth double precision, oldest_seconds integer, dead_letters integer, is_paused boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH day AS (
          SELECT metric.tenant_id,
             metric.queue_id,
             sum(metric.added) AS added,
             sum(metric.delivered) AS delivered,
             sum(metric.failed) AS failed,
             sum(metric.dead) AS dead,
             sum(metric.superseded) AS superseded
            FROM (hub.metric_progress progress
              JOIN hub.metric ON (((metric.grain = 1440) AND (metric.at >= progress.totalled_to))))
           GROUP BY metric.tenant_id, metric.queue_id
         ), seen AS (
          SELECT DISTINCT ON (metric.tenant_id, metric.queue_id) metric.tenant_id,
             metric.queue_id,
             metric.depth_total,
             metric.oldest_seconds
            FROM hub.metric
           WHERE ((metric.grain = 1) AND (metric.at > (now() - '00:02:00'::interval)) AND (metric.samples > 0))
           ORDER BY metric.tenant_id, metric.queue_id, metric.at DESC
         )
  SELECT tenant.code,
     subtenant.code,
     point.code,
     queue.id,
     queue.name,
     (COALESCE(total.added, (0)::bigint) + COALESCE(day.added, (0)::bigint)),
     (COALESCE(total.delivered, (0)::bigint) + COALESCE(day.delivered, (0)::bigint)),
     (COALESCE(total.failed, (0)::bigint) + COALESCE(day.failed, (0)::bigint)),
     (COALESCE(total.dead, (0)::bigint) + COALESCE(day.dead, (0)::bigint)),
     (COALESCE(total.superseded, (0)::bigint) + COALESCE(day.superseded, (0)::bigint)),
     COALESCE(seen.depth_total, (0)::double precision) AS "coalesce",
     COALESCE(seen.oldest_seconds, 0) AS "coalesce",
     (( SELECT count(*) AS count
            FROM ( SELECT
                    FROM queue.dead
                   WHERE ((dead.tenant_id = queue.tenant_id) AND (dead.queue_id = queue.id))
                  LIMIT 100000) died))::integer AS count,
     target.is_paused
    FROM (((((((queue.queue
      JOIN queue.target ON (((target.tenant_id = queue.tenant_id) AND (target.id = queue.target_id))))
      JOIN hub.integration_point point ON (((point.tenant_id = queue.tenant_id) AND (point.id = queue.target_id))))
      JOIN hub.subtenant ON (((subtenant.tenant_id = point.tenant_id) AND (subtenant.id = point.subtenant_id))))
      JOIN hub.tenant ON ((tenant.id = queue.tenant_id)))
      LEFT JOIN hub.metric_total total ON (((total.tenant_id = queue.tenant_id) AND (total.queue_id = queue.id))))
      LEFT JOIN day ON (((day.tenant_id = queue.tenant_id) AND (day.queue_id = queue.id))))
      LEFT JOIN seen ON (((seen.tenant_id = queue.tenant_id) AND (seen.queue_id = queue.id))))
   ORDER BY queue.tenant_id, queue.id;
END
CREATE OR REPLACE FUNCTION hub.sample_depths(p_minute timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 INSERT INTO hub.metric AS known (tenant_id, grain, queue_id, at, depth_total, depth_max, depth_min, samples, oldest_seconds)  SELECT q.tenant_id,
             1,
             q.id,
             sample_depths.p_minute AS p_minute,
             w.depth,
             w.depth,
             w.depth,
             1,
             COALESCE(( SELECT GREATEST((0)::numeric, EXTRACT(epoch FROM (clock_timestamp() - m.created_at))) AS "greatest"
                    FROM queue.message m
                   WHERE ((m.tenant_id = q.tenant_id) AND (m.queue_id = q.id) AND (m.id = w.oldest))), (0)::numeric) AS "coalesce"
            FROM (queue.queue q
              CROSS JOIN LATERAL ( SELECT sum(states.count) AS depth,
                     min(states.oldest) AS oldest
                    FROM ( SELECT count(*) AS count,
                             min(r.id) AS oldest
                            FROM ( SELECT r_1.id
                                    FROM queue.ready r_1
                                   WHERE ((r_1.tenant_id = q.tenant_id) AND (r_1.queue_id = q.id))
                                  LIMIT 100000) r
                         UNION ALL
                          SELECT count(*) AS count,
                             min(r.id) AS min
                            FROM ( SELECT r_1.id
                                    FROM queue.retrying r_1
                                   WHERE ((r_1.tenant_id = q.tenant_id) AND (r_1.queue_id = q.id))
                                   ORDER BY r_1.id
                                  LIMIT 100000) r
                         UNION ALL
                          SELECT count(*) AS count,
                             min(r.id) AS min
                            FROM ( SELECT r_1.id
                                    FROM queue.parked r_1
                                   WHERE ((r_1.tenant_id = q.tenant_id) AND (r_1.queue_id = q.id))
                                   ORDER BY r_1.id
                                  LIMIT 100000) r) states) w)
           WHERE ((w.depth > (0)::numeric) OR (EXISTS ( SELECT
                    FROM hub.metric seen
                   WHERE ((seen.tenant_id = q.tenant_id) AND (seen.grain = 1) AND (seen.queue_id = q.id) AND (seen.at = sample_depths.p_minute))))) ON CONFLICT(tenant_id, grain, queue_id, at) DO UPDATE SET depth_total = (((known.depth_total * (known.samples)::double precision) + excluded.depth_total) / ((known.samples + 1))::double precision), depth_max = GREATEST(known.depth_max, excluded.depth_max), depth_min =
         CASE
             WHEN (known.samples = 0) THEN excluded.depth_min
             ELSE LEAST(known.depth_min, excluded.depth_min)
         END, samples = LEAST((known.samples + 1), 30000), oldest_seconds = GREATEST(known.oldest_seconds, excluded.oldest_seconds);
END
CREATE OR REPLACE FUNCTION hub.search_rejected(p_text text, p_before bigint, p_limit integer, p_points integer[], p_entity_type text, p_is_removed boolean, p_to timestamp with time zone)
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_tenant constant integer := queue.current_tenant();
  v_pattern constant text := '%' || regexp_replace(lower(p_text), '([\\%_])', '\\\1', 'g') || '%';
begin
  if v_tenant is null then
    raise exception 'search_rejected wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;
  return query
    select message.id from hub.external_message message
    where message.tenant_id = v_tenant and message.state = 'rejected' and message.id < coalesce(p_before, 9223372036854775807)
      and hub.external_text(message.body) like v_pattern
      and (p_points is null or message.integration_point_id = any (p_points)) and (p_entity_type is null or message.entity_type = p_entity_type)
      and (message.removed_at is not null) = p_is_removed and (p_to is null or message.received_at < p_to)
    order by message.id desc limit p_limit;
end $function$
CREATE OR REPLACE FUNCTION hub.set_grants(person integer, codes text[])
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 DELETE FROM hub.user_tenant grant_
    USING hub.tenant
   WHERE ((grant_.user_id = set_grants.person) AND (tenant.id = grant_.tenant_id) AND (tenant.code <> ALL (set_grants.codes)));
 INSERT INTO hub.user_tenant (tenant_id, user_id)  SELECT tenant.id,
             set_grants.person AS person
            FROM hub.tenant
           WHERE (tenant.code = ANY (set_grants.codes)) ON CONFLICT DO NOTHING;
 SELECT count(*) AS count
    FROM hub.tenant
   WHERE (tenant.code = ANY (set_grants.codes));
END
CREATE OR REPLACE FUNCTION hub.shipment_order(document text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare v jsonb;
begin
  -- Not in the declaration, whose faults the block would not catch.
  v := document::jsonb;
  return case when v ->> 'status' in ('shipped', 'delivered') then v ->> 'orderNumber' end;
exception when others then
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tell_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The kind of holder, and the column with its id.
  perform pg_notify('access_changed', tg_argv[0] || ' ' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tell_alert()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' and (new.state, new.owner_id, new.snoozed_until) is not distinct from (old.state, old.owner_id, old.snoozed_until)
    or new.state = 'pending' then
    return null;
  end if;
  -- What concerns the installation is looked at from any tenant.
  perform pg_notify('alerts_changed', id::text) from hub.tenant where id = new.tenant_id or new.tenant_id = 0 and is_active;
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tell_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('hub_changed', case tg_table_name when 'tenant' then to_jsonb(coalesce(new, old)) ->> 'id' else to_jsonb(coalesce(new, old)) ->> 'tenant_id' end);
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tell_note()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('notes_changed', new.tenant_id::text);
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tell_triage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('queue_changed', new.tenant_id::text);
  return null;
end $function$
CREATE OR REPLACE FUNCTION hub.tenant_of_user(person integer, code text)
 RETURNS TABLE(tenant_id integer, is_active boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.id,
     tenant.is_active
    FROM hub.tenant,
     hub."user"
   WHERE ((tenant.code = tenant_of_user.code) AND ("user".id = tenant_of_user.person) AND "user".is_active AND (("user".role = 'admin'::text) OR (tenant.is_active AND (EXISTS ( SELECT
            FROM hub.user_tenant grant_
           WHERE ((grant_.tenant_id = tenant.id) AND (grant_.user_id = tenant_of_user.person)))))));
END
CREATE OR REPLACE FUNCTION hub.tenants_of_user(person integer)
 RETURNS TABLE(tenant_id integer, tenant_code text, name text, is_active boolean, colour text, version integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT tenant.id,
     tenant.code,
     tenant.name,
     tenant.is_active,
     tenant.colour,
     tenant.version
    FROM hub.tenant,
     hub."user"
   WHERE (("user".id = tenants_of_user.person) AND "user".is_active AND (("user".role = 'admin'::text) OR (tenant.is_active AND (EXISTS ( SELECT
            FROM hub.user_tenant grant_
           WHERE ((grant_.tenant_id = tenant.id) AND (grant_.user_id = tenants_of_user.person)))))));
END
CREATE OR REPLACE FUNCTION hub.tenants_to_watch(p_now timestamp with time zone)
 RETURNS SETOF integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT watch.tenant_id
    FROM hub.alert_watch watch
   WHERE (((watch.next_at <= tenants_to_watch.p_now) OR (watch.next_at > (tenants_to_watch.p_now + '00:01:00'::interval))) AND ((watch.tenant_id = 0) OR (EXISTS ( SELECT
            FROM hub.tenant
           WHERE ((tenant.id = watch.tenant_id) AND tenant.is_active)))))
   ORDER BY (watch.tenant_id = 0), watch.next_at;
END
CREATE OR REPLACE FUNCTION hub.tenants_with_jobs()
 RETURNS SETOF integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT DISTINCT job.tenant_id
    FROM hub.job
   WHERE ((job.state = 'running'::text) AND ((job.next_at <= clock_timestamp()) OR (job.next_at > (clock_timestamp() + '00:01:00'::interval))));
END
CREATE OR REPLACE FUNCTION hub.tenants_with_runs()
 RETURNS SETOF integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT schedule.tenant_id
    FROM hub.schedule
   WHERE (schedule.is_active AND (schedule.removed_at IS NULL) AND ((schedule.next_at <= clock_timestamp()) OR (schedule.next_at > (clock_timestamp() + ('00:00:01'::interval * (schedule.every_seconds)::double precision)))))
 UNION
  SELECT run.tenant_id
    FROM hub.run
   WHERE ((run.state = ANY (ARRAY['waiting'::text, 'running'::text])) AND ((run.lease_until IS NULL) OR (run.lease_until < clock_timestamp())) AND ((run.rests_until IS NULL) OR (run.rests_until < clock_timestamp()) OR (run.rests_until > (clock_timestamp() + '00:01:00'::interval))));
END
CREATE OR REPLACE FUNCTION hub.total_metrics()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_from timestamptz;
  v_to timestamptz;
begin
  select totalled_to, date_bin('1 day', settled_to, 'epoch') into v_from, v_to from hub.metric_progress for update;
  if v_to <= v_from then return; end if;
  insert into hub.metric_total as known (tenant_id, queue_id, added, delivered, failed, dead, superseded)
  select tenant_id, queue_id, sum(added), sum(delivered), sum(failed), sum(dead), sum(superseded)
  from hub.metric where grain = 1440 and at >= v_from and at < v_to group by 1, 2
  on conflict (tenant_id, queue_id) do update
  set added = known.added + excluded.added, delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed,
    dead = known.dead + excluded.dead, superseded = known.superseded + excluded.superseded;
  insert into hub.metric_latency_total as known (tenant_id, queue_id, bucket, count)
  select tenant_id, queue_id, bucket, sum(count)
  from hub.metric_latency where grain = 1440 and count > 0 and at >= v_from and at < v_to group by 1, 2, 3
  on conflict (tenant_id, queue_id, bucket) do update set count = known.count + excluded.count;
  update hub.metric_progress set totalled_to = v_to;
end $function$
CREATE OR REPLACE FUNCTION hub.untimed_minutes(p_from timestamp with time zone, p_to timestamp with time zone, p_of_attempt boolean, OUT queues integer[], OUT first timestamp with time zone, OUT past timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 SELECT array_agg(DISTINCT minute.queue_id) AS array_agg,
     min(minute.at) AS min,
     (max(minute.at) + '00:01:00'::interval)
    FROM ((hub.metric minute
      CROSS JOIN LATERAL ( SELECT
                 CASE
                     WHEN untimed_minutes.p_of_attempt THEN minute.attempts
                     ELSE minute.delivered
                 END AS count) happened)
      CROSS JOIN LATERAL ( SELECT sum(
                 CASE
                     WHEN untimed_minutes.p_of_attempt THEN known.attempts
                     ELSE known.count
                 END) AS count
            FROM hub.metric_latency known
           WHERE ((known.tenant_id = minute.tenant_id) AND (known.grain = 1) AND (known.queue_id = minute.queue_id) AND (known.at = minute.at))) timed)
   WHERE ((minute.grain = 1) AND (minute.at >= untimed_minutes.p_from) AND (minute.at < untimed_minutes.p_to) AND (happened.count > 0) AND (happened.count IS DISTINCT FROM timed.count));
END
CREATE OR REPLACE FUNCTION queue.charge_lost(p_tenant integer, p_messages jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms, error_class, error_message)
  select p_tenant, r.queue_id, r.id, r.attempts + 1, clock_timestamp(), 0, 'lease-lost', 'The worker ended or stopped answering during the delivery.'
  from jsonb_to_recordset(p_messages) as l ("queueId" integer, shard smallint, id bigint)
  join queue.ready r on r.tenant_id = p_tenant and r.queue_id = l."queueId" and r.shard = l.shard and r.id = l.id
  on conflict do nothing;
  return queue.settle_failed(p_tenant, (
    select jsonb_agg(l.message || jsonb_build_object('kind', 'retry', 'delayMs', 0, 'errorClass', 'lease-lost',
      'errorMessage', 'The worker ended or stopped answering during the delivery.', 'fingerprint', 'lease-lost'))
    from jsonb_array_elements(p_messages) as l (message)));
end
$function$
CREATE OR REPLACE FUNCTION queue.charge_suspects(p_tenant integer, p_queue integer[], p_shard smallint[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_failures jsonb;
begin
  with suspect as (
    delete from queue.suspect s using unnest(p_queue, p_shard) as u (queue_id, shard)
    where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard
    returning s.queue_id, s.shard, s.message_id
  )
  select jsonb_agg(jsonb_build_object('queueId', queue_id, 'shard', shard, 'id', message_id)) into v_failures from suspect;
  if v_failures is not null then perform queue.charge_lost(p_tenant, v_failures); end if;
end
$function$
CREATE OR REPLACE FUNCTION queue.claim(p_tenant integer, p_queue integer, p_max integer, p_lease_seconds double precision)
 RETURNS SETOF queue.leased_delivery
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_shard smallint[];
  v_slot smallint[];
  v_id bigint[];
  v_due bigint[];
begin
  -- The queue's shards are locked throughout: two claimers take turns.
  perform from queue.shard where tenant_id = p_tenant and queue_id = p_queue order by shard for no key update;
  if not queue.may_claim(p_tenant, p_queue) then return; end if;
  perform queue.rescue_leases(p_tenant, p_queue);
  select array_agg(id) into v_due
  from (select id from queue.retrying where tenant_id = p_tenant and queue_id = p_queue and due_at <= clock_timestamp() limit 1000) d;
  if v_due is not null then perform queue.promote_retries(p_tenant, 1000, v_due); end if;
  select array_agg(shard order by shard) into v_shard from queue.shard where tenant_id = p_tenant and queue_id = p_queue;
  select array_agg(slot order by id), array_agg(id order by id) into v_slot, v_id
  from (
    select distinct on (r.lane) s.slot::smallint as slot, r.id
    from unnest(v_shard) with ordinality as s (shard, slot)
    cross join lateral (
      select r.id, r.lane from queue.ready r
      left join queue.held h on h.tenant_id = p_tenant and h.queue_id = p_queue and h.lane = r.lane
      where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = s.shard and (h.lane is null or h.message_id = r.id)
        and not exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = r.lane)
        -- Pushed a moment ago and still in a worker's hand.
        and not exists (select from queue.shard x where x.tenant_id = p_tenant and x.queue_id = p_queue and x.shard = s.shard
          and x.owner is not null and x.lease_until > clock_timestamp())
      -- Enough rows to find p_max lanes in, unless few lanes have very many messages.
      order by r.id limit 200 + 10 * p_max
    ) r
    order by r.lane, r.id
  ) head;
  if v_id is null then return; end if;
  select array_agg(id order by id) into v_id
  from (
    select c.id, sum(octet_length(m.document)) over (order by c.id rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      -- None of these lanes has a message in hand.
      select c.id, c.message_place from queue.collapse(p_tenant, array_fill(p_queue, array[cardinality(v_shard)]), v_shard, v_slot, v_id, '{}') c
      order by c.id limit p_max
    ) c
    cross join lateral queue.message_at(p_tenant, p_queue, c.id, c.message_place, v_id[1] - 1) m
  ) c
  -- A batch that holds as much is long enough; the length stands beside a long text, which is not read for it.
  where coalesce(bytes_before, 0) < 8388608;
  return query select * from queue.lease_messages(p_tenant, p_queue, v_id, p_lease_seconds);
end
$function$
CREATE OR REPLACE FUNCTION queue.claim_again(p_tenant integer, p_queue integer, p_id bigint, p_lease_seconds double precision)
 RETURNS SETOF queue.leased_delivery
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_place record;
  v_attempts smallint;
begin
  select l.lane, l.shard, l.collapses, q.max_attempts into v_place
  from queue.locate(p_tenant, array[p_id]) l join queue.queue q on q.tenant_id = p_tenant and q.id = l.queue_id
  where l.queue_id = p_queue;
  if not found then return; end if;
  -- All of the queue's, as leases of others may have run out.
  perform from queue.shard where tenant_id = p_tenant and queue_id = p_queue order by shard for no key update;
  if not queue.may_claim(p_tenant, p_queue) then return; end if;
  perform queue.rescue_leases(p_tenant, p_queue);
  if exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = v_place.lane)
    or exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = p_id and h.outcome = 'redirected')
  then return; end if;
  with a as (delete from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = v_place.shard and r.id = p_id returning r.attempts),
    b as (delete from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    c as (delete from queue.parked r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    d as (delete from queue.dead r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    e as (delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    f as (delete from queue.history r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts)
  select attempts into v_attempts
  from (select * from a union all select * from b union all select * from c union all select * from d union all select * from e union all select * from f) found;
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select p_tenant, p_queue, v_place.shard, p_id, v_place.lane, m.version, least(v_attempts, 32766), least(v_attempts::integer + v_place.max_attempts, 32766), v_place.collapses
  from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id;
  -- Not delivered it has its turn by its place, also where that was forgotten as it had been.
  insert into queue.place (tenant_id, queue_id, lane, message_id, place)
  select p_tenant, p_queue, v_place.lane, p_id, f.id from queue.first_of(p_tenant, p_id, p_queue) as f (id)
  where f.id < p_id and not v_place.collapses
  on conflict do nothing;
  if exists (
    select from queue.held h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.lane = v_place.lane
    union all
    select from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = v_place.lane
  ) then
    perform queue.hold_first(p_tenant, p_queue, v_place.shard, v_place.lane);
  end if;
  return query select * from queue.lease_messages(p_tenant, p_queue, array[p_id], p_lease_seconds);
end
$function$
CREATE OR REPLACE FUNCTION queue.collapse(p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_known bigint[])
 RETURNS TABLE(slot smallint, queue_id integer, id bigint, attempts smallint, place tid, message_place tid)
 LANGUAGE sql
 SET enable_seqscan TO 'off'
AS $function$
  with candidate as materialized (
    select c.slot, r.queue_id, r.shard, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place
    from unnest(p_slot, p_id) as c (slot, id)
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = p_queue[c.slot] and r.shard = p_shard[c.slot] and r.id = c.id offset 0
    ) r
  ), ranked as materialized (
    select l.slot, r.queue_id, r.shard, r.id, r.attempts, r.version, r.ctid as place, r.message_place,
      row_number() over (partition by r.queue_id, r.lane order by coalesce(r.version, 0) desc, r.id desc) > 1
        or queue.is_overtaken(p_tenant, r.queue_id, r.lane, r.version, r.id) as is_replaced
    from (select distinct slot, queue_id, lane from candidate where collapses) l
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.lane = l.lane and r.collapses offset 0
    ) r
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ), replaced as (
    delete from queue.ready r using ranked x
    where x.is_replaced and r.ctid = x.place and r.id = x.id
    returning r.queue_id, r.id, r.attempts
  ), kept as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, r.queue_id, r.id, r.attempts, 'superseded' from replaced r
  )
  select c.slot, c.queue_id, c.id, c.attempts, c.place, c.message_place from candidate c where not c.collapses
  union all
  select x.slot, x.queue_id, x.id, x.attempts, x.place, x.message_place from ranked x where not x.is_replaced;
$function$
CREATE OR REPLACE FUNCTION queue.count_waiting(p_over integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_begun constant timestamptz := clock_timestamp();
begin
  -- By a clock that has been set back since, the count was in the future: no reason to rest until then.
  perform from queue.depth_count where v_begun not between counted_at and counted_at + rests for update skip locked;
  if not found then return false; end if;
  with counted as (
    select tenant_id, queue_id, count(*) as ready, 0 as retrying, 0 as parked from queue.ready group by 1, 2
    union all select tenant_id, queue_id, 0, count(*), 0 from queue.retrying group by 1, 2
    union all select tenant_id, queue_id, 0, 0, count(*) from queue.parked group by 1, 2
  ), much as (
    select tenant_id, queue_id, sum(ready)::integer as ready, sum(retrying)::integer as retrying, sum(parked)::integer as parked from counted
    group by 1, 2 having greatest(sum(ready), sum(retrying), sum(parked)) > p_over
  ), little as (
    delete from queue.depth d where not exists (select from much m where m.tenant_id = d.tenant_id and m.queue_id = d.queue_id)
  )
  insert into queue.depth as known select * from much
  on conflict (tenant_id, queue_id) do update set ready = excluded.ready, retrying = excluded.retrying, parked = excluded.parked
  where (known.ready, known.retrying, known.parked) is distinct from (excluded.ready, excluded.retrying, excluded.parked);
  update queue.depth_count set counted_at = clock_timestamp(), rests = 50 * (clock_timestamp() - v_begun);
  return true;
end $function$
CREATE OR REPLACE FUNCTION queue.current_tenant()
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('crossdock.tenant_id'::text, true), ''::text))::integer
CREATE OR REPLACE FUNCTION queue.drop_expired(p_days integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
declare
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_old record;
  v_from bigint;
  v_to bigint;
  v_since timestamptz := clock_timestamp() - make_interval(days => p_days);
begin
  perform pg_advisory_xact_lock(7265642);
  for v_old in
    select p.parent, d.day, d.name
    from queue.day_partitioned p
    cross join lateral (
      select c.relname as leaf, i.inhrelid::regclass::text as name, (substring(c.relname from '_(\d{8})$')::date - date '1970-01-01') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(p.parent)
    ) d
    where d.day < v_today - p_days
    order by d.day, p.parent <> 'queue.message', p.parent
  loop
    v_from := v_old.day * 10000000000;
    v_to := v_from + 10000000000;
    continue when queue.is_needed(v_from, v_to, v_since);
    execute format('lock table only %s in access exclusive mode', v_old.parent);
    -- Restored, or claimed again, before the lock was granted.
    if queue.is_needed(v_from, v_to, v_since) then return null; end if;
    if v_old.parent = 'queue.message' then
      delete from queue.removed where id >= v_from and id < v_to;
    end if;
    execute format('drop table %s', v_old.name);
    return v_old.name;
  end loop;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION queue.first_of(p_tenant integer, p_id bigint, p_queue integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  with recursive chain (id) as (
    select p_id
    union all
    select h.id from chain c cross join lateral (
      select h.id from queue.history h
      where h.tenant_id = p_tenant and h.successor_id = c.id and (p_queue is null or h.queue_id = p_queue) offset 0
    ) h
  )
  select min(id) from chain;
$function$
CREATE OR REPLACE FUNCTION queue.fold_deaths()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_now constant integer := queue.hour_of(clock_timestamp());
  v_folded integer;
begin
  with gone as (
    delete from queue.dead_change returning *
  ), hourly as (
    select tenant_id, queue_id, fingerprint, hour, sum(count) as count, count(*) as changes from gone group by 1, 2, 3, 4
  ), sums as (
    select tenant_id, queue_id, fingerprint, sum(count) as count, sum(changes) as changes, array_agg(hour) as hours, array_agg(count) as counts
    from hourly group by 1, 2, 3
  ), folded as (
    insert into queue.dead_tally as known (tenant_id, queue_id, fingerprint, count, hours, to_hour)
    select s.tenant_id, s.queue_id, s.fingerprint, s.count, array(
        select coalesce(sum(c.count), 0)::integer
        from generate_series(v_now - 23, v_now) slot left join unnest(s.hours, s.counts) c (hour, count) on c.hour = slot
        group by slot order by slot
      ), v_now
    from sums s order by 1, 2, 3
    on conflict (tenant_id, queue_id, fingerprint) do update
    set count = known.count + excluded.count, to_hour = greatest(known.to_hour, excluded.to_hour),
      hours = queue.sum_hours(known.hours, known.to_hour, excluded.hours, excluded.to_hour, greatest(known.to_hour, excluded.to_hour))
  )
  select coalesce(sum(changes), 0) into v_folded from sums;
  if v_folded > 0 then delete from queue.dead_tally where count = 0; end if;
  return v_folded;
end $function$
CREATE OR REPLACE FUNCTION queue.free_lanes(p_tenant integer, p_queue integer[], p_lane bigint[], p_blocker bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_noted record;
begin
  for v_noted in
    select distinct b.queue_id, b.lane, b.id from unnest(p_queue, p_lane, p_blocker) as b (queue_id, lane, id)
    -- Each by itself: without 'offset 0' the planner may read all of the tenant's.
    where exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = b.queue_id and p.lane = b.lane offset 0)
      or exists (select from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = b.queue_id and r.lane = b.lane offset 0)
      or exists (select from queue.dead d where d.tenant_id = p_tenant and d.queue_id = b.queue_id and d.lane = b.lane offset 0)
  loop
    perform queue.hold_next(p_tenant, v_noted.queue_id, v_noted.lane, v_noted.id);
  end loop;
  -- A lane that was handed on has another blocker now.
  with freed as (
    delete from queue.held h using unnest(p_queue, p_lane, p_blocker) as b (queue_id, lane, id)
    where h.tenant_id = p_tenant and h.queue_id = b.queue_id and h.lane = b.lane and h.message_id = b.id
    returning h.queue_id, h.lane
  ), returned as (
    delete from queue.parked p using freed f
    where p.tenant_id = p_tenant and p.queue_id = f.queue_id and p.lane = f.lane
    returning p.*
  ), waiting as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, false from returned
    returning queue_id, shard
  )
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard from waiting;
  if v_queue is not null then perform queue.wake_shards(p_tenant, v_queue, v_shard); end if;
end
$function$
CREATE OR REPLACE FUNCTION queue.has_finished(p_from bigint, p_to bigint, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
  select exists (select from queue.history h where h.id >= p_from and h.id < p_to and h.finished_at >= p_since);
$function$
CREATE OR REPLACE FUNCTION queue.has_newer(p_tenant integer, p_queue integer, p_lane bigint, p_version bigint, p_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select queue.is_overtaken(p_tenant, p_queue, p_lane, p_version, p_id)
    or exists (select from queue.ready o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane and o.collapses
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id))
    -- Without versions, or with the same one, a newer one may have been delivered already.
    or ((p_version is null or exists (select from queue.delivered_version o where o.tenant_id = p_tenant and o.queue_id = p_queue
        and o.lane = p_lane and o.version = p_version))
      and exists (
        select from queue.message m
        cross join lateral (
          select from queue.messages_of(p_tenant, p_queue, m.key) o
          where o.id > p_id and (p_version is null or o.version = p_version) offset 0
        ) o
        where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id));
$function$
CREATE OR REPLACE FUNCTION queue.header_row(p_header text)
 RETURNS queue.delivery
 LANGUAGE sql
 IMMUTABLE
RETURN ROW(p_header, NULL::smallint, NULL::smallint, NULL::tid, NULL::bigint, NULL::integer, NULL::text, NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::double precision, NULL::integer)::queue.delivery
CREATE OR REPLACE FUNCTION queue.hold_first(p_tenant integer, p_queue integer, p_shard smallint, p_lane bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  insert into queue.held as h (tenant_id, queue_id, lane, message_id) values (p_tenant, p_queue, p_lane, 0)
  on conflict (tenant_id, queue_id, lane) do update set message_id = 0
  where not exists (select from queue.lease l
      where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = p_lane and l.message_id = h.message_id)
    and not exists (select from queue.ready r
      join queue.shard s on s.tenant_id = p_tenant and s.queue_id = p_queue and s.shard = p_shard
      where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_shard and r.id = h.message_id
        and s.owner is not null and s.lease_until > clock_timestamp() and h.message_id <= s.read_to);
  perform queue.free_lanes(p_tenant, array[p_queue], array[p_lane], array[0]);
end
$function$
CREATE OR REPLACE FUNCTION queue.hold_next(p_tenant integer, p_queue integer, p_lane bigint, p_blocker bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_head bigint;
  v_has_place boolean;
  v_has_failed boolean;
  v_max_attempts smallint;
  v_shard smallint;
begin
  with apart as materialized (
    select k.id, false as has_failed from queue.parked k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
    union all
    select k.id, true from queue.retrying k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
    union all
    select k.id, true from queue.dead k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
  ), waiting as (
    select id, has_failed from apart
    union all
    -- Ready messages have no index by lane where the queue is fifo: the index by key finds them.
    select r.id, false
    from (
      select m.key
      from (
        select id from apart
        union all
        select p.message_id from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane
      ) known
      join queue.message m on m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = known.id limit 1
    ) keyed
    cross join lateral queue.messages_of(p_tenant, p_queue, keyed.key) m
    join queue.queue q on q.tenant_id = p_tenant and q.id = p_queue
    join queue.ready r on r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_lane & (q.shards - 1) and r.id = m.id
  )
  select (array_agg(w.id order by coalesce(p.place, w.id)))[1], count(p.place) > 0, bool_or(w.has_failed) into v_head, v_has_place, v_has_failed
  from waiting w
  left join queue.place p on p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane and p.message_id = w.id;
  if not v_has_place then
    -- What was removed, or is just being, may come back to its place.
    delete from queue.place p
    where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane and not exists (
      select from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p.message_id
        and not exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = m.id)
    );
    if v_head is null or not v_has_failed and not exists (
      select from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane
    ) then return; end if;
  end if;

  update queue.held set message_id = v_head where tenant_id = p_tenant and queue_id = p_queue and lane = p_lane and message_id = p_blocker;
  if not found then return; end if;
  select max_attempts, (p_lane & (shards - 1))::smallint into v_max_attempts, v_shard from queue.queue where tenant_id = p_tenant and id = p_queue;
  with returned as (
    delete from queue.parked where tenant_id = p_tenant and queue_id = p_queue and id = v_head returning *
  )
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, false from returned;
  -- A limit of its own marks a blocker that has not failed: settle_delivered goes by it.
  update queue.ready set attempt_limit = coalesce(attempt_limit, v_max_attempts)
  where tenant_id = p_tenant and queue_id = p_queue and shard = v_shard and id = v_head;
  perform queue.wake_shards(p_tenant, array[p_queue], array[v_shard]);
end
$function$
CREATE OR REPLACE FUNCTION queue.hour_of(p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (floor((date_part('epoch'::text, (p_at AT TIME ZONE 'UTC'::text)) / (3600)::double precision)))::integer
CREATE OR REPLACE FUNCTION queue.is_large(p_document text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN (octet_length(p_document) > 16384)
CREATE OR REPLACE FUNCTION queue.is_needed(p_from bigint, p_to bigint, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select exists (
      select from queue.shard s cross join lateral (
        select from queue.ready r
        where r.tenant_id = s.tenant_id and r.queue_id = s.queue_id and r.shard = s.shard and r.id >= p_from and r.id < p_to limit 1
      ) r)
    or exists (
      select from queue.queue q cross join lateral (
        (select from queue.retrying r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.parked r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.dead r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.removed r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to
          and r.removed_at >= p_since limit 1)
      ) r)
    or queue.has_finished(p_from, p_to, p_since);
$function$
CREATE OR REPLACE FUNCTION queue.is_overtaken(p_tenant integer, p_queue integer, p_lane bigint, p_version bigint, p_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from queue.delivered_version o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and o.version > p_version)
    or exists (select from queue.retrying o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id))
    or exists (select from queue.dead o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id));
$function$
CREATE OR REPLACE FUNCTION queue.iso(p_time timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((p_time AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text)
CREATE OR REPLACE FUNCTION queue.lane_of(p_key text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(p_key, (0)::bigint)
CREATE OR REPLACE FUNCTION queue.lease_messages(p_tenant integer, p_queue integer, p_ids bigint[], p_lease_seconds double precision)
 RETURNS SETOF queue.leased_delivery
 LANGUAGE sql
AS $function$
  with chosen as (
    select r.id, r.lane, r.shard, r.attempts
    from queue.shard s
    cross join unnest(p_ids) as c (id)
    join queue.ready r on r.tenant_id = s.tenant_id and r.queue_id = s.queue_id and r.shard = s.shard and r.id = c.id
    where s.tenant_id = p_tenant and s.queue_id = p_queue
  ), leased as (
    insert into queue.lease (tenant_id, queue_id, shard, lane, message_id, lease_until)
    select p_tenant, p_queue, shard, lane, id, clock_timestamp() + interval '1 second' * p_lease_seconds from chosen
    returning message_id, token, lease_until
  )
  select l.token, l.lease_until, q.name, q.target_id, c.id, c.attempts, m.subtenant_id, m.key, m.entity_type, m.headers, m.document,
    m.version, m.origin_id, m.created_at
  from leased l join chosen c on c.id = l.message_id
  join queue.queue q on q.tenant_id = p_tenant and q.id = p_queue
  join queue.message m on m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = c.id
  order by c.id;
$function$
CREATE OR REPLACE FUNCTION queue.lease_shards(p_worker text, p_max integer, p_lease_seconds double precision, p_skip_tenant integer[], p_skip_target integer[])
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_clock double precision;
  v_tenant integer;
  v_lost integer[];
  v_lost_shard smallint[];
  v_header text;
begin
  with leasable as materialized (
    select tenant_id, queue_id, virtual_time, is_fresh, lease_until from queue.shard where is_active and not is_blocked
  ), clock as (
    select coalesce(min(virtual_time) filter (where not is_fresh), max(virtual_time)) as now from leasable
  )
  select s.tenant_id, c.now into v_tenant, v_clock
  from clock c cross join leasable s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
  where s.lease_until < clock_timestamp()
    and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
  order by s.virtual_time limit 1;
  if v_tenant is null then return null; end if;

  with pick as (
    select s.queue_id, s.shard, s.owner is not null as is_lost
    from queue.shard s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
    where s.tenant_id = v_tenant and s.is_active and not s.is_blocked and s.lease_until < clock_timestamp()
      and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
    order by s.virtual_time limit p_max for no key update of s skip locked
  ), leased as (
    update queue.shard s
    set owner = p_worker, lease_until = clock_timestamp() + interval '1 second' * p_lease_seconds, epoch = s.epoch + 1, is_fresh = false,
      virtual_time = case when s.is_fresh then greatest(s.virtual_time, v_clock) else s.virtual_time end,
      careful_to = case when p.is_lost then greatest(s.careful_to, s.read_to) else s.careful_to end,
      cursor = case when p.is_lost then 0 else s.cursor end,
      read_to = 0, is_waiting = false
    from pick p where s.tenant_id = v_tenant and s.queue_id = p.queue_id and s.shard = p.shard
    returning s.queue_id, s.shard, s.epoch, s.generation, s.careful_to, s.cursor, p.is_lost
  ), weights as (
    select queue_id, count(*) * count(*) over () as weight from queue.shard
    where tenant_id = v_tenant and is_active and not is_blocked group by queue_id
  ), slots as (
    select l.*, w.weight, q.name, q.mode, q.target_id, t.concurrency, t.circuit, t.rate_per_second
    from leased l
    join weights w on w.queue_id = l.queue_id
    join queue.queue q on q.tenant_id = v_tenant and q.id = l.queue_id
    join queue.target t on t.tenant_id = v_tenant and t.id = q.target_id
  )
  select array_agg(queue_id) filter (where is_lost), array_agg(shard) filter (where is_lost),
    json_agg(json_build_object('tenantId', v_tenant, 'queueId', queue_id, 'shard', shard, 'epoch', epoch::text, 'generation', generation,
      'carefulTo', careful_to::text, 'cursor', cursor::text, 'weight', weight, 'queueName', name, 'mode', mode, 'targetId', target_id,
      'concurrency', concurrency, 'circuit', circuit, 'ratePerSecond', rate_per_second, 'isLost', is_lost) order by queue_id, shard)::text
  into v_lost, v_lost_shard, v_header from slots;
  if v_lost is not null then perform queue.charge_suspects(v_tenant, v_lost, v_lost_shard); end if;
  return v_header;
end
$function$
CREATE OR REPLACE FUNCTION queue.locate(p_tenant integer, p_ids bigint[])
 RETURNS TABLE(id bigint, queue_id integer, lane bigint, shard smallint, collapses boolean)
 LANGUAGE sql
 STABLE
AS $function$
  select m.id, q.id, l.lane, (l.lane & (q.shards - 1))::smallint, q.mode = 'latest'
  from unnest(p_ids) as i (id)
  cross join queue.queue q
  cross join lateral (select m.id, m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = q.id and m.id = i.id offset 0) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  where q.tenant_id = p_tenant;
$function$
CREATE OR REPLACE FUNCTION queue.lock_shards(p_tenant integer, p_queue integer[], p_shard smallint[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  perform from (select distinct queue_id, shard from unnest(p_queue, p_shard) as u (queue_id, shard) order by queue_id, shard) u
  cross join lateral (
    select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard for no key update offset 0
  ) s;
end
$function$
CREATE OR REPLACE FUNCTION queue.lock_targets(p_tenant integer, p_targets integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform from queue.target where tenant_id = p_tenant and id = any (p_targets) order by id for no key update;
  perform queue.lock_shards(p_tenant, array_agg(s.queue_id), array_agg(s.shard))
  from queue.queue q join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id
  where q.tenant_id = p_tenant and q.target_id = any (p_targets);
end
$function$
CREATE OR REPLACE FUNCTION queue.mark_suspect(p_tenant integer, p_queue integer, p_shard smallint, p_epoch bigint, p_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  perform from queue.shard s where s.tenant_id = p_tenant and s.queue_id = p_queue and s.shard = p_shard and s.epoch = p_epoch for no key update;
  if not found then return false; end if;
  insert into queue.suspect (tenant_id, queue_id, shard, message_id) values (p_tenant, p_queue, p_shard, p_id)
  on conflict (tenant_id, queue_id, shard) do update set message_id = excluded.message_id;
  return true;
end
$function$
CREATE OR REPLACE FUNCTION queue.may_claim(p_tenant integer, p_queue integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (queue.queue q JOIN queue.target t ON (((t.tenant_id = q.tenant_id) AND (t.id = q.target_id)))) WHERE ((q.tenant_id = may_claim.p_tenant) AND (q.id = may_claim.p_queue) AND (q.delivery = 'pull'::text) AND (NOT q.is_paused) AND (NOT t.is_paused))))
CREATE OR REPLACE FUNCTION queue.message_at(p_tenant integer, p_queue integer, p_id bigint, p_place tid, p_above bigint)
 RETURNS SETOF queue.message
 LANGUAGE sql
 STABLE
AS $function$
  select * from queue.message m where m.ctid = p_place and m.id = p_id and m.id > p_above and m.tenant_id = p_tenant and m.queue_id = p_queue
  union all
  select * from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id and m.id > p_above
  limit 1;
$function$
CREATE OR REPLACE FUNCTION queue.messages_of(p_tenant integer, p_queue integer, p_key text)
 RETURNS SETOF queue.message
 LANGUAGE sql
 STABLE
AS $function$
  select * from queue.message m
  where m.tenant_id = p_tenant and m.key = p_key and m.key between p_key and p_key and m.queue_id + 0 = p_queue;
$function$
CREATE OR REPLACE FUNCTION queue.name_dead()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  select m.created_at, m.source, m.key into new.published_at, new.source, new.key
  from queue.message m where m.tenant_id = new.tenant_id and m.queue_id = new.queue_id and m.id = new.id;
  return new;
end $function$
CREATE OR REPLACE FUNCTION queue.note_dead()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'TRUNCATE' then
    delete from queue.dead_change;
    delete from queue.dead_tally;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into queue.dead_change (tenant_id, queue_id, fingerprint, hour, count)
    select tenant_id, queue_id, coalesce(fingerprint, ''), queue.hour_of(dead_at), -count(*) from gone group by 1, 2, 3, 4;
  end if;
  if tg_op <> 'DELETE' then
    insert into queue.dead_change (tenant_id, queue_id, fingerprint, hour, count)
    select tenant_id, queue_id, coalesce(fingerprint, ''), queue.hour_of(dead_at), count(*) from come group by 1, 2, 3, 4;
  end if;
  return null;
end $function$
CREATE OR REPLACE FUNCTION queue.note_read(p_tenant integer, p_slots queue.slot[], p_slot smallint[], p_found bigint[], p_read_to bigint[], p_open_from bigint, p_lease_seconds double precision)
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  -- After a lost lease messages up to so many ids further, of all shards together, are read in careful mode.
  c_ahead constant integer := 2000;
  v_header text;
begin
  with seen as (
    select * from unnest(p_slot, p_found, p_read_to) as u (slot, found, read_to)
  ), read as (
    select i.*, greatest(n.read_to, i.reached) as reached_to, n.read_to, i.room > 0 and coalesce(n.found, 0) < i.room as is_whole,
      i.room > 0 and n.found is null and i.held = 0 as is_empty
    from unnest(p_slots) as i left join seen n on n.slot = i.slot
  ), noted as (
    update queue.shard s
    set read_to = case when not n.is_whole then n.reached_to when n.reached_to > s.read_to then n.reached_to + c_ahead else s.read_to end,
      cursor = case
        when n.is_empty and n.is_resting then n.cursor
        when n.is_release then case when s.generation = n.generation then n.cursor else 0 end
        else s.cursor
      end,
      is_active = s.is_active and not (n.is_empty and n.is_resting),
      is_waiting = case
        when n.is_release or (n.is_empty and n.is_resting) then false
        when n.room > 0 then n.is_whole
        else s.is_waiting
      end,
      owner = case when n.is_release or (n.is_empty and n.is_resting) then null else s.owner end,
      lease_until = case
        when n.is_release or (n.is_empty and n.is_resting) then '-infinity'
        when p_lease_seconds > 0 then clock_timestamp() + interval '1 second' * p_lease_seconds
        else s.lease_until
      end,
      virtual_time = s.virtual_time + n.cost
    from read n
    cross join lateral (
      select w.ctid as place from queue.shard w where w.tenant_id = p_tenant and w.queue_id = n.queue_id and w.shard = n.shard offset 0
    ) w
    where s.ctid = w.place
      and (n.is_release or p_lease_seconds > 0 or (n.is_empty and n.is_resting) or n.reached_to > s.read_to
        or (not n.is_whole and n.reached_to < s.read_to) or (n.room > 0 and s.is_waiting <> n.is_whole))
    returning n.slot
  )
  select json_build_object('openFrom', p_open_from::text, 'ownXid', pg_current_xact_id_if_assigned()::text, 'slots', json_agg(json_build_object(
    'slot', slot, 'isRead', room > 0, 'isEmpty', is_empty, 'isAsleep', is_empty and is_resting, 'isWhole', is_whole, 'readTo', read_to,
    'isNoted', exists (select from noted where noted.slot = read.slot))))
  into v_header from read;
  return v_header;
end
$function$
CREATE OR REPLACE FUNCTION queue.oldest_publish(p_tenant integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  with publish as (
    select pid from pg_locks
    where locktype = 'advisory' and classid = 7265643 and (p_tenant is null or objid = p_tenant) and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  )
  select min(pg_current_xact_id()::text::bigint - age(l.transactionid))
  from publish join pg_locks l using (pid) where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted;
$function$
CREATE OR REPLACE FUNCTION queue.open_circuit(p_tenant integer, p_target integer, p_pause_ms integer, p_pause_ms_max integer, p_fault jsonb DEFAULT NULL::jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update queue.target t
  set circuit = 'open', circuit_trips = least(t.circuit_trips + 1, 30),
    circuit_open_until = clock_timestamp() + interval '1 millisecond' * least(p_pause_ms_max, p_pause_ms * 2 ^ t.circuit_trips) * (0.75 + random() / 4),
    circuit_fault = jsonb_build_object('since', queue.iso(clock_timestamp())) || p_fault || coalesce(t.circuit_fault - '{errorClass,status}'::text[], '{}')
  where t.tenant_id = p_tenant and t.id = p_target and t.circuit <> 'open';
  if not found then return false; end if;
  perform queue.refresh_blocks(p_tenant, p_target);
  return true;
end
$function$
CREATE OR REPLACE FUNCTION queue.overtaken_for(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select m.id
  from unnest(p_queues, p_ids) as wanted (queue_id, id)
  cross join lateral (
    select m.id, m.key, m.version, m.origin_id from queue.message m
    where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  join queue.queue source on source.tenant_id = p_tenant and source.id = wanted.queue_id
  join queue.queue target on target.tenant_id = p_tenant and target.id = p_queue
  where source.mode = 'latest' and queue.has_newer(p_tenant, source.id, l.lane, m.version, m.id)
    or target.mode = 'latest' and (queue.has_newer(p_tenant, target.id, l.lane, m.version, m.id)
      or exists (
        select from queue.messages_of(p_tenant, p_queue, m.key) o
        where o.id > m.id and (m.version is null or o.version = m.version)
          and (o.origin_id is null or o.origin_id is distinct from m.origin_id)))
  union all
  select queue.overtaken_in(p_tenant, p_queue, p_queues, p_ids);
$function$
CREATE OR REPLACE FUNCTION queue.overtaken_in(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  with wanted as materialized (
    select m.* from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.id, m.queue_id, m.key, m.origin_id, m.entity_version, coalesce(m.version, 0) as version from queue.message m
      where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    where wanted.queue_id <> p_queue and exists (select from queue.queue q where q.tenant_id = p_tenant and q.id = p_queue and q.mode = 'fifo')
  ), there as materialized (
    select o.key, o.origin_id, o.entity_version, o.version, queue.first_of(p_tenant, o.id) as id
    from (select distinct key from wanted) k
    cross join lateral (
      select o.id, o.key, o.origin_id, o.entity_version, coalesce(o.version, 0) as version
      from queue.messages_of(p_tenant, p_queue, k.key) o offset 0
    ) o
    where not exists (
        select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = o.id and h.outcome = 'redirected' offset 0)
      and not exists (select from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = o.id offset 0)
  ), newest as (
    select distinct on (key) key, version, id from there order by key, version desc, id desc
  )
  select w.id from wanted w
  join there t on t.key = w.key and t.origin_id = w.origin_id and t.entity_version is not distinct from w.entity_version
  union
  select w.id from wanted w join newest n on n.key = w.key and (n.version, n.id) > (w.version, queue.first_of(p_tenant, w.id, w.queue_id));
$function$
CREATE OR REPLACE FUNCTION queue.partition_name(p_parent text, p_day integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ((p_parent || '_'::text) || to_char((('1970-01-01'::date + p_day))::timestamp with time zone, 'YYYYMMDD'::text))
CREATE OR REPLACE FUNCTION queue.passed_of(p_tenant integer, p_queues integer[], p_ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  with wanted as materialized (
    select m.*, queue.first_of(p_tenant, m.id, m.queue_id) as place from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.id, m.queue_id, m.key, coalesce(m.version, 0) as version from queue.message m
      where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    where exists (select from queue.queue q where q.tenant_id = p_tenant and q.id = wanted.queue_id and q.mode = 'fifo')
  ), lanes as (
    select w.queue_id, w.key, queue.lane_of(w.key) as lane, min(w.place) as place from wanted w group by w.queue_id, w.key
  ), ahead as materialized (
    select l.queue_id, l.key, o.version, queue.first_of(p_tenant, o.id, l.queue_id) as place
    from lanes l
    cross join lateral (
      select s.shard, case when s.owner is not null and s.lease_until > clock_timestamp() then s.read_to else 0 end as in_hand_to
      from queue.queue q
      join queue.shard s on s.tenant_id = p_tenant and s.queue_id = q.id and s.shard = l.lane & (q.shards - 1)
      where q.tenant_id = p_tenant and q.id = l.queue_id offset 0
    ) s
    cross join lateral (
      select o.id, coalesce(o.version, 0) as version from queue.messages_of(p_tenant, l.queue_id, l.key) o where o.id > l.place offset 0
    ) o
    where exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = l.queue_id and h.id = o.id and h.outcome = 'delivered' offset 0)
      or exists (select from queue.lease e where e.tenant_id = p_tenant and e.queue_id = l.queue_id and e.lane = l.lane and e.message_id = o.id offset 0)
      or o.id <= s.in_hand_to and exists (
        select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.shard = s.shard and r.id = o.id offset 0)
  )
  select w.id from wanted w
  where exists (select from ahead a where a.queue_id = w.queue_id and a.key = w.key and a.place > w.place and a.version >= w.version);
$function$
CREATE OR REPLACE FUNCTION queue.promote_retries(p_tenant integer, p_limit integer, p_ids bigint[] DEFAULT NULL::bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_promoted integer;
begin
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard
  from (
    select distinct queue_id, shard
    from (
      select queue_id, shard from queue.retrying
      where tenant_id = p_tenant and due_at <= clock_timestamp() and (p_ids is null or id = any (p_ids)) order by due_at limit p_limit
    ) d
  ) s;
  if v_queue is null then return 0; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  with due as (
    delete from queue.retrying r using unnest(v_queue, v_shard) as s (queue_id, shard)
    where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.due_at <= clock_timestamp()
    returning r.*
  ), judged as (
    select d.*, d.collapses and queue.has_newer(p_tenant, d.queue_id, d.lane, d.version, d.id) as is_replaced from due d
  ), replaced as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, queue_id, id, attempts, 'superseded' from judged where is_replaced
  ), returned as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses from judged where not is_replaced
    returning queue_id, shard
  )
  select (select count(*) from judged), array_agg(queue_id), array_agg(shard) into v_promoted, v_queue, v_shard from returned;
  if v_queue is not null then perform queue.wake_shards(p_tenant, v_queue, v_shard); end if;
  return v_promoted;
end
$function$
CREATE OR REPLACE FUNCTION queue.publish(p_tenant integer, p_profile_queue integer[], p_profile_subtenant integer[], p_profile_entity_type text[], p_profile_source text[], p_profile_headers text[], p_profile integer[], p_key text[], p_document text[], p_version bigint[], p_origin bigint[], p_entity_version integer[], p_announce boolean)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_count integer := cardinality(p_profile);
  v_id bigint[];
  v_lane bigint[];
  v_place tid[];
  -- Per profile: a lane's shard is lane & (shards - 1).
  v_mask integer[];
  v_collapses boolean[];
  v_queue integer[];
  v_shard smallint[];
  v_call text;
begin
  select array_agg(q.shards - 1 order by p.n), array_agg(q.mode = 'latest' order by p.n) into v_mask, v_collapses
  from unnest(p_profile_queue) with ordinality as p (id, n) join queue.queue q on q.tenant_id = p_tenant and q.id = p.id;
  if cardinality(v_mask) is distinct from cardinality(p_profile_queue) then
    raise exception 'A queue of these messages does not exist in tenant %.', p_tenant using errcode = 'foreign_key_violation';
  end if;

  -- Before the ids are taken: readers go by the transaction's id and this lock. See queue.note_read.
  perform pg_current_xact_id(), pg_advisory_xact_lock_shared(7265643, p_tenant);
  v_id := array(select nextval('queue.message_id') from generate_series(1, v_count));
  v_lane := array(select queue.lane_of(p_key[i]) from generate_series(1, v_count) i);

  -- Arrays indexed by number rather than unnested: unnest copies each document once more, 0.3 µs of a message's 8.
  with stored as (
    insert into queue.message (id, tenant_id, queue_id, subtenant_id, key, entity_type, source, headers, document, version, origin_id, entity_version)
    select v_id[i], p_tenant, p_profile_queue[p_profile[i]], p_profile_subtenant[p_profile[i]], p_key[i],
      p_profile_entity_type[p_profile[i]], p_profile_source[p_profile[i]], p_profile_headers[p_profile[i]],
      p_document[i], p_version[i], p_origin[i], p_entity_version[i]
    from generate_series(1, v_count) i
    returning ctid
  )
  select array_agg(ctid) into v_place from stored;

  with waiting as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, collapses, message_place)
    select p_tenant, p_profile_queue[p_profile[i]], (v_lane[i] & v_mask[p_profile[i]])::smallint, v_id[i], v_lane[i], p_version[i],
      v_collapses[p_profile[i]], v_place[i]
    from generate_series(1, v_count) i
    returning queue_id, shard
  ), touched as (
    select queue_id, shard from waiting group by queue_id, shard
  )
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard from touched;
  v_call := queue.wake_idle(p_tenant, v_queue, v_shard);

  if true = any (v_collapses) then
    perform queue.supersede_failed(p_tenant, array_agg(p_profile_queue[p_profile[i]]), array_agg(v_lane[i]), array_agg(p_version[i]))
    from generate_series(1, v_count) i where v_collapses[p_profile[i]];
  end if;
  if v_call is not null then perform pg_notify('queue_ready', v_call); end if;
  if p_announce then perform pg_notify('queue_changed', p_tenant::text); end if;
  return v_id;
end
$function$
CREATE OR REPLACE FUNCTION queue.rare_part(p_tenant integer, p_run text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
BEGIN ATOMIC
 WITH newest AS MATERIALIZED (
          SELECT t.text
            FROM queue.search_text t
           WHERE (t.tenant_id = rare_part.p_tenant)
           ORDER BY t.id DESC
          LIMIT 200
         ), rare AS (
          SELECT place.place
            FROM generate_series(1, (length(rare_part.p_run) - 2)) place(place)
           WHERE ((10 * ( SELECT count(*) AS count
                    FROM newest
                   WHERE (POSITION((substr(rare_part.p_run, place.place, 3)) IN (newest.text)) > 0))) <= ( SELECT count(*) AS count
                    FROM newest))
         ), part AS (
          SELECT min(parted.place) AS first,
             max(parted.place) AS last
            FROM ( SELECT rare.place,
                     (rare.place - row_number() OVER (ORDER BY rare.place)) AS part
                    FROM rare) parted
           GROUP BY parted.part
         )
  SELECT COALESCE(( SELECT substr(rare_part.p_run, part.first, ((part.last - part.first) + 3)) AS substr
            FROM part
           ORDER BY (part.last - part.first) DESC
          LIMIT 1), p_run) AS "coalesce";
END
CREATE OR REPLACE FUNCTION queue.read_choosing(p_tenant integer, p_slots queue.slot[], p_known bigint[], p_open_from bigint, p_lease_seconds double precision)
 RETURNS SETOF queue.delivery
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_slot smallint[];
  v_id bigint[];
  v_attempts smallint[];
  v_queue integer[];
  v_place tid[];
  v_message_place tid[];
  v_lane bigint[];
  v_behind bigint[];
  v_collapses boolean;
  -- Checksums of ids, before and after some were replaced.
  v_found bigint;
  v_left bigint;
  v_open_from bigint;
  v_above bigint;
begin
  select array_agg(slot), array_agg(queue_id), array_agg(id), array_agg(attempts), array_agg(place), array_agg(message_place), array_agg(lane), bool_or(collapses), bit_xor(id),
    greatest(p_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
  into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_lane, v_collapses, v_found, v_open_from
  from (
    select s.slot, r.*
    from unnest(p_slots) as s
    cross join lateral (
      select r.queue_id, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
      order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
    ) r
    -- Outside of the limited scan, so that it is one hash look-up per row; no join, which may bring them in any order.
    where r.id not in (select k.id from unnest(p_known) as k (id))
  ) c;
  return next queue.header_row((
    select queue.note_read(p_tenant, p_slots, array_agg(n.slot), array_agg(n.found), array_agg(n.read_to), v_open_from, p_lease_seconds)
    from (select u.slot, count(*) as found, max(u.id) as read_to from unnest(v_slot, v_id) as u (slot, id) group by u.slot) n
  ));

  select array_agg(c.id) into v_behind
  from unnest(v_queue, v_id, v_lane) as c (queue_id, id, lane)
  cross join lateral (
    select h.message_id from queue.held h where h.tenant_id = p_tenant and h.queue_id = c.queue_id and h.lane = c.lane offset 0
  ) h
  where h.message_id <> c.id;
  if v_behind is not null then
    with moved as (
      delete from queue.ready r using unnest(v_id, v_place) as c (id, place)
      where c.id = any (v_behind) and r.ctid = c.place and r.id = c.id
      returning r.*
    )
    insert into queue.parked (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit from moved;
    set local synchronous_commit to default;
    select array_agg(c.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place) where c.id <> all (v_behind);
  end if;

  if v_collapses then
    -- By number, as queue.collapse wants its shards.
    select array_agg(i.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place), bit_xor(c.id)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_left
    from (
      select array_agg(p.queue_id) as queues, array_agg(p.shard) as shards, array_agg(p.slot) as slots from unnest(p_slots) as p
    ) a
    cross join lateral queue.collapse(p_tenant, a.queues, a.shards,
      array(select array_position(a.slots, u.slot)::smallint from unnest(v_slot) with ordinality as u (slot, n) order by u.n), v_id, p_known) c
    cross join lateral (select a.slots[c.slot] as slot) i;
    if v_left is distinct from v_found then
      set local synchronous_commit to default;
    end if;
  end if;

  select min(u.id) - 1 into v_above from unnest(v_id) as u (id);
  return query
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      case when not queue.is_large(m.document) then m.document end, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000,
      case when queue.is_large(m.document) then octet_length(m.document) end
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place)
    cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$function$
CREATE OR REPLACE FUNCTION queue.record_attempts(p_tenant integer, p_slot smallint[], p_queue integer[], p_shard smallint[], p_attempts jsonb)
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
AS $function$
  insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms, error_class, error_message, fingerprint, exchange)
  select p_tenant, r.queue_id, r.id, r.attempts + 1, clock_timestamp() - interval '1 millisecond' * (a."ageMs" + a."durationMs"), a."durationMs",
    a."errorClass", a."errorMessage", a.fingerprint, a.exchange
  from jsonb_to_recordset(p_attempts) as a (slot smallint, id bigint, "ageMs" double precision, "durationMs" double precision,
    "errorClass" text, "errorMessage" text, fingerprint text, exchange text)
  join unnest(p_slot, p_queue, p_shard) as s (slot, queue_id, shard) on s.slot = a.slot
  join queue.ready r on r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id = a.id
  on conflict do nothing;
$function$
CREATE OR REPLACE FUNCTION queue.redirect_to(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[], p_announce boolean)
 RETURNS TABLE(message_id bigint, outcome text, successor_id bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_shards integer;
  v_overtaken bigint[];
  v_id bigint[];
  v_queue integer[];
  v_lane bigint[];
  v_attempts smallint[];
  v_subtenant integer[];
  v_entity_type text[];
  v_source text[];
  v_headers text[];
  v_key text[];
  v_document text[];
  v_version bigint[];
  v_origin bigint[];
  v_entity_version integer[];
  v_count integer;
  v_successor bigint[];
begin
  select q.shards into v_shards from queue.queue q where q.tenant_id = p_tenant and q.id = p_queue;
  if not found then
    raise exception 'Queue % does not exist in tenant %.', p_queue, p_tenant using errcode = 'foreign_key_violation';
  end if;
  -- All shards at once, as everywhere: one after the other, two operators could wait for each other in a circle.
  perform queue.lock_shards(p_tenant, array_agg(s.queue_id), array_agg(s.shard))
  from (
    select u.queue_id, u.shard
    from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    cross join lateral (select queue.lane_of(m.key) as lane) l
    join queue.queue q on q.tenant_id = p_tenant and q.id = wanted.queue_id
    cross join lateral (
      values (wanted.queue_id, (l.lane & (q.shards - 1))::smallint), (p_queue, (l.lane & (v_shards - 1))::smallint)
    ) u (queue_id, shard)
  ) s
  having count(*) > 0;
  v_overtaken := array(select queue.overtaken_for(p_tenant, p_queue, p_queues, p_ids));

  -- Before they are taken out: a lane forgets its places when it is left.
  select array_agg(m.id order by coalesce(p.place, m.id)) into v_id
  from unnest(p_queues, p_ids) as wanted (queue_id, id)
  cross join lateral (
    select m.id, m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  left join queue.place p on p.tenant_id = p_tenant and p.queue_id = wanted.queue_id and p.lane = l.lane and p.message_id = m.id
  where wanted.queue_id <> p_queue and m.id <> all (v_overtaken);

  select array_agg(t.id order by n.n), array_agg(t.queue_id order by n.n), array_agg(t.lane order by n.n), array_agg(t.attempts order by n.n),
    array_agg(m.subtenant_id order by n.n), array_agg(m.entity_type order by n.n), array_agg(m.source order by n.n),
    array_agg(m.headers order by n.n), array_agg(m.key order by n.n), array_agg(m.document order by n.n), array_agg(m.version order by n.n),
    array_agg(m.origin_id order by n.n), array_agg(m.entity_version order by n.n), count(*)
  into v_id, v_queue, v_lane, v_attempts, v_subtenant, v_entity_type, v_source, v_headers, v_key, v_document, v_version, v_origin,
    v_entity_version, v_count
  from queue.take_out(p_tenant, v_id) t
  join unnest(v_id) with ordinality as n (id, n) on n.id = t.id
  cross join lateral (
    select m.* from queue.message m where m.tenant_id = p_tenant and m.queue_id = t.queue_id and m.id = t.id offset 0
  ) m;
  if v_count > 0 then
    v_successor := queue.publish(p_tenant, array_fill(p_queue, array[v_count]), v_subtenant, v_entity_type, v_source, v_headers,
      array(select generate_series(1, v_count)), v_key, v_document, v_version, v_origin, v_entity_version, p_announce);
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome, successor_id)
    select p_tenant, v_queue[i], v_id[i], v_attempts[i], 'redirected', v_successor[i] from generate_series(1, v_count) i;
    delete from queue.place p using unnest(v_queue, v_lane, v_id) as left_by (queue_id, lane, id)
    where p.tenant_id = p_tenant and p.queue_id = left_by.queue_id and p.lane = left_by.lane and p.message_id = left_by.id;
  end if;
  return query
    select v_id[i], 'redirected', v_successor[i] from generate_series(1, v_count) i
    union all
    select unnest(v_overtaken), 'overtaken', null::bigint;
end
$function$
CREATE OR REPLACE FUNCTION queue.refresh_blocks(p_tenant integer, p_target integer)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_opened integer;
begin
  -- Who pauses a queue and who changes the circuit take turns: each would go by the other's old state.
  perform from queue.target where tenant_id = p_tenant and id = p_target for no key update;
  with state as (
    select q.id, q.is_paused or t.is_paused or t.circuit = 'open' or q.delivery = 'pull' as is_blocked
    from queue.queue q join queue.target t on t.tenant_id = q.tenant_id and t.id = q.target_id
    where q.tenant_id = p_tenant and q.target_id = p_target
  ), locked as (
    select s.queue_id, s.shard, x.is_blocked from queue.shard s join state x on x.id = s.queue_id
    where s.tenant_id = p_tenant and s.is_blocked <> x.is_blocked order by s.queue_id, s.shard for no key update of s
  ), changed as (
    update queue.shard s set is_blocked = l.is_blocked, is_fresh = true
    from locked l where s.tenant_id = p_tenant and s.queue_id = l.queue_id and s.shard = l.shard
    returning s.is_active and not s.is_blocked as is_open
  )
  select count(*) filter (where is_open) into v_opened from changed;
  if v_opened > 0 then perform pg_notify('queue_ready', ''); end if;
end
$function$
CREATE OR REPLACE FUNCTION queue.remove(p_tenant integer, p_ids bigint[], p_by text)
 RETURNS SETOF bigint
 LANGUAGE sql
AS $function$
  insert into queue.removed
  select id, lane, version, removed_at, tenant_id, queue_id, shard, attempts, attempt_limit, collapses, removed_from, p_by,
    due_at, failed_at, error_class, error_message, fingerprint
  from queue.take_out(p_tenant, p_ids)
  returning id;
$function$
CREATE OR REPLACE FUNCTION queue.replace_message(p_tenant integer, p_id bigint, p_queue integer, p_document text, p_announce boolean)
 RETURNS TABLE(outcome text, successor_id bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_old record;
  v_message queue.message;
  v_target queue.queue;
  v_stays boolean;
  v_lane bigint;
  v_place bigint;
  v_is_blocker boolean;
  v_attempts smallint;
  v_successor bigint;
begin
  select l.queue_id, l.lane, l.shard, l.collapses into v_old from queue.locate(p_tenant, array[p_id]) l;
  if not found then return; end if;
  select * into v_message from queue.message m where m.tenant_id = p_tenant and m.queue_id = v_old.queue_id and m.id = p_id;
  select * into v_target from queue.queue q where q.tenant_id = p_tenant and q.id = coalesce(p_queue, v_old.queue_id);
  if not found then
    raise exception 'Queue % does not exist in tenant %.', p_queue, p_tenant using errcode = 'foreign_key_violation';
  end if;
  v_stays := v_target.id = v_old.queue_id;
  v_lane := v_old.lane;
  perform queue.lock_shards(p_tenant, array[v_old.queue_id, v_target.id], array[v_old.shard, (v_lane & (v_target.shards - 1))::smallint]);

  if v_target.mode = 'latest' and (queue.has_newer(p_tenant, v_target.id, v_lane, v_message.version, p_id)
    -- In another queue what is newer goes by ids where versions don't tell; the same event's own message there is not newer.
    or (not v_stays and exists (
      select from queue.messages_of(p_tenant, v_target.id, v_message.key) o
      where o.id > p_id and (v_message.version is null or o.version = v_message.version)
        and (o.origin_id is null or o.origin_id is distinct from v_message.origin_id))))
    or exists (select from queue.overtaken_in(p_tenant, v_target.id, array[v_old.queue_id], array[p_id]))
    or v_stays and exists (select from queue.passed_of(p_tenant, array[v_old.queue_id], array[p_id])) and exists (
      select from queue.dead d where d.tenant_id = p_tenant and d.queue_id = v_old.queue_id and d.id = p_id
      union all
      select from queue.removed r where r.tenant_id = p_tenant and r.queue_id = v_old.queue_id and r.id = p_id)
  then return query select 'overtaken', null::bigint; return; end if;

  -- A blocker that is replaced in its lane does not free it: meanwhile nobody is the blocker.
  v_stays := v_stays and not v_old.collapses;
  update queue.held h set message_id = 0
  where v_stays and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = p_id;
  v_is_blocker := found;
  select t.attempts into v_attempts from queue.take_out(p_tenant, array[p_id]) t;
  if v_attempts is null then
    delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = v_old.queue_id and r.id = p_id returning r.attempts into v_attempts;
  end if;
  if v_attempts is null then
    update queue.held h set message_id = p_id
    where v_is_blocker and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = 0;
    return query select 'refused', null::bigint; return;
  end if;

  v_successor := (queue.publish(p_tenant, array[v_target.id], array[v_message.subtenant_id], array[v_message.entity_type], array[v_message.source],
    array[v_message.headers], array[1], array[v_message.key], array[coalesce(p_document, v_message.document)], array[v_message.version],
    array[v_message.origin_id], array[v_message.entity_version], p_announce))[1];
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome, successor_id)
  values (p_tenant, v_old.queue_id, p_id, v_attempts, 'redirected', v_successor);
  delete from queue.place p where p.tenant_id = p_tenant and p.queue_id = v_old.queue_id and p.lane = v_lane and p.message_id = p_id
  returning p.place into v_place;
  if v_stays then
    insert into queue.place (tenant_id, queue_id, lane, message_id, place) values (p_tenant, v_old.queue_id, v_lane, v_successor, coalesce(v_place, p_id));
    perform queue.hold_first(p_tenant, v_old.queue_id, v_old.shard, v_lane);
  end if;
  return query select 'replaced', v_successor;
end
$function$
CREATE OR REPLACE FUNCTION queue.requeue_dead(p_tenant integer, p_ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_passed bigint[];
  v_back bigint[];
  v_is_replaced boolean[];
begin
  select array_agg(d.queue_id), array_agg(d.shard), array_agg(d.id) into v_queue, v_shard, v_id
  from queue.dead d where d.tenant_id = p_tenant and d.id = any (p_ids);
  if v_queue is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  v_passed := array(select queue.passed_of(p_tenant, v_queue, v_id));
  with back as (
    -- What dies while another's shard is waited for is left to whoever holds its own.
    delete from queue.dead d where d.tenant_id = p_tenant and d.queue_id = any (v_queue) and d.id = any (v_id) returning d.*
  ), judged as (
    select b.*, q.max_attempts,
      b.id = any (v_passed) or (b.collapses and queue.has_newer(p_tenant, b.queue_id, b.lane, b.version, b.id)) as is_replaced
    from back b join queue.queue q on q.tenant_id = b.tenant_id and q.id = b.queue_id
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select tenant_id, queue_id, id, attempts, 'superseded' from judged where is_replaced
  ), to_ready as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, least(attempts::integer + max_attempts, 32766), collapses from judged where not is_replaced
  )
  select array_agg(queue_id), array_agg(shard), array_agg(lane), array_agg(id), array_agg(is_replaced)
  into v_queue, v_shard, v_lane, v_back, v_is_replaced from judged;
  if v_back is null then return; end if;
  perform queue.wake_shards(p_tenant, v_queue, v_shard);
  perform queue.free_lanes(p_tenant, array_agg(r.queue_id), array_agg(r.lane), array_agg(r.id))
  from unnest(v_queue, v_lane, v_back, v_is_replaced) as r (queue_id, lane, id, is_replaced) where r.is_replaced having count(*) > 0;
  return query select unnest(v_back);
end
$function$
CREATE OR REPLACE FUNCTION queue.rescue_leases(p_tenant integer, p_queue integer DEFAULT NULL::integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lost jsonb;
begin
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard
  from queue.lease where tenant_id = p_tenant and lease_until < clock_timestamp() and (p_queue is null or queue_id = p_queue);
  if v_queue is null then return 0; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  with lost as (
    -- In those shards alone: others may have run out since, and who holds their shards is at work there.
    delete from queue.lease l
    where l.tenant_id = p_tenant and l.lease_until < clock_timestamp()
      and (l.queue_id, l.shard) in (select u.queue_id, u.shard from unnest(v_queue, v_shard) as u (queue_id, shard))
    returning l.queue_id, l.shard, l.message_id
  )
  select jsonb_agg(jsonb_build_object('queueId', queue_id, 'shard', shard, 'id', message_id)) into v_lost from lost;
  return case when v_lost is null then 0 else queue.charge_lost(p_tenant, v_lost) end;
end
$function$
CREATE OR REPLACE FUNCTION queue.reserve_rate(p_tenant integer, p_target integer, p_count integer)
 RETURNS double precision
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET lock_timeout TO '200ms'
AS $function$
declare
  v_now timestamptz;
  v_start timestamptz;
begin
  perform from queue.target where tenant_id = p_tenant and id = p_target for no key update;
  v_now := clock_timestamp();
  update queue.target t
  -- As far ahead as it was, also of a clock that has been set back: the target would stand still until that is where it was.
  set rate_free_at = greatest(t.rate_free_at - (greatest(t.rate_moved_at, v_now) - v_now), v_now) + interval '1 second' * p_count / t.rate_per_second,
    rate_moved_at = v_now
  where t.tenant_id = p_tenant and t.id = p_target and t.rate_per_second is not null
  returning t.rate_free_at - interval '1 second' * p_count / t.rate_per_second into v_start;
  return coalesce(extract(epoch from v_start - v_now) * 1000, 0);
end
$function$
CREATE OR REPLACE FUNCTION queue.restore(p_tenant integer, p_ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_passed bigint[];
  v_back bigint[];
  v_first record;
begin
  select array_agg(l.queue_id), array_agg(l.shard), array_agg(l.lane), array_agg(l.id) into v_queue, v_shard, v_lane, v_id
  from queue.locate(p_tenant, p_ids) l;
  if v_queue is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  v_passed := array(select queue.passed_of(p_tenant, v_queue, v_id));
  with back as (
    delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = any (v_queue) and r.id = any (p_ids) returning r.*
  ), judged as (
    select b.*, case when b.id = any (v_passed) or (b.collapses and queue.has_newer(p_tenant, b.queue_id, b.lane, b.version, b.id)) then 'superseded'
      -- What waited behind a blocker is ready; the next reader parks it again if the lane is still held.
      when b.removed_from = 'parked' then 'ready' else b.removed_from end as state
    from back b
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select tenant_id, queue_id, id, attempts, 'superseded' from judged where state = 'superseded'
  ), to_ready as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses from judged where state = 'ready'
  ), to_retrying as (
    insert into queue.retrying (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, failed_at, error_class, error_message,
      fingerprint)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, failed_at, error_class, error_message, fingerprint
    from judged where state = 'retrying'
  ), to_dead as (
    insert into queue.dead (tenant_id, queue_id, shard, id, lane, version, dead_at, attempts, collapses, error_class, error_message, fingerprint)
    select tenant_id, queue_id, shard, id, lane, version, failed_at, attempts, collapses, error_class, error_message, fingerprint
    from judged where state = 'dead'
  ), to_held as (
    insert into queue.held (tenant_id, queue_id, lane, message_id)
    select distinct on (queue_id, lane) tenant_id, queue_id, lane, id from judged
    where not collapses and state in ('retrying', 'dead') order by queue_id, lane, id
    on conflict do nothing
  )
  select array_agg(id) into v_back from judged;
  if v_back is null then return; end if;
  perform queue.wake_shards(p_tenant, v_queue, v_shard);
  for v_first in
    select f.queue_id, f.shard, f.lane
    from (
      select u.queue_id, u.shard, u.lane, min(u.id) as id from unnest(v_queue, v_shard, v_lane, v_id) as u (queue_id, shard, lane, id) group by 1, 2, 3
    ) f
    where exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = f.queue_id and p.lane = f.lane offset 0)
      or exists (
        select from queue.held h where h.tenant_id = p_tenant and h.queue_id = f.queue_id and h.lane = f.lane
          and (h.message_id > f.id or h.message_id = f.id and exists (select from queue.waiting_before(p_tenant, f.queue_id, f.shard, f.id) offset 0)) offset 0)
  loop
    perform queue.hold_first(p_tenant, v_first.queue_id, v_first.shard, v_first.lane);
  end loop;
  return query select unnest(v_back);
end
$function$
CREATE OR REPLACE FUNCTION queue.roll_partitions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_parent text;
  v_name text;
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_made integer := 0;
begin
  perform pg_advisory_xact_lock(7265642);
  for v_parent in select parent from queue.day_partitioned order by parent loop
    for v_day in v_today .. v_today + 3 loop
      v_name := queue.partition_name(v_parent, v_day);
      if to_regclass(v_name) is null then
        execute format('create table %s (like %s including all)', v_name, v_parent);
        execute format('alter table %s alter column tenant_id set statistics 1', v_name);
        execute format('alter table %s attach partition %s for values from (%s) to (%s)',
          v_parent, v_name, v_day * 10000000000, (v_day + 1) * 10000000000);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  if (select last_value from queue.message_id) < v_today * 10000000000 then
    perform setval('queue.message_id', v_today * 10000000000);
  end if;
  return v_made;
end
$function$
CREATE OR REPLACE FUNCTION queue.search_ids(p_words text[], p_queues integer[], p_before bigint, p_limit integer)
 RETURNS TABLE(queue_id integer, id bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
#variable_conflict use_column
declare
  -- What the index takes for a word that frequent is as much work as reading ten times as many texts.
  c_read_max constant integer := 100000;
  v_tenant constant integer := queue.current_tenant();
  v_patterns constant text[] := array(
    select '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' from unnest(p_words) word order by length(word) desc
  );
  v_run constant text := (
    select run from unnest(p_words) word cross join regexp_split_to_table(word, '[^[:alnum:]]+') run
    where length(run) > 2 order by length(run) desc limit 1
  );
  v_rare text;
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_window integer := 5000;
  v_read integer := 0;
  v_found integer;
  v_left integer := p_limit;
begin
  if v_tenant is null then
    raise exception 'search_ids wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;

  loop
    return query
      select n.queue_id, n.id
      from (
        select t.queue_id, t.id, t.text from queue.search_text t where t.tenant_id = v_tenant and t.id < v_before order by t.id desc limit v_window
      ) n
      where n.text like all (v_patterns) and (p_queues is null or n.queue_id = any (p_queues))
      order by n.id desc limit v_left;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    if v_left = 0 then return; end if;
    select t.id into v_before from queue.search_text t
    where t.tenant_id = v_tenant and t.id < v_before order by t.id desc offset v_window - 1 limit 1;
    if not found then return; end if;
    v_read := v_read + v_window;
    exit when v_left = p_limit;
    v_window := least(c_read_max, ceil(1.3 * v_read * v_left / (p_limit - v_left)));
    exit when v_read + v_window > c_read_max;
  end loop;

  v_rare := coalesce('%' || queue.rare_part(v_tenant, v_run) || '%', v_patterns[1]);
  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      -- The concatenation keeps the words from the index.
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_rare and (t.text || '') like all (v_patterns)
        and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit v_left;
end
$function$
CREATE OR REPLACE FUNCTION queue.settle_delivered(p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_place tid[] DEFAULT NULL::tid[])
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_place tid[] := p_place;
  v_gone integer;
  v_settled integer := 0;
  v_queue integer[];
  v_lane bigint[];
  v_id bigint[];
begin
  loop
    if v_place is null then
      v_place := array(
        select (select w.ctid from queue.ready w where w.tenant_id = p_tenant and w.queue_id = p_queue[p_slot[i]] and w.shard = p_shard[p_slot[i]] and w.id = p_id[i])
        from generate_series(1, cardinality(p_id)) i);
      p_place := null;
    end if;
    with gone as (
      -- Another row may stand there by now. All places at once: a look at each by itself asks for the table's size every time. In their order,
      -- which is that of publication, history is written faster. Equality of the tenant would let the planner read all of its rows by the
      -- index instead, and without 'is true' it would join what is a look-up in a hash table.
      delete from queue.ready r
      where r.ctid = any (v_place) and r.tenant_id is not distinct from p_tenant
        and ((r.queue_id, r.shard, r.id) in (select p_queue[p_slot[i]], p_shard[p_slot[i]], p_id[i] from generate_series(1, cardinality(p_id)) i)) is true
      returning r.queue_id, r.id, r.lane, r.version, r.attempts, r.collapses,
        not r.collapses and (r.attempts > 0 or r.attempt_limit is not null) as may_block
    ), kept as (
      insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
      select p_tenant, queue_id, id, attempts + 1, 'delivered' from gone
    ), versions as (
      insert into queue.delivered_version (tenant_id, queue_id, lane, version)
      select p_tenant, queue_id, lane, max(version) from gone where collapses and version is not null group by queue_id, lane
      on conflict (tenant_id, queue_id, lane) do update set version = excluded.version
      where excluded.version > delivered_version.version
    )
    -- A lane's blocker has failed before, or, as an edited copy's place makes it one, has a limit of its own.
    select count(*), array_agg(queue_id) filter (where may_block), array_agg(lane) filter (where may_block), array_agg(id) filter (where may_block)
    into v_gone, v_queue, v_lane, v_id from gone;
    if v_queue is not null then perform queue.free_lanes(p_tenant, v_queue, v_lane, v_id); end if;
    v_settled := v_settled + v_gone;
    if v_settled = cardinality(p_id) or p_place is null then return v_settled; end if;
    -- Some rows were moved: those are looked up.
    v_place := null;
  end loop;
end
$function$
CREATE OR REPLACE FUNCTION queue.settle_failed(p_tenant integer, p_failures jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_settled integer;
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_tried record;
begin
  with failure as (
    select f.*, q.base_delay_ms, q.max_delay_ms, q.max_attempts
    from jsonb_to_recordset(p_failures) as f ("queueId" integer, shard smallint, id bigint, kind text, "delayMs" double precision,
      "errorClass" text, "errorMessage" text, fingerprint text)
    join queue.queue q on q.tenant_id = p_tenant and q.id = f."queueId"
    where f.kind <> 'released' or f."delayMs" > 0
  ), gone as (
    delete from queue.ready r using failure f
    where r.tenant_id = p_tenant and r.queue_id = f."queueId" and r.shard = f.shard and r.id = f.id
    returning r.*, f.kind, f."delayMs" as delay_ms, f."errorClass" as error_class, f."errorMessage" as error_message, f.fingerprint,
      f.base_delay_ms, f.max_delay_ms, f.max_attempts, least(r.attempts + (f.kind in ('retry', 'dead'))::integer, 32766) as tries
  ), judged as (
    select g.*, case
        when g.kind = 'superseded' or (g.collapses and queue.has_newer(p_tenant, g.queue_id, g.lane, g.version, g.id)) then 'superseded'
        when g.kind = 'dead' or (g.kind = 'retry' and g.tries >= coalesce(g.attempt_limit, g.max_attempts)) then 'dead'
        else 'retrying'
      end as state
    from gone g
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, queue_id, id, tries, 'superseded' from judged where state = 'superseded'
  ), to_dead as (
    insert into queue.dead (tenant_id, queue_id, shard, id, lane, version, attempts, collapses, error_class, error_message, fingerprint)
    select p_tenant, queue_id, shard, id, lane, version, tries, collapses, error_class, error_message, fingerprint
    from judged where state = 'dead'
  ), to_retrying as (
    insert into queue.retrying (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, error_class, error_message, fingerprint)
    -- Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    -- Put off before its first try it blocks its lane all the same; settle_delivered knows it by a limit of its own.
    select p_tenant, queue_id, shard, id, lane, version, tries, case when tries = 0 then coalesce(attempt_limit, max_attempts) else attempt_limit end, collapses,
      clock_timestamp() + interval '1 millisecond' * coalesce(delay_ms, random() * least(max_delay_ms, base_delay_ms * 2 ^ least(tries - 1, 30))),
      error_class, error_message, fingerprint
    from judged where state = 'retrying'
  ), to_held as (
    insert into queue.held as h (tenant_id, queue_id, lane, message_id)
    select p_tenant, queue_id, lane, min(id) from judged where state in ('dead', 'retrying') and not collapses group by queue_id, lane
    -- What came back behind it while it was in hand holds the lane already, and gives way.
    on conflict (tenant_id, queue_id, lane) do update set message_id = excluded.message_id
    where excluded.message_id < h.message_id
      and not exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = h.queue_id and p.lane = h.lane)
  )
  -- Only what has a limit of its own may have been tried before its turn.
  select count(*), array_agg(queue_id) filter (where may_be_early), array_agg(shard) filter (where may_be_early),
    array_agg(lane) filter (where may_be_early), array_agg(id) filter (where may_be_early)
  into v_settled, v_queue, v_shard, v_lane, v_id
  from (select j.*, state in ('dead', 'retrying') and not collapses and attempt_limit is not null as may_be_early from judged j) j;
  -- It gives way to what waits before it.
  for v_tried in
    select u.queue_id, u.shard, u.lane from unnest(v_queue, v_shard, v_lane, v_id) as u (queue_id, shard, lane, id)
    where exists (select from queue.waiting_before(p_tenant, u.queue_id, u.shard, u.id) offset 0)
      or exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = u.queue_id and p.lane = u.lane offset 0)
  loop
    perform queue.hold_first(p_tenant, v_tried.queue_id, v_tried.shard, v_tried.lane);
  end loop;
  return v_settled;
end
$function$
CREATE OR REPLACE FUNCTION queue.settle_lease(p_tenant integer, p_token uuid, p_kind text, p_failure jsonb, p_attempt jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_lease queue.lease;
begin
  select * into v_lease from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  perform queue.lock_shards(p_tenant, array[v_lease.queue_id], array[v_lease.shard]);
  delete from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  if p_attempt is not null then
    perform queue.record_attempts(p_tenant, array[1::smallint], array[v_lease.queue_id], array[v_lease.shard],
      jsonb_build_array(p_attempt || jsonb_build_object('slot', 1, 'id', v_lease.message_id)));
  end if;
  if p_kind = 'delivered' then
    perform queue.settle_delivered(p_tenant, array[v_lease.queue_id], array[v_lease.shard], array[1::smallint], array[v_lease.message_id]);
  else
    perform queue.settle_failed(p_tenant, jsonb_build_array(
      p_failure || jsonb_build_object('kind', p_kind, 'queueId', v_lease.queue_id, 'shard', v_lease.shard, 'id', v_lease.message_id)));
  end if;
  return true;
end
$function$
CREATE OR REPLACE FUNCTION queue.step(p_tenant integer, p_lease_seconds double precision, p_renew boolean, p_queue integer[], p_shard smallint[], p_epoch bigint[], p_generation integer[], p_cursor bigint[], p_limit integer[], p_held integer[], p_above integer[], p_reached bigint[], p_cost double precision[], p_release boolean[], p_resting boolean[], p_known bigint[], p_look boolean, p_done_slot smallint[], p_done_id bigint[], p_done_place tid[], p_failures jsonb, p_attempts jsonb)
 RETURNS SETOF queue.delivery
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_slot smallint[];
  v_slots queue.slot[];
  v_states text;
  -- p_queue, null for slots that are left out.
  v_queue integer[];
  v_open_from bigint := 0;
  v_above bigint := (select min(c) from unnest(p_cursor) as u (c));
  v_lease_seconds double precision := case when p_renew then p_lease_seconds else 0 end;
begin
  -- Nothing that anybody was told is lost with it: a read or a renewal that a crash of the database undoes is a lease that ends sooner.
  if cardinality(p_done_id) = 0 and p_failures is null and p_attempts is null then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform queue.lock_shards(p_tenant, p_queue, p_shard);
  select array_agg(i.slot::smallint order by i.slot) filter (where s.is_ours), array_agg(case when s.is_ours then i.queue_id end order by i.slot)
  into v_slot, v_queue
  from unnest(p_queue, p_shard, p_epoch) with ordinality as i (queue_id, shard, epoch, slot)
  left join lateral (
    select s.epoch = i.epoch and s.owner is not null as is_ours from queue.shard s
    where s.tenant_id = p_tenant and s.queue_id = i.queue_id and s.shard = i.shard offset 0
  ) s on true;
  if v_slot is null then return; end if;

  if p_attempts is not null then
    perform queue.record_attempts(p_tenant, v_slot, array(select p_queue[s] from unnest(v_slot) s), array(select p_shard[s] from unnest(v_slot) s), p_attempts);
  end if;
  if cardinality(p_done_id) > 0 then
    perform queue.settle_delivered(p_tenant, v_queue, p_shard, p_done_slot, p_done_id, p_done_place);
  end if;
  if p_failures is not null then
    perform queue.settle_failed(p_tenant, jsonb_agg(f || jsonb_build_object('queueId', p_queue[(f ->> 'slot')::int], 'shard', p_shard[(f ->> 'slot')::int])))
    from jsonb_array_elements(p_failures) f where (f ->> 'slot')::smallint = any (v_slot);
  end if;

  -- After the settling, which may have made what was parked behind a blocker ready again: then the worker has to start at the head first,
  -- and what it will find there counts as in its hand. Else operators who change a shard without pause would keep it from ever reading.
  select array_agg(row(u.slot, p_queue[u.slot], p_shard[u.slot], p_generation[u.slot], p_cursor[u.slot],
      case when p_release[u.slot] or s.is_blocked or s.generation <> p_generation[u.slot] then 0 else p_limit[u.slot] end,
      p_held[u.slot], p_above[u.slot], greatest(p_reached[u.slot], h.id), p_cost[u.slot], p_release[u.slot], p_resting[u.slot])::queue.slot order by u.slot),
    json_agg(json_build_object('slot', u.slot, 'generation', s.generation, 'isBlocked', s.is_blocked, 'reachedTo', h.id) order by u.slot)::text
  into v_slots, v_states
  from unnest(v_slot) as u (slot)
  cross join lateral (
    select s.generation, s.is_blocked from queue.shard s
    where s.tenant_id = p_tenant and s.queue_id = p_queue[u.slot] and s.shard = p_shard[u.slot] offset 0
  ) s
  -- A condition of the join would be looked at after the rows.
  cross join lateral (
    select case when s.generation <> p_generation[u.slot] and not p_release[u.slot] then (
      select max(r.id) from (
        select r.id from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue[u.slot] and r.shard = p_shard[u.slot]
        order by r.id limit p_limit[u.slot] + p_held[u.slot]
      ) r
    ) end as id
  ) h;
  return next queue.header_row(v_states);

  -- Before the read: what has ended by now is seen by it. A transaction elsewhere that is open for long would keep the reader from moving on:
  -- those that publish for this tenant are told from the others, which costs a look at all locks.
  if p_look then
    v_open_from := coalesce(queue.oldest_publish(p_tenant), pg_snapshot_xmax(pg_current_snapshot())::text::bigint);
  end if;
  -- Nobody else can hold a lane of these shards meanwhile.
  if exists (
    select from queue.queue q
    where q.tenant_id = p_tenant and q.id = any (p_queue)
      and (q.mode = 'latest' or exists (select from queue.held h where h.tenant_id = p_tenant and h.queue_id = q.id))
  ) then
    return query select * from queue.read_choosing(p_tenant, v_slots, p_known, v_open_from, v_lease_seconds);
    return;
  end if;
  return query
    with chosen as materialized (
      select s.slot, r.*
      from unnest(v_slots) as s
      cross join lateral (
        select r.queue_id, r.id, r.attempts, r.ctid as place, r.message_place from queue.ready r
        where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
        order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
      ) r
      -- Outside of the limited scan, so that it is one hash look-up per row; no join, which may bring them in any order.
      where r.id not in (select k.id from unnest(p_known) as k (id))
    ), noted as (
      select queue.note_read(p_tenant, v_slots, array_agg(n.slot), array_agg(n.found), array_agg(n.read_to),
        greatest(v_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint), v_lease_seconds) as header
      from (select c.slot, count(*) as found, max(c.id) as read_to from chosen c group by c.slot) n
    )
    select (queue.header_row(header)).* from noted
    union all
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      case when not queue.is_large(m.document) then m.document end, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000,
      case when queue.is_large(m.document) then octet_length(m.document) end
    from chosen c cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$function$
CREATE OR REPLACE FUNCTION queue.sum_hours(p_left integer[], p_left_to integer, p_right integer[], p_right_to integer, p_to integer)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg((COALESCE((sum_hours.p_left)[((hour.hour - sum_hours.p_left_to) + 24)], 0) + COALESCE((sum_hours.p_right)[((hour.hour - sum_hours.p_right_to) + 24)], 0)) ORDER BY hour.hour) AS array_agg
    FROM generate_series((sum_hours.p_to - 23), sum_hours.p_to) hour(hour);
END
CREATE OR REPLACE FUNCTION queue.supersede_failed(p_tenant integer, p_queue integer[], p_lane bigint[], p_version bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.retrying f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) and not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.dead f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) then return; end if;
  with newest as (
    select queue_id, lane, max(coalesce(version, 0)) as version from unnest(p_queue, p_lane, p_version) as n (queue_id, lane, version)
    group by queue_id, lane
  ), retried as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.retrying f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), replaced as (
    delete from queue.retrying f using retried r where f.ctid = r.place and f.id = r.id returning f.queue_id, f.id, f.attempts
  ), died as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.dead f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), buried as (
    delete from queue.dead f using died d where f.ctid = d.place and f.id = d.id returning f.queue_id, f.id, f.attempts
  )
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
  select p_tenant, queue_id, id, attempts, 'superseded' from (select * from replaced union all select * from buried) r;
end
$function$
CREATE OR REPLACE FUNCTION queue.sweep_shards()
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_shard record;
  v_woken integer := 0;
begin
  for v_shard in
    with recursive waiting as (
      (select tenant_id, queue_id, shard from queue.ready order by tenant_id, queue_id, shard limit 1)
      union all
      select n.* from waiting w cross join lateral (
        select r.tenant_id, r.queue_id, r.shard from queue.ready r
        where (r.tenant_id, r.queue_id, r.shard) > (w.tenant_id, w.queue_id, w.shard) order by r.tenant_id, r.queue_id, r.shard limit 1
      ) n
    )
    select s.tenant_id, s.queue_id, s.shard from waiting w
    join queue.shard s using (tenant_id, queue_id, shard) where not s.is_active
  loop
    update queue.shard s set is_active = true, is_fresh = true, cursor = 0, generation = generation + 1
    where s.tenant_id = v_shard.tenant_id and s.queue_id = v_shard.queue_id and s.shard = v_shard.shard and not s.is_active;
    v_woken := v_woken + 1;
  end loop;
  if v_woken > 0 then perform pg_notify('queue_ready', ''); end if;
  return v_woken;
end
$function$
CREATE OR REPLACE FUNCTION queue.take_out(p_tenant integer, p_ids bigint[])
 RETURNS SETOF queue.removed
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
begin
  select array_agg(l.queue_id), array_agg(l.shard), array_agg(l.lane), array_agg(l.id) into v_queue, v_shard, v_lane, v_id
  from queue.locate(p_tenant, p_ids) l;
  if v_id is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  return query
    with wanted as (
      select * from unnest(v_queue, v_shard, v_lane, v_id) as w (queue_id, shard, lane, id)
    ), from_ready as (
      delete from queue.ready r using wanted w
      cross join lateral (
        select o.ctid as place from queue.ready o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.shard = w.shard and o.id = w.id
          and not exists (select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = w.queue_id and s.shard = w.shard
            and s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to)
          and not exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = w.queue_id and l.lane = w.lane and l.message_id = w.id)
        offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_retrying as (
      delete from queue.retrying r using wanted w
      cross join lateral (
        select o.ctid as place from queue.retrying o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_parked as (
      delete from queue.parked r using wanted w
      cross join lateral (
        select o.ctid as place from queue.parked o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_dead as (
      delete from queue.dead r using wanted w
      cross join lateral (
        select o.ctid as place from queue.dead o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    )
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, collapses, 'ready', null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text from from_ready
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, collapses, 'retrying', null,
      due_at, failed_at, error_class, error_message, fingerprint from from_retrying
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, false, 'parked', null,
      null, null, null, null, null from from_parked
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, null, collapses, 'dead', null,
      null, dead_at, error_class, error_message, fingerprint from from_dead;
  perform queue.free_lanes(p_tenant, array_agg(w.queue_id), array_agg(w.lane), array_agg(w.id))
  from unnest(v_queue, v_shard, v_lane, v_id) as w (queue_id, shard, lane, id)
  cross join lateral (
    select from queue.held h where h.tenant_id = p_tenant and h.queue_id = w.queue_id and h.lane = w.lane and h.message_id = w.id
      and not exists (select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = w.queue_id and r.shard = w.shard and r.id = w.id)
    offset 0
  ) h
  having count(*) > 0;
end
$function$
CREATE OR REPLACE FUNCTION queue.try_circuit(p_tenant integer, p_target integer, p_at_once boolean DEFAULT false)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update queue.target t set circuit = 'half-open', circuit_open_until = null
  where t.tenant_id = p_tenant and t.id = p_target and t.circuit = 'open' and (p_at_once or t.circuit_open_until <= clock_timestamp());
  if not found then return false; end if;
  perform queue.refresh_blocks(p_tenant, p_target);
  return true;
end
$function$
CREATE OR REPLACE FUNCTION queue.unsearchable(p_span integer, OUT from_id bigint, OUT to_id bigint, OUT is_cut boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_cursor queue.search_cursor;
  v_last bigint := coalesce(pg_sequence_last_value('queue.message_id'), 0);
  -- After the line above: whoever drew an id that old has a lower transaction id.
  v_next bigint := pg_current_xact_id()::text::bigint;
  v_oldest bigint := queue.oldest_publish();
  v_first bigint;
begin
  select * into v_cursor from queue.search_cursor;
  from_id := v_cursor.filled_to;
  if coalesce(v_oldest >= v_next, true) then
    to_id := v_last;
  -- One that is not given out yet was noted before a restore, in a cluster that was further on.
  elsif v_cursor.seen_xid is null or v_cursor.seen_xid > v_next or v_oldest >= v_cursor.seen_xid then
    to_id := coalesce(v_cursor.seen_to, from_id);
    update queue.search_cursor set seen_to = v_last, seen_xid = v_next;
  else
    -- Somebody has been publishing since before then.
    to_id := from_id;
  end if;
  is_cut := false;
  if to_id <= from_id then return; end if;
  select min(m.id) into v_first
  from queue.queue q
  cross join lateral (
    select m.id from queue.message m where m.tenant_id = q.tenant_id and m.queue_id = q.id and m.id > from_id and m.id <= to_id order by m.id limit 1
  ) m;
  is_cut := coalesce(v_first + p_span < to_id, false);
  if is_cut then to_id := v_first + p_span; end if;
end
$function$
CREATE OR REPLACE FUNCTION queue.waiting_before(p_tenant integer, p_queue integer, p_shard smallint, p_id bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
AS $function$
  select o.id from queue.message m
  cross join lateral queue.messages_of(p_tenant, p_queue, m.key) o
  where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id and o.id < p_id and (
    exists (select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_shard and r.id = o.id offset 0)
    or exists (select from queue.parked k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.id = o.id offset 0));
$function$
CREATE OR REPLACE FUNCTION queue.wake_idle(p_tenant integer, p_queue integer[], p_shard smallint[])
 RETURNS text
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_waiting text;
  v_waiting_count integer;
  v_queue integer[];
  v_shard smallint[];
  v_is_leasable boolean := false;
begin
  select string_agg(u.queue_id || '.' || u.shard, ' ') filter (where s.is_waiting), count(*) filter (where s.is_waiting),
    array_agg(u.queue_id) filter (where not s.is_active), array_agg(u.shard) filter (where not s.is_active)
  into v_waiting, v_waiting_count, v_queue, v_shard
  from unnest(p_queue, p_shard) as u (queue_id, shard)
  cross join lateral (
    select s.is_waiting, s.is_active from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard offset 0
  ) s;
  if v_queue is not null then
    -- Skipping locked rows: whoever holds one is activating it too, or is a worker about to look once more.
    select array_agg(u.queue_id), array_agg(u.shard) into v_queue, v_shard
    from unnest(v_queue, v_shard) as u (queue_id, shard)
    cross join lateral (
      select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard and not s.is_active
      for no key update skip locked offset 0
    ) s;
    with woken as (
      update queue.shard s set is_active = true, is_fresh = true
      from unnest(v_queue, v_shard) as u (queue_id, shard)
      cross join lateral (
        select w.ctid as place from queue.shard w where w.tenant_id = p_tenant and w.queue_id = u.queue_id and w.shard = u.shard offset 0
      ) w
      where s.ctid = w.place
      returning s.is_blocked
    )
    select coalesce(bool_or(not is_blocked), false) into v_is_leasable from woken;
  end if;
  if not v_is_leasable and v_waiting is null then return null; end if;
  -- A notification holds 8,000 bytes.
  if v_waiting_count > 200 then return p_tenant::text; end if;
  return concat_ws(' ', p_tenant, case when v_is_leasable then '*' end, v_waiting);
end
$function$
CREATE OR REPLACE FUNCTION queue.wake_shards(p_tenant integer, p_queue integer[], p_shard smallint[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  update queue.shard s
  set generation = generation + 1, cursor = 0, is_fresh = is_fresh or not is_active, is_active = true
  from (select distinct queue_id, shard from unnest(p_queue, p_shard) as u (queue_id, shard)) w
  where s.tenant_id = p_tenant and s.queue_id = w.queue_id and s.shard = w.shard;
  perform pg_notify('queue_ready', p_tenant::text);
end
$function$

-- triggers
CREATE TRIGGER tell_alert AFTER INSERT OR UPDATE ON hub.alert FOR EACH ROW EXECUTE FUNCTION hub.tell_alert()
CREATE TRIGGER tell_access_changed AFTER UPDATE ON hub.api_key FOR EACH ROW WHEN ((((new.revoked_at IS DISTINCT FROM old.revoked_at) OR (new.expires_at IS DISTINCT FROM old.expires_at)) OR (new.role IS DISTINCT FROM old.role))) EXECUTE FUNCTION hub.tell_access('key', 'id')
CREATE TRIGGER tell_access_deleted AFTER DELETE ON hub.api_key FOR EACH ROW EXECUTE FUNCTION hub.tell_access('key', 'id')
CREATE TRIGGER tell_triage AFTER INSERT OR UPDATE ON hub.dead_letter_triage FOR EACH ROW EXECUTE FUNCTION hub.tell_triage()
CREATE TRIGGER note_order AFTER INSERT ON hub.entity_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION hub.note_order()
CREATE TRIGGER keep_version AFTER INSERT OR UPDATE ON hub.integration_point FOR EACH ROW EXECUTE FUNCTION hub.keep_integration_point_version()
CREATE TRIGGER tell_change AFTER INSERT OR DELETE OR UPDATE ON hub.integration_point FOR EACH ROW EXECUTE FUNCTION hub.tell_change()
CREATE TRIGGER keep_version_delete AFTER DELETE ON hub.mapping REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION hub.keep_mapping_version()
CREATE TRIGGER keep_version_insert AFTER INSERT ON hub.mapping REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION hub.keep_mapping_version()
CREATE TRIGGER keep_version_update AFTER UPDATE ON hub.mapping REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION hub.keep_mapping_version()
CREATE TRIGGER tell_change AFTER INSERT OR DELETE OR UPDATE ON hub.mapping FOR EACH ROW EXECUTE FUNCTION hub.tell_change()
CREATE TRIGGER tell_change AFTER INSERT OR DELETE OR UPDATE ON hub.masking FOR EACH ROW EXECUTE FUNCTION hub.tell_change()
CREATE TRIGGER tell_note AFTER INSERT OR UPDATE ON hub.note FOR EACH ROW EXECUTE FUNCTION hub.tell_note()
CREATE TRIGGER note_presence AFTER INSERT OR UPDATE ON hub.session FOR EACH ROW EXECUTE FUNCTION hub.note_presence()
CREATE TRIGGER tell_access_deleted AFTER DELETE ON hub.session FOR EACH ROW WHEN ((old.revoked_at IS NULL)) EXECUTE FUNCTION hub.tell_access('user', 'user_id')
CREATE TRIGGER tell_access_ended AFTER UPDATE ON hub.session FOR EACH ROW WHEN ((new.revoked_at IS DISTINCT FROM old.revoked_at)) EXECUTE FUNCTION hub.tell_access('user', 'user_id')
CREATE TRIGGER tell_change AFTER INSERT OR DELETE OR UPDATE ON hub.subtenant FOR EACH ROW EXECUTE FUNCTION hub.tell_change()
CREATE TRIGGER make_alert_rules AFTER INSERT ON hub.tenant FOR EACH ROW EXECUTE FUNCTION hub.make_alert_rules()
CREATE TRIGGER tell_access_changed AFTER UPDATE ON hub.tenant FOR EACH ROW WHEN ((new.is_active <> old.is_active)) EXECUTE FUNCTION hub.tell_access('tenant', 'id')
CREATE TRIGGER tell_change AFTER INSERT OR DELETE OR UPDATE ON hub.tenant FOR EACH ROW EXECUTE FUNCTION hub.tell_change()
CREATE TRIGGER tell_access_changed AFTER UPDATE ON hub."user" FOR EACH ROW WHEN (((new.role <> old.role) OR (new.is_active <> old.is_active))) EXECUTE FUNCTION hub.tell_access('user', 'id')
CREATE TRIGGER tell_access_granted AFTER INSERT OR DELETE OR UPDATE ON hub.user_tenant FOR EACH ROW EXECUTE FUNCTION hub.tell_access('user', 'user_id')
CREATE TRIGGER name_dead BEFORE INSERT ON queue.dead FOR EACH ROW EXECUTE FUNCTION queue.name_dead()
CREATE TRIGGER note_dead_changed AFTER UPDATE ON queue.dead REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION queue.note_dead()
CREATE TRIGGER note_dead_come AFTER INSERT ON queue.dead REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION queue.note_dead()
CREATE TRIGGER note_dead_emptied AFTER TRUNCATE ON queue.dead FOR EACH STATEMENT EXECUTE FUNCTION queue.note_dead()
CREATE TRIGGER note_dead_gone AFTER DELETE ON queue.dead REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION queue.note_dead()
CREATE TRIGGER note_deaths AFTER INSERT ON queue.dead REFERENCING NEW TABLE AS died FOR EACH STATEMENT EXECUTE FUNCTION hub.note_deaths()
