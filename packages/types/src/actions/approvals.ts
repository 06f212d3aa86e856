/** approve and revoke: a governor agrees to a proposal, or no longer does. */
import { id } from '../forms/description.ts';
import type { ProposalId } from '../ids.ts';
import { cost } from './costs.ts';
import { defineAction } from './definition.ts';

/** One value of 64 kB takes as long as so many accounts. */
const LARGEST_PROPOSAL_READS = 30;
/** Changes and 1,024 approvals: a value is 64 kB at most. */
const LARGEST_PROPOSAL_WRITES = 1000;
const LARGEST_PROPOSAL_COMPUTE = 1000;
const ACCOUNT_KEY_BYTES = 64;

const fields = { proposalId: id<ProposalId>() };

export const approve = defineAction({
  kind: 'approve',
  tag: 9,
  title: 'Approve',
  about: 'Agrees to a proposal.',
  fields,
  units: () => cost(LARGEST_PROPOSAL_COMPUTE, LARGEST_PROPOSAL_READS, ACCOUNT_KEY_BYTES, LARGEST_PROPOSAL_WRITES),
});

export const revoke = defineAction({
  kind: 'revoke',
  tag: 10,
  title: 'Revoke',
  about: 'Takes an approval back.',
  fields,
  units: () => cost(LARGEST_PROPOSAL_COMPUTE, LARGEST_PROPOSAL_READS, 0, LARGEST_PROPOSAL_WRITES),
});
