/**
 * What is said of one refused request beyond its error's code, and of one value that doesn't fit beyond what its schema says by itself;
 * `{name}` stands for something of the request. Whoever reads another language tells it by the reason's name and its values.
 */
export const reasons = {
  "cron-fields": "cron must be five fields: minute, hour, day of month, month, day of week.",
  "timing-one": "either cron or everySeconds",
  "too-many-match": "More than {max} match: narrow the filter.",
  "job-state": "The job is {state}.",
  "job-state-by": "The job is {state}; {name} was the last who changed that.",
  "job-empty": "The job has no messages.",
  "job-total": "The job is about {total} messages, not {given}.",
  "job-confirmation": "confirmation must be the tenant's code.",
  "reason-needed": "A reason is needed.",
  "job-not-undone": "There is nothing that could be taken back.",
  "job-without-patch": "The job patches nothing.",
  "job-without-target": "The job redirects nothing.",
  "queue-closed": "It is no queue of an active target.",
  "point-takes-nothing": "Its integration point does not take messages in any more.",
  "point-inactive": "The integration point or its subtenant is not active.",
  "point-no-source": "The integration point '{point}' is no source.",
  "point-no-source-of-type": "The integration point '{point}' is no source of this entity type.",
  "point-no-target-of-type": "The integration point '{point}' is no target of this entity type.",
  "intake-paused": "Intake of the subtenant is paused.",
  "credentials-closed": "Its credentials cannot be opened: enter them anew.",
  "queue-own": "This queue is delivered by Crossdock itself: its next message can be looked at, not fetched.",
  "queue-paused": "The queue is paused.",
  "lane-in-hand": "Another message with the same key is in a worker's hand.",
  "message-waits": "The message waits for its delivery already.",
  "message-outdated": "Message {messageId} has newer data of the same object, which this one would overwrite. Resync the object instead.",
  "message-state": "The message is {state} by now.",
  "message-superseded": "Newer data of the same object has taken the message's place.",
  "no-target-wants": "No active target wants this object.",
  "note-author": "A note is removed and restored by its author",
  "views-max": "A person has at most {max} saved views.",
  "view-changed": "{name} changed this view meanwhile.",
  "views-shared": "Shared views are changed by operators",
  "error-changed": "{name} changed this error meanwhile.",
  "value-mapped": "This value has a mapping already",
  "person-known": "Somebody with this email address is known already.",
  "person-not-invited": "This person has followed an invitation, or is disabled.",
  "invitation-over": "This invitation was used, is over, or never was.",
  "tenants-unknown": "There is no tenant with one of these codes.",
  "provider-without-email": "The provider has not verified an email address.",
  "provider-away": "{name} can't be reached at the moment.",
  "range-invalid": "The range must end after its start, within five years.",
  "number-out-of-range": "A number or time is out of range.",
  "field-masked": "This field is masked for you",
  "payload-filter": "{fault}",
  "import-started": "The import has started.",
  "import-parts": "{count} of {parts} parts are there.",
  "reconciliation-open": "Only a reconciliation that has ended can be fixed.",
  "differences-none": "None of these differences can be mended by sending the object anew.",
  "resync-open": "This target is being sent to anew already.",
  "run-open": "A run of this kind is open for this target and entity type.",
  "run-state": "The run is {state}.",
  "run-source": "The source must be another integration point of the same subtenant.",
  "system-not-asked": "This system can't be asked for {entityType} messages.",
  "system-not-read": "This system can't be read back for {entityType}.",
  "export-open": "The export is not done.",
  "export-over": "The export's retention has ended.",
  "email-without-address": "E-mail has no address of its own.",
  "email-without-secret": "E-mail has no secret.",
  "mask-misplaced": "A masked value may only stand where it stood: reveal it, or write another one.",
  "signature-wrong": "The signature is invalid.",
  "signature-time":
    "The signature is right, but its time is more than {minutes} minutes from the server's: one of the two clocks is wrong, or it was sent late.",
  "signature-missing": "The signature is missing.",
  "message-too-large": "The tenant takes messages of up to {max} bytes.",
  "message-not-stored": "The translated message could not be stored.",
  "message-not-translated": "The translation failed; the server's log says why.",
  "source-time-ahead": "The source's time {time} is more than a day ahead: every later change would look older than it.",
  "message-empty": "It contains no document.",
  "message-type-not-taken": "The integration point does not take documents of this type.",
  "body-encoding": "The body is not valid UTF-8.",
  "body-nul": "The body contains a NUL character at byte {byte}.",
  "body-nul-escaped": "The body contains an escaped NUL character (\\u0000).",
  "body-not-json": "The body is not JSON: unexpected end or character.",
  "body-not-json-at": "The body is not JSON: unexpected character at position {position}.",
  "body-too-deep": "The body is nested deeper than {max} levels.",
  "header-missing": "header {header} is missing",
  "document-missing": "no document in the message",
  "not-an-object": "must be a JSON object",
  "message-kind-unknown": "unknown kind of message",
  "topic-not-moved": "topic {topic} is not moved",
  "topic-removal": "{topic} names an id only; nothing is removed by a message",
  "topic-empty": "a topic that has nothing to move",
  "type-not-received": "entity type '{type}' is not received",
  "expression-failed": "translation failed: {fault}",
  "rows-unknown": "These are no rows of the list.",
  "entity-type-needed": "A canonical document needs its entity type.",
  "days-beyond": "must not exceed the installation's {max} days",
  "bytes-beyond": "must not exceed the installation's {max} bytes",
  "key-fixed": "The business key must stay {key}: hand in another one as a new message.",
  "queue-unfit": "It is no queue of an active target of the subtenant that takes this entity type.",
  "not-json": "{fault}",
  "run-subject": "an export names a subtenantCode, everything else an integrationPointId",
  "csv-header": "The header lacks {columns}.",
  "csv-too-many": "There are more than {max} lines.",
  "csv-cells": "There are more cells than the header has names.",
  "csv-point": 'No integration point that takes deliveries has the code "{code}".',
  "csv-entity-type": '"{type}" is no entity type.',
  "csv-key": "The key must have 1 to 500 characters.",
  "csv-external-id": "The external id must have 1 to 500 characters.",
  "csv-same-item": "Line {line} names the same item.",
  "csv-same-value": "Line {line} is about the same value.",
  "csv-cycle": "The values would never come to rest: {cycle}.",
  "csv-subtenant": 'There is no subtenant "{code}".',
  "csv-connector": '{column}: "{value}" is no connector.',
  "csv-field-name": 'fieldName: "{value}" is no field\'s name.',
  "csv-too-long": "{column} is too long.",
  "below-base-delay": "is below baseDelayMs",
  "role-or-scopes": "either a role or scopes",
  "channel-address": "a webhook has an address, e-mail has none",
  "ignored-until": "goes with the status 'ignored', and with no other",
  "link-form": "an https address or a path of the console",
  "after-start": "after the start, and in the future",
  "snoozed-until": "snoozed, and until when",
  "trace-subject": "Name an external message, or subtenant, entityType and key.",
  "column-path": "a path in the canonical document, e.g. price.amount",
  "patch-kind": "goes with the kind 'patch', and with no other",
  "redirect-kind": "goes with the kind 'redirect', and with no other",
  "query-part": "the query part of an address, without ?",
  "replacement-needed": "document or queueId is needed",
  "digits-only": "an id of digits only",
  "code-form": "small letters, digits and hyphens, at most 63",
  "six-digits": "six digits",
  "field-name": "a field's name, or names with dots between them",
  "text-broken": "must not contain NUL or broken Unicode",
  "key-form": "must not be empty, nor begin or end with a blank",
  "place-form": "letters, digits and . _ : / - only, at most 100",
  "decimal-form": 'must be a decimal number as text, e.g. "12.50"',
  "currency-form": "must be an ISO 4217 code, e.g. SEK",
  "time-form": "must be an ISO 8601 time with a zone",
  "country-form": "must be an ISO 3166-1 alpha-2 code",
  "lines-unique": "line numbers must be unique",
  "printable-ascii": "must be printable ASCII",
  "shopify-id": "an id of Shopify, digits only",
  "header-name": "not a header's name",
  "base64-form": "base64, as Standard Webhooks has it",
} as const satisfies Record<string, string>;

export type RefusalReason = keyof typeof reasons;

/** What schemas say by themselves of a value that doesn't fit. */
export type SchemaReason =
  | "missing"
  | "wrong-type"
  | "empty"
  | "text-too-short"
  | "text-too-long"
  | "list-too-short"
  | "list-too-long"
  | "number-too-small"
  | "number-too-big"
  | "not-a-multiple"
  | "email-form"
  | "address-form"
  | "form"
  | "fields-unknown"
  | "not-offered"
  | "wrong-kind"
  | "no-alternative";

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What a reason's sentence leaves open. */
export type ReasonValues<Reason extends RefusalReason> = Record<NamesIn<(typeof reasons)[Reason]>, string | number>;
