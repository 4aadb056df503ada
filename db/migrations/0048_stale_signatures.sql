-- A signature that is right for its time, which is too far from ours: a clock is wrong, or the webhook was sent late.
alter table hub.external_message drop constraint external_message_signature_check;
alter table hub.external_message add constraint external_message_signature_check
  check (signature in ('valid', 'invalid', 'missing', 'stale', 'none-configured', 'not-applicable'));
