import type { Scenario } from '../scenario.ts';
import { breakDisk } from './failing-fsync.ts';

export const diskFull: Scenario = {
  name: 'disk-full',
  about:
    "One validator's disk is full at some moment: it stops with a message, the others go on, it comes back with room.",
  play: (stage) => breakDisk(stage, { operation: 'write', code: 'no-space' }),
};
