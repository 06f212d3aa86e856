/** Appends what votes rest on to the log: their sync covers it. Own messages are appended by outgoing.ts. */
import { unreachable } from '@slipstream/primitives';
import type { Wal } from '@slipstream/wal';
import type { Effect } from './events.ts';
import type { LogMarks } from './log-marks.ts';
import { blockRecord, certificateRecord, epochRecord } from './records.ts';

export type PersistEffect = Extract<Effect, { type: 'persist-block' | 'persist-certificate' | 'persist-epoch' }>;

export function createLogAppender(
  wal: Pick<Wal, 'append'>,
  marks: Pick<LogMarks, 'add'>,
): (effect: PersistEffect) => void {
  return (effect) => {
    const { view, record } = recordOf(effect);
    marks.add(view, wal.append(record.kind, record.payload));
  };
}

function recordOf(effect: PersistEffect) {
  switch (effect.type) {
    case 'persist-block':
      return { view: effect.block.view, record: blockRecord(effect.block) };
    case 'persist-certificate':
      return { view: effect.certificate.subject.view, record: certificateRecord(effect.certificate) };
    case 'persist-epoch':
      return { view: effect.begun.end.block.view, record: epochRecord(effect.begun) };
    default:
      return unreachable(effect, 'effect');
  }
}
