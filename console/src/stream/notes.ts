/** Texts of events that an operator should know of. */

import type { NodeEvent, Peer } from '@slipstream/schema';
import { counted } from '../design/format.ts';
import type { Activity } from './snapshot.ts';

export type Note = Pick<Activity, 'tone' | 'text' | 'subject'>;

/** Undefined for an ordinary event. `nameOf` names a peer by its key. */
export function noteOf({ type, data }: NodeEvent, nameOf: (peer: string) => string): Note | undefined {
  switch (type) {
    case 'bisection':
      return note('warn', `Invalid votes in view ${data.view} from ${members(data.offenders)}`);
    case 'evidence':
      return note('bad', `Validator ${data.offender} signed two ${data.type} in view ${data.view}`);
    case 'epoch.sealed':
      return note('info', `Epoch ${data.epoch} is sealed: ${counted(data.members, 'validator')}`);
    case 'epoch.begun':
      return note('info', `Epoch ${data.epoch} began: ${counted(data.members.length, 'validator')}`);
    case 'view.nullified': {
      const subject = `nullified ${data.leader} ${data.reason}`;
      return note('warn', `View ${data.view} nullified: ${data.reason}, leader ${data.leader}`, subject);
    }
    case 'alert.raised':
      return note(data.severity === 'critical' ? 'bad' : 'warn', `Alert: ${data.message}`);
    case 'alert.cleared':
      return note('good', `Alert cleared: ${data.rule}`);
    case 'peer.connected':
      return note('info', `${peerName(data, data.peer)} connected`);
    case 'peer.lost':
      return note('warn', `${nameOf(data.peer)} lost: ${data.reason}`);
    case 'peer.blocked':
      return note('bad', `${nameOf(data.peer)} blocked: ${data.reason}`);
    case 'peer.unblocked':
      return note('info', `${nameOf(data.peer)} unblocked by an operator`);
    default:
      return undefined;
  }
}

function note(tone: Note['tone'], text: string, subject = text): Note {
  return { tone, text, subject };
}

function members(indices: readonly number[]): string {
  return `validator${indices.length === 1 ? '' : 's'} ${indices.join(', ')}`;
}

export function peerName(peer: Peer | undefined, key: string): string {
  if (peer?.name !== undefined) return peer.name;
  if (typeof peer?.validator === 'number') return `Validator ${peer.validator}`;
  return `Peer ${key.slice(0, 10)}…`;
}
