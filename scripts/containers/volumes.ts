/** Paths of the volumes, the same in every container, and of their content. */
import { join } from 'node:path';

const STATE = '/var/lib/slipstream';

/** For the validators only: the published node never sees their keys. */
export const VALIDATORS_VOLUME = join(STATE, 'validators');
export const FULL_NODE_HOME = join(STATE, 'full-node');

/** Renamed to this once the chain is complete. */
export const CHAIN_FOLDER = join(VALIDATORS_VOLUME, 'chain');
export const UNFINISHED_CHAIN_FOLDER = join(VALIDATORS_VOLUME, 'unfinished');

export function validatorHome(index: number): string {
  return join(CHAIN_FOLDER, `validator-${index}`);
}
