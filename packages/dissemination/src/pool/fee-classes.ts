/**
 * Fee classes: ready transactions in the order in which they are packed.
 *
 *   urgent    o o o o o --\ three parts of four, while both wait
 *                          }--> chunk
 *   ordinary  o o o o o --/ one part of four
 *
 * First in, first out within a class. maxFee is only reserved, so an urgent transaction costs a larger balance and no higher fee. The share
 * is what bounds it: neither class keeps the other out.
 *
 * Parts are counted in the part of a block that a transaction takes (its largest dimension), not in numbers: otherwise three large ones
 * would pass for each small one. A class whose turn it is goes on until one of it is taken; what does not fit costs it nothing. What is
 * taken out of turn, because the other class has nothing that fits, is not counted. So no class owes, or saves up, more than what one
 * transaction earns.
 *
 * Source of the turns: M. Shreedhar, G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", 1995.
 */
import type { Units } from '@slipstream/types';
import type { FeeClass } from './fee-class.ts';
import type { PoolTransaction } from './pool-transaction.ts';

/** What became of an offered transaction; `enough`: it was not judged, and no more are wanted. */
export type OfferResult = 'taken' | 'passed' | 'enough';

export interface FeeClassQueues {
  has(id: string): boolean;
  /** Its id must not be here. */
  add(entry: PoolTransaction, sinceMs: number): void;
  /** Undefined when it was not here. */
  remove(id: string): PoolTransaction | undefined;
  /** Offers each at most once, by turns, until `enough`. Nothing may be added or removed meanwhile. */
  offer(judge: (entry: PoolTransaction) => OfferResult): void;
  countOf(feeClass: FeeClass): number;
  readonly count: number;
  /** Since when the oldest is here, monotonic; undefined when nothing is. */
  readonly oldestSinceMs: number | undefined;
}

interface Ready {
  readonly entry: PoolTransaction;
  readonly sinceMs: number;
}

type Queue = Map<string, Ready>;

/** For each part of the ordinary class. */
const URGENT_PARTS = 3;
/** Of a block: whole numbers, which add up exactly. A plain transfer takes some thirty thousand. */
const BLOCK_PARTS = 2 ** 30;

export function createFeeClassQueues(blockUnits: Units): FeeClassQueues {
  const queues: Readonly<Record<FeeClass, Queue>> = { urgent: new Map(), ordinary: new Map() };
  /** In BLOCK_PARTS, what the urgent class has had beyond its share. Above 0 an ordinary transaction is next. */
  let urgentLead = 0;

  function countTaken(entry: PoolTransaction): void {
    if (entry.feeClass !== nextClass(urgentLead)) return;
    const part = partsOfBlock(entry.units, blockUnits);
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
    // Most are ordinary, and where execution is free all are.
    const known = queues.ordinary.get(id) ?? (queues.urgent.size > 0 ? queues.urgent.get(id) : undefined);
    if (known !== undefined) queues[known.entry.feeClass].delete(id);
    return known?.entry;
  }

  function oldestSinceMs(): number | undefined {
    const [urgent, ordinary] = [firstSinceMs(queues.urgent), firstSinceMs(queues.ordinary)];
    return urgent === undefined || ordinary === undefined ? (urgent ?? ordinary) : Math.min(urgent, ordinary);
  }

  return {
    has: (id) => queues.ordinary.has(id) || queues.urgent.has(id),
    add: (entry, sinceMs) => void queues[entry.feeClass].set(entry.id, { entry, sinceMs }),
    remove,
    offer,
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

function firstSinceMs(queue: Queue): number | undefined {
  for (const { sinceMs } of queue.values()) return sinceMs;
  return undefined;
}

/** Above 0: every transaction has bytes. A dimension without a limit above 0 is one that nothing may take. */
function partsOfBlock(units: Units, blockUnits: Units): number {
  let part = 0;
  for (let i = 0; i < units.length; i++) {
    const limit = blockUnits[i] as number;
    if (limit > 0) part = Math.max(part, (units[i] as number) / limit);
  }
  return Math.ceil(part * BLOCK_PARTS);
}
