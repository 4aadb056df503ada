import type { ErrorCode, Fault, Problem, RefusalReason, SchemaReason } from "@crossdock/contract";
import { loadLanguage, type TextKey } from "./i18n/i18n.tsx";
import { locale } from "./settings.ts";

/** What the server's error codes are called, and what the console says where no answer came. */
const codeTexts: Record<ErrorCode | "offline" | "unreadable", TextKey> = {
  "bad-request": "problem.badRequest",
  "validation-failed": "problem.validationFailed",
  "bad-json": "problem.badJson",
  "bad-encoding": "problem.badEncoding",
  "nul-character": "problem.nulCharacter",
  "unknown-entity-type": "problem.unknownEntityType",
  "unknown-subtenant": "problem.unknownSubtenant",
  "cursor-invalid": "problem.cursorInvalid",
  "not-signed-in": "problem.notSignedIn",
  "token-invalid": "problem.tokenInvalid",
  "credentials-invalid": "problem.credentialsInvalid",
  "provider-refused": "problem.providerRefused",
  "code-wrong": "problem.codeWrong",
  "code-expired": "problem.codeExpired",
  "password-common": "problem.passwordCommon",
  "already-registered": "problem.alreadyRegistered",
  "sign-up-closed": "problem.signUpClosed",
  "signature-invalid": "problem.signatureInvalid",
  "password-wrong": "problem.passwordWrong",
  "picture-invalid": "problem.pictureInvalid",
  "permission-missing": "problem.permissionMissing",
  "not-found": "problem.notFound",
  "request-too-slow": "problem.requestTooSlow",
  "body-too-slow": "problem.bodyTooSlow",
  conflict: "problem.conflict",
  "already-exists": "problem.alreadyExists",
  "changed-meanwhile": "problem.changedMeanwhile",
  "own-account": "problem.ownAccount",
  "last-admin": "problem.lastAdmin",
  "mapping-cycle": "problem.mappingCycle",
  "lease-stale": "problem.leaseStale",
  "request-under-way": "problem.requestUnderWay",
  "answer-not-kept": "problem.answerNotKept",
  "idempotency-key-reused": "problem.idempotencyKeyReused",
  "version-changed": "problem.versionChanged",
  "too-large": "problem.tooLarge",
  "media-type-unsupported": "problem.mediaTypeUnsupported",
  "rejected-message": "problem.rejectedMessage",
  "too-many-requests": "problem.tooManyRequests",
  "headers-too-large": "problem.headersTooLarge",
  internal: "problem.internal",
  maintenance: "problem.maintenance",
  unavailable: "problem.unavailable",
  offline: "problem.offline",
  unreadable: "problem.unreadable",
};

