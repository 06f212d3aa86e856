/**
 * Rules broken on purpose, as sources are loaded; each must make a simulation fail. Production assertions of the rule are removed too: the
 * checkers must detect the fault.
 */
import { APPLICATION_MUTATIONS } from './applications.ts';
import { BATCH_MUTATIONS } from './batches.ts';
import { CERTIFICATE_MUTATIONS } from './certificates.ts';
import { DURABILITY_MUTATIONS } from './durability.ts';
import { EPOCH_MUTATIONS } from './epochs.ts';
import { EXECUTION_MUTATIONS } from './execution.ts';
import type { Mutation } from './mutation.ts';
import { PIPELINE_MUTATIONS } from './pipeline.ts';
import { REPUTATION_MUTATIONS } from './reputation.ts';
import { VOTING_MUTATIONS } from './voting.ts';
import { WHOLE_MUTATIONS } from './whole.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...VOTING_MUTATIONS,
  ...DURABILITY_MUTATIONS,
  ...CERTIFICATE_MUTATIONS,
  ...EXECUTION_MUTATIONS,
  ...PIPELINE_MUTATIONS,
  ...WHOLE_MUTATIONS,
  ...BATCH_MUTATIONS,
  ...APPLICATION_MUTATIONS,
  ...EPOCH_MUTATIONS,
  ...REPUTATION_MUTATIONS,
];
