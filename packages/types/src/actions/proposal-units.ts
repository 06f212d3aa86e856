/** Units of proposals. */
import { type Change, changeToWire } from '../epochs/changes.ts';
import { addToUnits, type Units } from '../units.ts';
import { CHANGE_COMPUTE, cost, GOVERNANCE_COMPUTE, KEY_CHECK_COMPUTE, WRITE_UNIT_BYTES } from './costs.ts';
import type { Propose } from './propose.ts';

/** Most keys are new: the state has no value to copy. */
const PROPOSAL_READS = 6;
/** Approvals and the queue. */
const PROPOSAL_WRITES = 10;
/** Accounts and keys, decoded and encoded. */
const CHANGE_BYTES_COMPUTE = 3;
/** A candidate's, or the largest change's. */
const PROPOSED_CHANGE_BYTES = 6 * 1024;
/** A candidate, its keys, its place in the list, and its part of the proposal. */
const CANDIDATE_UNITS = cost(KEY_CHECK_COMPUTE, 5, PROPOSED_CHANGE_BYTES, 35);

export function proposalUnits({ changes }: Propose): Units {
  const units = [...cost(GOVERNANCE_COMPUTE, PROPOSAL_READS, 0, PROPOSAL_WRITES)];
  for (const change of changes) addToUnits(units, changeUnits(change));
  return units;
}

function changeUnits(change: Change): Units {
  if (change.kind === 'addValidator') return CANDIDATE_UNITS;
  const parts = Math.ceil(changeToWire(change).body.length / WRITE_UNIT_BYTES);
  return cost(CHANGE_COMPUTE + CHANGE_BYTES_COMPUTE * parts, 1, PROPOSED_CHANGE_BYTES, parts);
}
