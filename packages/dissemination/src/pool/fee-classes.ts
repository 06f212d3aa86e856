/**
 * Fee classes: ready transactions in packing order.
 *
 *   urgent    o o o o o --\ three parts of four, while both wait
 *                          }--> chunk
 *   ordinary  o o o o o --/ one part of four
 *
 * First in, first out within a class. maxFee is only reserved, so urgency costs a larger balance and no fee; the share bounds it.
 *
 * A transaction counts by its largest dimension as a part of a block. A class keeps its turn until one of its transactions is taken. A
 * transaction taken out of turn, because none of the other class fits, is not counted. So no class owes or saves up more than one
 * transaction earns.
 *
 * Source: M. Shreedhar, G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", 1995.
 */
import type { Units } from '@slipstream/types';
import type { FeeClass } from './fee-class.ts';
import type { PoolTransaction } from './pool-transaction.ts';

/** `enough`: not judged, and no more are wanted. */
export type OfferResult = 'taken' | 'passed' | 'enough';

export interface FeeClassQueues {
  has(id: string): boolean;
  /** The id must be new. */
  add(entry: PoolTransaction, sinceMs: number): void;
  remove(id: string): PoolTransaction | undefined;
  /** Offers each at most once until `enough`. Nothing may be added or removed meanwhile. */
  offer(judge: (entry: PoolTransaction) => OfferResult): void;
  clear(): void;
  countOf(feeClass: FeeClass): number;
  readonly count: number;
  /** Monotonic time of the oldest. */
  readonly oldestSinceMs: number | undefined;
}

interface Ready {
  readonly entry: PoolTransaction;
  readonly sinceMs: number;
}

type Queue = Map<string, Ready>;

/** For each part of the ordinary class. */
const URGENT_PARTS = 3;
/** Of a block: integers, which add up exactly. A plain transfer takes some thirty thousand. */
const BLOCK_PARTS = 2 ** 30;

export function createFeeClassQueues(blockUnits: () => Units): FeeClassQueues {
  const queues: Readonly<Record<FeeClass, Queue>> = { urgent: new Map(), ordinary: new Map() };
  /** Each queue's first entry, once asked for: to find it is to step over the holes of all that a chunk took. */
  const oldest: Record<FeeClass, Ready | undefined> = { urgent: undefined, ordinary: undefined };
  /** In BLOCK_PARTS, the urgent class's excess. Above 0 an ordinary transaction is next. */
  let urgentLead = 0;

  function countTaken(entry: PoolTransaction): void {
    if (entry.feeClass !== nextClass(urgentLead)) return;
    const part = partsOfBlock(entry.units, blockUnits());
    urgentLead += entry.feeClass === 'urgent' ? part : -part * URGENT_PARTS;
  }

  function offer(judge: (entry: PoolTransaction) => OfferResult): void {
    const urgent = queues.urgent.values();
    const ordinary = queues.ordinary.values();
    let nextUrgent = urgent.next().value;
    let nextOrdinary = ordinary.next().value;
    while (true) {
      const isUrgent = nextOrdinary === undefined || (nextUrgent !== undefined && nextClass(urgentLead) === 'urgent');
      const next = isUrgent ? nextUrgent : nextOrdinary;
      if (next === undefined) return;
      const offered = judge(next.entry);
      if (offered === 'enough') return;
      if (offered === 'taken') countTaken(next.entry);
      if (isUrgent) nextUrgent = urgent.next().value;
      else nextOrdinary = ordinary.next().value;
    }
  }

  function remove(id: string): PoolTransaction | undefined {
    // Most are ordinary; where execution is free, all are.
    const known = queues.ordinary.get(id) ?? (queues.urgent.size > 0 ? queues.urgent.get(id) : undefined);
    if (known === undefined) return undefined;
    const { feeClass } = known.entry;
    queues[feeClass].delete(id);
    if (oldest[feeClass] === known) oldest[feeClass] = undefined;
    return known.entry;
  }

  function oldestOf(feeClass: FeeClass): Ready | undefined {
    oldest[feeClass] ??= queues[feeClass].values().next().value;
    return oldest[feeClass];
  }

  function oldestSinceMs(): number | undefined {
    const [urgent, ordinary] = [oldestOf('urgent')?.sinceMs, oldestOf('ordinary')?.sinceMs];
    return urgent === undefined || ordinary === undefined ? (urgent ?? ordinary) : Math.min(urgent, ordinary);
  }

  return {
    has: (id) => queues.ordinary.has(id) || queues.urgent.has(id),
    add: (entry, sinceMs) => void queues[entry.feeClass].set(entry.id, { entry, sinceMs }),
    remove,
    offer,
    clear() {
      queues.urgent.clear();
      queues.ordinary.clear();
      oldest.urgent = undefined;
      oldest.ordinary = undefined;
    },
    countOf: (feeClass) => queues[feeClass].size,
    get count() {
      return queues.urgent.size + queues.ordinary.size;
    },
    get oldestSinceMs() {
      return oldestSinceMs();
    },
  };
}

function nextClass(lead: number): FeeClass {
  return lead > 0 ? 'ordinary' : 'urgent';
}

/** Above 0: every transaction has bytes. Nothing may use a dimension with limit 0. */
function partsOfBlock(units: Units, blockUnits: Units): number {
  let part = 0;
  for (let i = 0; i < units.length; i++) {
    const limit = blockUnits[i] as number;
    if (limit > 0) part = Math.max(part, (units[i] as number) / limit);
  }
  return Math.ceil(part * BLOCK_PARTS);
}
