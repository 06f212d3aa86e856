import { DiskError } from '@slipstream/ports';

export const WHAT_TO_DO =
  'Set the data folder aside and let the node take the state from its peers; a validator takes its signing history along ' +
  '(slipstream keys export-history)';

export function levelDamage(file: string, what: string): DiskError {
  return new DiskError('damaged', `${file} is damaged: ${what}. ${WHAT_TO_DO}`, { file });
}
