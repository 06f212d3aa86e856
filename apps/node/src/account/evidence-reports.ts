/**
 * Evidence that this node holds and the chain does not know yet: of each key the first.
 *
 *   evidence --signatures checked--> held --this node's turn--> reportEquivocation --the state says so--> forgotten
 *
 * Every node that saw a contradiction holds evidence, and one report is enough: members take turns by index, full nodes come last.
 */
import {
  evidenceRefusal,
  type FetchedEntries,
  readKeyUse,
  recordHeadKey,
  usedKey,
  validatorKey,
} from '@slipstream/execution';
import type { Clock, Random, Verifier } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  contradictionOf,
  type Epoch,
  type EpochRecord,
  type Evidence,
  type GenesisHash,
  type ReportEquivocation,
} from '@slipstream/types';
import { epochOfEvidence, reportOf } from './equivocation-report.ts';
import { type Place, TURN_MS, turnOf } from './turns.ts';

export interface EvidenceReports {
  /** Resolves once it is held, known before or passed over. */
  add(evidence: Evidence): Promise<void>;
  /** Those among the oldest that would change nothing: the state has a report of the key, or it is too late. */
  reported(entries: FetchedEntries, nowMs: number): readonly ReportEquivocation[];
  forget(reports: readonly ReportEquivocation[]): void;
  /** Those among the oldest whose turn has come. */
  due(): readonly ReportEquivocation[];
}

interface ReportsParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Pick<Random, 'below'>;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
  readonly recordOf: (epoch: Epoch) => Promise<EpochRecord | undefined>;
  readonly place: () => Place;
}

interface Held {
  readonly report: ReportEquivocation;
  readonly fromMs: number;
}

/** As many as the largest committee has members. */
const HELD_MAX = 1_024;
const LOOKED_AT_MAX = 32;
/** As many as a start reads from the ledger. */
const CHECKS_WAITING_MAX = 1_024;

export function createEvidenceReports(
  { clock, random, verifier, recordOf, place }: ReportsParts,
  genesisHash: GenesisHash,
): EvidenceReports {
  const held = new Map<string, Held>();
  let checks: Promise<void> = Promise.resolve();
  let waiting = 0;

  const oldest = () => [...held.values()].slice(0, LOOKED_AT_MAX);

  async function check(evidence: Evidence): Promise<void> {
    const record = await recordOf(epochOfEvidence(evidence));
    const key = record?.members[evidence.offender]?.blsPublicKey;
    if (key === undefined || held.has(toHex(key)) || held.size >= HELD_MAX) return;
    const report = reportOf(evidence, key);
    const messages = contradictionOf(genesisHash, report);
    if (messages === undefined) return;
    const signatures = [report.first.signature, report.second.signature];
    const statements = messages.map((message, at) => ({
      ...({ kind: 'aggregate', publicKeys: [key], message } as const),
      aggregate: signatures[at] as Uint8Array,
    }));
    const holds = await verifier.checkBatch(statements, 'client');
    if (holds.includes(false)) return;
    const turns = turnOf(place(), key[key.length - 1] as number, random);
    held.set(toHex(key), { report, fromMs: clock.monotonicMs() + turns * TURN_MS + random.below(TURN_MS / 2) });
  }

  return {
    /** One after another: of many by one key the first is checked, and the verifier's queue for clients stays short. */
    async add(evidence) {
      if (waiting >= CHECKS_WAITING_MAX) return;
      waiting++;
      const added = checks.then(() => check(evidence));
      checks = added
        .catch(() => {}) // its caller reports it
        .then(() => {
          waiting--;
        });
      await added;
    },

    reported(entries, nowMs) {
      const reports = oldest().map(({ report }) => report);
      entries.want(reports.map(({ blsPublicKey }) => usedKey(blsPublicKey)));
      const uses = reports.flatMap(({ blsPublicKey }) => readKeyUse(entries, blsPublicKey) ?? []);
      entries.want(uses.map(({ validatorId }) => validatorKey(validatorId)));
      entries.want(uses.flatMap(({ lastEpoch }) => (lastEpoch === undefined ? [] : [recordHeadKey(lastEpoch)])));
      return reports.filter(({ blsPublicKey }) => evidenceRefusal(entries, blsPublicKey, nowMs) !== undefined);
    },

    forget(reports) {
      for (const { blsPublicKey } of reports) held.delete(toHex(blsPublicKey));
    },

    due() {
      const nowMs = clock.monotonicMs();
      return oldest().flatMap(({ report, fromMs }) => (fromMs <= nowMs ? [report] : []));
    },
  };
}