const reasonTexts: Record<RefusalReason | SchemaReason, TextKey> = {
  "cron-fields": "reason.cronFields",
  "timing-one": "reason.timingOne",
  "too-many-match": "reason.tooManyMatch",
  "job-state": "reason.jobState",
  "job-state-by": "reason.jobStateBy",
  "job-empty": "reason.jobEmpty",
  "job-total": "reason.jobTotal",
  "job-confirmation": "reason.jobConfirmation",
  "reason-needed": "reason.reasonNeeded",
  "job-not-undone": "reason.jobNotUndone",
  "job-without-patch": "reason.jobWithoutPatch",
  "point-takes-nothing": "reason.pointTakesNothing",
  "point-inactive": "reason.pointInactive",
  "point-no-source": "reason.pointNoSource",
  "point-no-source-of-type": "reason.pointNoSourceOfType",
  "point-no-target-of-type": "reason.pointNoTargetOfType",
  "intake-paused": "reason.intakePaused",
  "credentials-closed": "reason.credentialsClosed",
  "queue-own": "reason.queueOwn",
  "queue-paused": "reason.queuePaused",
  "lane-in-hand": "reason.laneInHand",
  "message-waits": "reason.messageWaits",
  "message-outdated": "reason.messageOutdated",
  "message-state": "reason.messageState",
  "message-superseded": "reason.messageSuperseded",
  "no-target-wants": "reason.noTargetWants",
  "note-author": "reason.noteAuthor",
  "views-max": "reason.viewsMax",
  "view-changed": "reason.viewChanged",
  "views-shared": "reason.viewsShared",
  "error-changed": "reason.errorChanged",
  "value-mapped": "reason.valueMapped",
  "person-known": "reason.personKnown",
  "person-not-invited": "reason.personNotInvited",
  "invitation-over": "reason.invitationOver",
  "tenants-unknown": "reason.tenantsUnknown",
  "provider-without-email": "reason.providerWithoutEmail",
  "provider-away": "reason.providerAway",
  "range-invalid": "reason.rangeInvalid",
  "number-out-of-range": "reason.numberOutOfRange",
  "field-masked": "reason.fieldMasked",
  "payload-filter": "reason.payloadFilter",
  "import-started": "reason.importStarted",
  "import-parts": "reason.importParts",
  "reconciliation-open": "reason.reconciliationOpen",
  "differences-none": "reason.differencesNone",
  "resync-open": "reason.resyncOpen",
  "run-open": "reason.runOpen",
  "run-state": "reason.runState",
  "run-source": "reason.runSource",
  "system-not-asked": "reason.systemNotAsked",
  "system-not-read": "reason.systemNotRead",
  "export-open": "reason.exportOpen",
  "export-over": "reason.exportOver",
  "email-without-address": "reason.emailWithoutAddress",
  "email-without-secret": "reason.emailWithoutSecret",
  "mask-misplaced": "reason.maskMisplaced",
  "rows-unknown": "reason.rowsUnknown",
  "entity-type-needed": "reason.entityTypeNeeded",
  "days-beyond": "reason.daysBeyond",
  "bytes-beyond": "reason.bytesBeyond",
  "key-fixed": "reason.keyFixed",
  "queue-unfit": "reason.queueUnfit",
  "not-json": "reason.notJson",
  "run-subject": "reason.runSubject",
  "below-base-delay": "reason.belowBaseDelay",
  "role-or-scopes": "reason.roleOrScopes",
  "channel-address": "reason.channelAddress",
  "ignored-until": "reason.ignoredUntil",
  "link-form": "reason.linkForm",
  "after-start": "reason.afterStart",
  "snoozed-until": "reason.snoozedUntil",
  "trace-subject": "reason.traceSubject",
  "column-path": "reason.columnPath",
  "patch-kind": "reason.patchKind",
  "query-part": "reason.queryPart",
  "replacement-needed": "reason.replacementNeeded",
  "digits-only": "reason.digitsOnly",
  "code-form": "reason.codeForm",
  "six-digits": "reason.sixDigits",
  "field-name": "reason.fieldName",
  "text-broken": "reason.textBroken",
  "key-form": "reason.keyForm",
  "place-form": "reason.placeForm",
  "decimal-form": "reason.decimalForm",
  "currency-form": "reason.currencyForm",
  "time-form": "reason.timeForm",
  "country-form": "reason.countryForm",
  "lines-unique": "reason.linesUnique",
  "printable-ascii": "reason.printableAscii",
  "shopify-id": "reason.shopifyId",
  "header-name": "reason.headerName",
  "base64-form": "reason.base64Form",
  missing: "reason.missing",
  "wrong-type": "reason.wrongType",
  empty: "reason.empty",
  "text-too-short": "reason.textTooShort",
  "text-too-long": "reason.textTooLong",
  "list-too-short": "reason.listTooShort",
  "list-too-long": "reason.listTooLong",
  "number-too-small": "reason.numberTooSmall",
  "number-too-big": "reason.numberTooBig",
  "not-a-multiple": "reason.notAMultiple",
  "email-form": "reason.emailForm",
  "address-form": "reason.addressForm",
  form: "reason.form",
  "fields-unknown": "reason.fieldsUnknown",
  "not-offered": "reason.notOffered",
  "no-alternative": "reason.noAlternative",
};

/** Values at fault that one notice names; forms show each beside its field. */
const faultsMax = 3;

/**
 * A refusal in the console's language: title, detail, and what is wrong with each value. What the server says without a name stays as it
 * is, behind the title, as it may be another system's own words.
 */
export async function translated(problem: Problem): Promise<Problem> {
  const { intl } = await loadLanguage(locale.get());
  const say = (key: string, texts: Record<string, TextKey>, values?: Record<string, string | number>): string | undefined => {
    const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
    return text && intl.formatMessage({ id: text }, values);
  };
  const tell = (fault: Fault): Fault => ({ ...fault, message: say(fault.reason ?? "", reasonTexts, fault.values) ?? fault.message });

  const title = say(problem.code, codeTexts) ?? problem.title;
  const errors = problem.errors?.map(tell);
  const said = say(problem.reason ?? "", reasonTexts, problem.values);
  const rest = problem.detail ?? errors?.slice(0, faultsMax).map(placed).join("; ");
  const detail = said ?? (rest ? `${title} ${rest}` : undefined);
  return { ...problem, title, ...(detail !== undefined && { detail }), ...(errors && { errors }) };
}

function placed({ path, message }: Fault): string {
  const place = path.replace(/^\/?(?:body|querystring|params|headers)?\/?/, "");
  return place === "" ? message : `${place}: ${message}`;
}
