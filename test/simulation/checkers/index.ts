/** Independent of the production predicates: they decode frames, read reports, and end the run at the first violation. */
import type { SimEvent, Simulation } from '@slipstream/simulator';
import { type BlockingRecord, createBlockingRecord } from './blocking.ts';
import { checkCertificates } from './certificate-validity.ts';
import { collectSignatures } from './double-signing.ts';
import { checkDurability, type DurableFiles } from './durable-before-sent.ts';
import { createFinalityRecord, type FinalityRecord } from './finality.ts';
import { createPayloadRecord } from './payloads.ts';
import { type CheckedLies, QUORUM_CHECKED } from './quorum-checks.ts';
import { observeSent } from './sent-messages.ts';
import { checkVoteParents } from './vote-parents.ts';
import type { ReportedEvent, Watched } from './watched.ts';

export interface ProtocolChecks {
  readonly finality: FinalityRecord;
  readonly blocking: BlockingRecord;
  readonly counts: {
    /** The highest that an honest node entered. */
    views: number;
    bisections: number;
    evidence: number;
    readonly exits: string[];
  };
  readonly nullified: ReadonlyMap<number, number>;
  /** Once per call: its disk or executor is broken on purpose. */
  mayExit(peer: string): void;
  filesLost(peer: string): void;
  /** It may nullify a view that it finalized (rule 5a), unless a peer blocks it for that. */
  recovered(peer: string): void;
}

export function installCheckers(simulation: Simulation, watched: Watched, durableFiles: DurableFiles): ProtocolChecks {
  const finality = createFinalityRecord(watched);
  const blocking = createBlockingRecord(watched);
  const payloads = createPayloadRecord();
  const signatures = collectSignatures(watched);
  const counts = { views: 0, bisections: 0, evidence: 0, exits: [] as string[] };
  const nullified = new Map<number, number>();
  const allowedExits = new Set<string>();
  const listeners = [
    signatures,
    checkDurability(durableFiles),
    checkCertificates(simulation, watched),
    payloads,
    checkVoteParents(watched),
  ];

  function count({ type, fields }: ReportedEvent): void {
    if (type === 'view.entered') counts.views = Math.max(counts.views, Number(fields.view));
    else if (type === 'view.nullified') nullified.set(Number(fields.view), Number(fields.leader));
    else if (type === 'bisection') counts.bisections++;
    else if (type === 'evidence') counts.evidence++;
  }

  simulation.addChecker('messages', observeSent(watched, listeners));
  simulation.addChecker('reports', (event: SimEvent, { check, nowMs }) => {
    blocking.settle(nowMs, check);
    if (event.type === 'started') blocking.started(event.node);
    if (event.type === 'crashed' || event.type === 'exited') blocking.ended(event.node);
    if (event.type === 'note' && event.name === QUORUM_CHECKED) {
      blocking.quorumChecked(event.node, event.data as CheckedLies, nowMs, check);
    }
    if (event.type === 'exited' && watched.isHonest(event.node)) {
      counts.exits.push(event.reason);
      check(allowedExits.delete(event.node), 'an honest node does not stop by itself', {
        node: event.node,
        reason: event.reason,
      });
    }
    if (event.type !== 'note' || event.name !== 'report' || !watched.isHonest(event.node)) return;
    const reported = event.data as ReportedEvent;
    count(reported);
    finality.report(event.node, reported, nowMs, check);
    blocking.report(event.node, reported, check);
    payloads.report(event.node, reported, check);
  });

  return {
    finality,
    blocking,
    counts,
    nullified,
    mayExit(peer) {
      allowedExits.add(peer);
    },
    filesLost(peer) {
      payloads.filesLost(peer);
      signatures.filesLost(peer);
    },
    recovered: (peer) => signatures.recovered(peer),
  };
}
