import { type Durable, declareDurable } from '@slipstream/primitives';
import { type Appended, durabilityOf, type RecordKind, type UnsyncedKind, type Wal } from '@slipstream/wal';

/** `append` gives the sequence. `sync` is called for each record that binds the node. */
export function createFakeLog(
  append: (kind: RecordKind, payload: Uint8Array) => number = () => 1,
  sync: () => Promise<void> = async () => {},
): Pick<Wal, 'append'> {
  function appendAny(kind: UnsyncedKind, payload: Uint8Array): number;
  function appendAny<Statement>(kind: RecordKind, payload: Uint8Array, statement: Statement): Appended<Statement>;
  function appendAny<Statement>(kind: RecordKind, payload: Uint8Array, statement?: Statement) {
    const sequence = append(kind, payload);
    if (durabilityOf(kind) !== 'synced') return sequence;
    const durable: Promise<Durable<Statement>> = sync().then(() => declareDurable(statement as Statement));
    durable.catch(() => {}); // the test may have failed the log
    return { sequence, durable };
  }
  return { append: appendAny };
}
