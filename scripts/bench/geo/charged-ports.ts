/** A node's ports, each charged with its cost on the node's machine in virtual time. */
import type { Clock, Disk, DiskFile, PeerKey, Signer, Statement, Transport, Verifier } from '@slipstream/ports';
import { frameNameOf } from '@slipstream/types';
import type { Costs, WorkKind } from './costs.ts';
import type { Thread } from './machine.ts';

export interface Machine {
  readonly costs: Costs;
  readonly main: Thread;
  readonly checking: Thread;
  /** Before each work of the main thread and for each sent frame. */
  readonly meter: Meter;
}

/** Attributes a run's real time to kinds of work. */
export interface Meter {
  works(kind: WorkKind): void;
  /** The simulated network's time belongs to no member. */
  sending<T>(send: () => T, frame?: Uint8Array): T;
}

export interface Ports {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly verifier: Verifier;
  readonly signer: Signer;
}

/** Frames leave before others are handled; a node's own signatures precede checks. */
const URGENT = { urgent: true };

export function chargedPorts({ transport, clock, disk, verifier, signer }: Ports, machine: Machine): Ports {
  return {
    transport: chargedTransport(transport, machine),
    clock: chargedClock(clock, machine),
    disk: chargedDisk(disk, machine),
    verifier: chargedVerifier(verifier, machine),
    signer: chargedSigner(signer, machine),
  };
}

/** A frame is handled when the main thread is free, and leaves when it has sent it. */
function chargedTransport(transport: Transport, { costs, main, meter }: Machine): Transport {
  let handle: (from: PeerKey, lane: Parameters<Transport['send']>[1], frame: Uint8Array) => void = () => {};
  transport.onFrame((from, lane, frame) => {
    const name = frameNameOf(frame);
    const kind: WorkKind = name === 'consensus' || name === 'proposal' || name === 'heartbeat' ? name : 'other';
    main.run(costs.frameInMs + costs.workMs(kind), () => {
      meter.works(kind);
      handle(from, lane, frame);
    });
  });
  return {
    ...transport,
    self: transport.self,
    onFrame(handler) {
      handle = handler;
    },
    send(peer, lane, frame) {
      main.run(costs.frameOutMs, () => meter.sending(() => transport.send(peer, lane, frame), frame), URGENT);
      return true;
    },
    broadcast(lane, frame) {
      // Frames leave one after another; the simulation sends all when half would be sent.
      const halfMs = (costs.frameOutMs * transport.peers().length) / 2;
      main.run(halfMs, () => meter.sending(() => transport.broadcast(lane, frame), frame), URGENT);
      main.run(halfMs, () => {}, URGENT);
    },
  };
}

/** Code after a sync continues when the main thread is free. */
function chargedDisk(disk: Disk, { main, costs, meter }: Machine): Disk {
  const charged = (file: DiskFile): DiskFile => ({
    ...file,
    async sync() {
      await file.sync();
      await new Promise<void>((resolve) => {
        main.run(costs.workMs('synced'), () => {
          meter.works('synced');
          resolve();
        });
      });
    },
  });
  return { ...disk, open: async (path, options) => charged(await disk.open(path, options)) };
}

function chargedClock(clock: Clock, { main, costs, meter }: Machine): Clock {
  return {
    ...clock,
    after: (delayMs, action) =>
      clock.after(delayMs, () => {
        main.run(costs.workMs('timer'), () => {
          meter.works('timer');
          action();
        });
      }),
  };
}

/** The verifier thread works for so long, and the main thread takes its answer. */
export function answering({ checking, main, costs, meter }: Machine) {
  return <T>(costMs: number, work: () => Promise<T>, urgent = false): Promise<T> =>
    new Promise((resolve, reject) => {
      checking.run(
        costMs,
        () => {
          work().then((value) => {
            main.run(costs.workMs('answer'), () => {
              meter.works('answer');
              resolve(value);
            });
          }, reject);
        },
        { urgent, hopMs: costs.hopMs },
      );
    });
}

function chargedSigner(signer: Signer, machine: Machine): Signer {
  const answer = answering(machine);
  const { costs } = machine;
  return {
    publicKey: signer.publicKey,
    sign: (messages) => answer(costs.signMs * messages.length, () => signer.sign(messages), true),
  };
}

/** As if it were alone: more than it costs in a batch. */
function statementMs(costs: Costs, statement: Statement): number {
  return statement.kind === 'certificate' ? costs.certificateMs(statement.signers.length) : costs.proposalCheckMs;
}

function chargedVerifier(verifier: Verifier, machine: Machine): Verifier {
  const answer = answering(machine);
  const { costs } = machine;
  return {
    checkQuorum(request) {
      const { votes } = request;
      const costMs = votes.every(({ verified }) => verified) ? costs.sumMs(votes.length) : costs.quorumMs(votes.length);
      return answer(costMs, () => verifier.checkQuorum(request));
    },
    checkVote: (...request) => answer(costs.proposalCheckMs, () => verifier.checkVote(...request)),
    checkCertificate: (request, priority) =>
      answer(costs.certificateMs(request.signers.length), () => verifier.checkCertificate(request, priority)),
    checkAggregate: (request, priority) => verifier.checkAggregate(request, priority),
    checkBatch: (batch, priority) => {
      const ms = batch.reduce((sum, statement) => sum + statementMs(costs, statement), 0);
      return answer(ms, () => verifier.checkBatch(batch, priority));
    },
    checkAccounts: (batch, priority) =>
      answer(costs.accountMs * batch.length, () => verifier.checkAccounts(batch, priority)),
  };
}
