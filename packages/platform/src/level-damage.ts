import { DiskError } from '@slipstream/ports';

export const WHAT_TO_DO =
  "With slipstream state rebuild the node sets its data aside and takes the state from its peers; it keeps a validator's signing history";

export function levelDamage(file: string, what: string): DiskError {
  return new DiskError('damaged', `${file} is damaged: ${what}. ${WHAT_TO_DO}`, { file });
}
