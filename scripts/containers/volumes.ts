/** Where the volumes are in every container, and what is in them. */
import { join } from 'node:path';

const STATE = '/var/lib/slipstream';

/** Of the validators alone: the published node never sees their keys. */
export const VALIDATORS_VOLUME = join(STATE, 'validators');
/** The home of the full node. */
export const FULL_NODE_HOME = join(STATE, 'full-node');

/** Renamed to this when all of the chain is there; so what has this name is complete. */
export const CHAIN_FOLDER = join(VALIDATORS_VOLUME, 'chain');
export const UNFINISHED_CHAIN_FOLDER = join(VALIDATORS_VOLUME, 'unfinished');

export function validatorHome(index: number): string {
  return join(CHAIN_FOLDER, `validator-${index}`);
}
