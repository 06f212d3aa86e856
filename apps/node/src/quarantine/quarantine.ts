/**
 * Quarantine: actions of applications that this node keeps away from blocks, since a call of one ran without end here, or by its operator's word.
 *
 *   watchdog names a call, or operator an action --> data/quarantine.json --> pools refuse its calls, own blocks leave its transaction out
 *
 * INVARIANT (applications.md, A22): it changes what this node proposes and takes into its pool, never what a block does. Blocks that have such
 * a call are executed, voted on and served as any other.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import type { Telemetry } from '@slipstream/ports';
import type { QuarantineView } from '@slipstream/schema';
import type { Transaction } from '@slipstream/types';

export interface Quarantine {
  /** For the submitter; undefined: no call of the transaction is in quarantine. */
  refusalOf(transaction: Transaction): string | undefined;
  /** Whether a chunk holds a transaction that ran without end here. Lower-case hexadecimal ids. */
  holds(ids: readonly string[]): boolean;
  /** In the file when it returns: the node may be about to stop. True also for one that is there; false: the list is full. */
  add(entry: QuarantineView): boolean;
  /** False: it is not there. */
  lift(application: string, action: number): boolean;
  list(): readonly QuarantineView[];
}

/** More are not added: an operator who has so many stops the application by an upgrade. */
const ENTRIES_MAX = 64;

/** @param folder the data folder */
export function openQuarantine(folder: string, telemetry: Pick<Telemetry, 'log' | 'gauge'>): Quarantine {
  const path = join(folder, DATA.quarantine);
  let entries = readEntries(path, telemetry);
  let ids = idsOf(entries);
  const gauge = () => telemetry.gauge('node_quarantined_actions', entries.length);
  const find = (application: string, action: number) =>
    entries.find((each) => each.application === application && each.action === action);

  function keep(next: readonly QuarantineView[]): void {
    writeFileSync(`${path}.new`, JSON.stringify(next), { flush: true });
    renameSync(`${path}.new`, path);
    entries = next;
    ids = idsOf(next);
    gauge();
  }

  gauge();
  return {
    refusalOf({ body }) {
      if (entries.length === 0) return undefined;
      for (const action of body.actions) {
        const found = action.kind === 'call' ? find(action.application, action.action) : undefined;
        if (found === undefined) continue;
        return `this node keeps calls of ${found.application}.${found.name} out of its blocks (quarantine): ask its operator, or another node`;
      }
      return undefined;
    },
    holds: (of) => ids.size > 0 && of.some((id) => ids.has(id)),
    add(entry) {
      if (find(entry.application, entry.action) !== undefined) return true;
      if (entries.length >= ENTRIES_MAX) return false;
      keep([...entries, entry]);
      telemetry.log('warn', `calls of ${entry.application}.${entry.name} are in quarantine at this node`, {
        by: entry.by,
      });
      return true;
    },
    lift(application, action) {
      const found = find(application, action);
      if (found === undefined) return false;
      keep(entries.filter((each) => each !== found));
      telemetry.log('info', `calls of ${application}.${found.name} are no longer in quarantine at this node`);
      return true;
    },
    list: () => entries,
  };
}

function idsOf(entries: readonly QuarantineView[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ transaction }) => (transaction === undefined ? [] : [transaction.slice(2)])));
}

/** A damaged file is no reason to stop: it changes nothing that nodes agree on. */
function readEntries(path: string, telemetry: Pick<Telemetry, 'log'>): readonly QuarantineView[] {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (Array.isArray(found) && found.length <= ENTRIES_MAX && found.every(isEntry)) return found;
    throw new Error('it has another form');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    telemetry.log('warn', 'the quarantine of this node could not be read, and begins empty', { error: String(error) });
    return [];
  }
}

function isEntry(value: unknown): value is QuarantineView {
  if (typeof value !== 'object' || value === null) return false;
  const { application, action, name, by, sinceMs, transaction } = value as Readonly<Record<string, unknown>>;
  return (
    typeof application === 'string' &&
    Number.isSafeInteger(action) &&
    typeof name === 'string' &&
    (by === 'watchdog' || by === 'operator') &&
    Number.isSafeInteger(sinceMs) &&
    (transaction === undefined || (typeof transaction === 'string' && /^0x[0-9a-f]{64}$/.test(transaction)))
  );
}
