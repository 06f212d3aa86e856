/** What can be done to nodes of a development network, in words, and when it makes sense. */
import type { FleetAct } from '../../node/fleet.ts';
import type { FleetEntry } from './fleet-entries.ts';

export interface ActEntry {
  readonly act: FleetAct;
  readonly title: string;
  readonly means: string;
  readonly done: string;
}

export const ACTS: readonly ActEntry[] = [
  { act: 'stop', title: 'Stop', means: 'As an operator would: it finishes what is under way.', done: 'Stopped' },
  { act: 'kill', title: 'Kill', means: 'As a power cut would: nothing is finished.', done: 'Killed' },
  { act: 'start', title: 'Start', means: 'It recovers from its disk, and catches up.', done: 'Started' },
  {
    act: 'pause',
    title: 'Pause',
    means: 'It keeps its connections and says nothing, like a hanging machine.',
    done: 'Paused',
  },
  { act: 'resume', title: 'Resume', means: 'It goes on where it stood.', done: 'Resumed' },
  { act: 'partition', title: 'Cut off', means: 'They reach each other, and nobody else.', done: 'Cut off' },
  { act: 'heal', title: 'Heal all links', means: 'Everybody reaches everybody again.', done: 'All links are healed' },
  {
    act: 'corrupt',
    title: 'Sign wrongly',
    means: 'Its votes do not verify: bisection finds it, and it is blocked.',
    done: 'Signing wrongly',
  },
  {
    act: 'mend',
    title: 'Sign rightly',
    means: 'Its votes verify again; unblock it under Peers.',
    done: 'Signing rightly',
  },
];

export function possible(act: FleetAct, names: readonly string[], entries: readonly FleetEntry[]): boolean {
  if (act === 'heal') return entries.some(({ cutFrom }) => cutFrom.length > 0);
  const targets = entries.filter(({ name }) => names.includes(name));
  if (targets.length === 0) return false;
  switch (act) {
    case 'start':
      return targets.every(({ process }) => process === 'stopped');
    case 'resume':
      return targets.every(({ process }) => process === 'paused');
    case 'pause':
      return targets.every(({ process }) => process === 'running');
    case 'stop':
    case 'kill':
      return targets.every(({ process }) => process !== 'stopped');
    case 'partition':
      return targets.length < entries.length;
    case 'corrupt':
      return targets.every(({ corrupt, validator }) => !corrupt && validator !== null);
    case 'mend':
      return targets.every(({ corrupt }) => corrupt);
    default:
      return act satisfies never;
  }
}
