/**
 * Stops a node whose program does not know the rules of the next epoch, or that lacks an artifact of it: it commits the boundary, executes
 * and signs nothing above it, and says what to install.
 *
 *   sealed: version above the known one, or an artifact that is missing --moved--> boundary committed, or long enough waited for --> stop
 */
import type { Application } from '@slipstream/consensus';
import type { Config } from '@slipstream/node-home';
import type { ArtifactTable } from '@slipstream/node-home/applications';
import type { Clock } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import { type Epoch, type EpochRecord, type Genesis, RULES_VERSION } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import type { FloorMark } from '../storage/floor-mark.ts';
import type { NodeEpochs } from './node-epochs.ts';

/** Peers may certify only a block above the boundary, which this program cannot execute. */
const WAIT_MS = 60_000;

/** Of the program; on a development chain it may be configured, to play an upgrade. */
export function knownVersion(config: Config, { development }: Pick<Genesis, 'development'>): number {
  const configured = config['development.rulesVersion'];
  return development && configured > 0 ? configured : RULES_VERSION;
}

/** What this node can execute. */
export interface Known {
  /** Newest version of the rules that the program knows. */
  readonly version: number;
  readonly artifacts: Pick<ArtifactTable, 'has'>;
}

type Named = Pick<EpochRecord, 'version'> & { readonly parameters: Pick<EpochRecord['parameters'], 'applications'> };

/** Throws NodeError `version-unknown`, `application-missing`. */
export function refuseUnknownRules(record: EpochRecord, { version: known, artifacts }: Known): void {
  const { epoch, version } = record;
  const number = record.parameters.applications.findIndex((hash) => !artifacts.has(hash));
  const missing = record.parameters.applications[number];
  if (version <= known && missing !== undefined) {
    const message =
      `epoch ${epoch} runs application ${number} with artifact ${to0x(missing)}, which this node lacks: it stops at the end of the epoch before. ` +
      'Accept it (slipstream app accept FILE), and start the node on this folder; nothing is lost';
    throw new NodeError('application-missing', message, { epoch, number, hash: to0x(missing) });
  }
  if (version <= known) return;
  const message =
    `epoch ${epoch} has version ${version} of the rules, and this program knows version ${known}: it stops at the end of the epoch before. ` +
    'Install a program that knows the version, and start it on this folder; nothing is lost';
  throw new NodeError('version-unknown', message, { epoch, version, known });
}

function acceptedLate({ epoch }: EpochRecord): NodeError {
  const message = `epoch ${epoch} began before this node had accepted its artifacts: start the node again; nothing is lost`;
  return new NodeError('application-missing', message, { epoch });
}

interface StopParts {
  readonly epochs: Pick<NodeEpochs, 'of' | 'record' | 'onChanged'>;
  readonly committedHeight: () => number;
  readonly floorMark: Pick<FloorMark, 'raise'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly fail: (error: unknown) => void;
}

export interface KnownRules {
  /** Also whether its artifacts are here. False: this node follows, signs nothing and stops soon. `record`: for an epoch that is only in the log after a restart. */
  isKnown(epoch: Epoch, record?: Named): boolean;
  /** As `isKnown`, for an epoch that begins: what it lacked then it lacks until a restart, since this node has passed votes and blocks. */
  enters(epoch: Epoch, record?: Named): boolean;
  /** Call before the first write of the record's epoch: raises the floor mark (E12), unless the rules are unknown. */
  begin(record: Named & Pick<EpochRecord, 'epoch'>): void;
  /** Blocks of an epoch with unknown rules are not executed, and never final here. */
  guard(application: Application): Application;
  /** Call after each commit. */
  committed(): void;
  stop(): void;
}

export function createKnownRules(
  { epochs, committedHeight, floorMark, clock, fail }: StopParts,
  known: Known,
): KnownRules {
  let boundaryHeight: number | undefined;
  let cancel = () => {};

  /** Begun without them. */
  const lacking = new Set<Epoch>();

  const isKnown: KnownRules['isKnown'] = (epoch, record: Named | undefined = epochs.of(epoch)) =>
    record === undefined ||
    (!lacking.has(epoch) &&
      record.version <= known.version &&
      record.parameters.applications.every(known.artifacts.has));

  function stopNode(): void {
    cancel();
    try {
      refuseUnknownRules(epochs.record(), known);
      fail(acceptedLate(epochs.record()));
    } catch (error) {
      fail(error);
    }
  }

  function committed(): void {
    if (boundaryHeight !== undefined && committedHeight() >= boundaryHeight && !isKnown(epochs.record().epoch))
      stopNode();
  }

  epochs.onChanged((change) => {
    if (change !== 'moved' || isKnown(epochs.record().epoch)) return;
    cancel = clock.after(WAIT_MS, stopNode);
    committed();
  });

  return {
    isKnown,
    enters(epoch, record) {
      const enters = isKnown(epoch, record);
      if (!enters) lacking.add(epoch);
      return enters;
    },
    begin(record) {
      if (isKnown(record.epoch, record)) floorMark.raise(record.version);
    },
    guard: (application) => ({
      ...application,
      execute: (blockId, block) => (isKnown(block.epoch) ? application.execute(blockId, block) : new Promise(() => {})),
      finalized(blockId, block, certificate) {
        if (isKnown(block.epoch)) application.finalized(blockId, block, certificate);
      },
      moved(end) {
        boundaryHeight = end.block.height;
        application.moved?.(end);
      },
    }),
    committed,
    stop: () => cancel(),
  };
}
