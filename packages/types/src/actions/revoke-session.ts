/** revokeSession: ends a session on this chain. Owner: the granting anchor on the issuing chain; elsewhere the session's account. */
import { account, id } from '../forms/description.ts';
import type { GrantId } from '../ids.ts';
import { CHANGE_COMPUTE, cost, NEW_SESSION_WRITES, SESSION_READS } from './costs.ts';
import { defineAction } from './definition.ts';

/** An entry that is overwritten takes as long as two that are new. */
const UNITS = cost(CHANGE_COMPUTE, SESSION_READS + 1, 0, NEW_SESSION_WRITES);

export const revokeSession = defineAction({
  kind: 'revokeSession',
  tag: 7,
  title: 'RevokeSession',
  about: 'Ends a session on this chain.',
  fields: { owner: account, grantId: id<GrantId>() },
  units: () => UNITS,
});
