import type { Scenario } from '../scenario.ts';
import { breakDisk } from './failing-fsync.ts';

export const diskFull: Scenario = {
  name: 'disk-full',
  about:
    'The disk of one validator becomes full: it stops with a message, the others finalize blocks, it restarts with space.',
  play: (stage) => breakDisk(stage, { operation: 'write', code: 'no-space' }),
};
