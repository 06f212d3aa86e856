/**
 * Mutations: rules of the protocol broken on purpose, to test the tests. Each changes the sources as they are loaded, and must make a
 * simulation fail.
 *
 * Where production code asserts the rule as well, the mutation removes the assertion: the checkers must detect the fault themselves.
 */
import { CERTIFICATE_MUTATIONS } from './certificates.ts';
import { DURABILITY_MUTATIONS } from './durability.ts';
import { EXECUTION_MUTATIONS } from './execution.ts';
import type { Mutation } from './mutation.ts';
import { PIPELINE_MUTATIONS } from './pipeline.ts';
import { VOTING_MUTATIONS } from './voting.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...VOTING_MUTATIONS,
  ...DURABILITY_MUTATIONS,
  ...CERTIFICATE_MUTATIONS,
  ...EXECUTION_MUTATIONS,
  ...PIPELINE_MUTATIONS,
];
