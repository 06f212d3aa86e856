/**
 * The broker in the API's thread: streams of clients there, state by its own reads, outcomes from the ledger; checks and offers by the main
 * thread.
 */
import type { DistillBroker, DistillStream } from '@slipstream/api';
import { type AccountState, createBroker } from '@slipstream/broker';
import { CLIENT_MESSAGE_BYTES_MAX, END_CLOSE_CODES, type EndReason } from '@slipstream/distilled/stream';
import { accountStateKey, decodeAccount, decodeRegistration, entryKey } from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import type { Clock, PeerKey, Random, Telemetry } from '@slipstream/ports';
import type { BrokerStats } from '@slipstream/schema';
import type { AccountKey, GenesisHash } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type CommittedHead, createBlockReports } from './block-reports.ts';
import type { BrokerLink } from './broker-link.ts';
import { createBrokerCounters } from './broker-stats.ts';
import type { ChainHead } from './wire.ts';

interface BrokerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly node: BrokerLink;
  readonly read: ReadStateValues;
  readonly ledger: Pick<LedgerReader, 'batches'>;
}

interface BrokerSetting {
  readonly broker: PeerKey;
  readonly genesisHash: GenesisHash;
}

export interface ApiBroker {
  readonly door: DistillBroker;
  /** Undefined: the node's parts are being exchanged. */
  chain(head: ChainHead | undefined): void;
  committed(block: CommittedHead, skipped: ReadonlySet<string>): void;
  view(): BrokerStats;
  stop(): void;
}

export function createApiBroker(parts: BrokerParts, { broker: peer, genesisHash }: BrokerSetting): ApiBroker {
  const { clock, node } = parts;
  const counters = createBrokerCounters(clock, parts.telemetry);
  const { telemetry } = counters;
  let head: ChainHead | undefined;
  const broker = createBroker(
    {
      ...parts,
      telemetry,
      chain: () => (head?.hasProducer ? head : undefined),
      accounts: createAccountReads(parts.read),
      checks: { login: node.checkLogin, shares: node.sumShares, stragglers: node.checkStragglers },
      offer: node.offerBatch,
    },
    { genesisHash, broker: peer },
  );
  const reports = createBlockReports({
    ...parts,
    telemetry,
    isAwaited: () => broker.stats().offered > 0,
    report: broker.committed,
  });
  let cancelReport = clock.after(REPORT_MS, report);

  function report(): void {
    cancelReport = clock.after(REPORT_MS, report);
    const { sessions, indices, rows, waiting, gathering, offered, offeredBytes, roundTripP95Ms } = broker.stats();
    telemetry.gauge('broker_sessions', sessions);
    telemetry.gauge('broker_indices', indices);
    telemetry.gauge('broker_rows_in_flight', rows);
    telemetry.gauge('broker_rows_waiting', waiting);
    telemetry.gauge('broker_batches_gathering', gathering);
    telemetry.gauge('broker_batches_offered', offered);
    telemetry.gauge('broker_offered_bytes', offeredBytes);
    telemetry.gauge('broker_round_trip_ms', roundTripP95Ms);
  }

  return {
    door: { messageBytesMax: CLIENT_MESSAGE_BYTES_MAX, open: (carrier, address) => openStream(carrier, address) },
    chain(next) {
      head = next;
    },
    committed: reports.committed,
    view: () => counters.read(broker.stats()),
    stop() {
      cancelReport();
      reports.stop();
      broker.stop();
    },
  };

  function openStream(carrier: Parameters<DistillBroker['open']>[0], address: string): DistillStream | undefined {
    const stream = broker.open(
      {
        send: carrier.send,
        unsentBytes: carrier.unsentBytes,
        terminate: carrier.terminate,
        close: (reason: EndReason, detail) =>
          carrier.close(END_CLOSE_CODES[reason], `${reason}: ${detail}`.slice(0, CLOSE_TEXT_MAX)),
      },
      address,
    );
    if (head?.hasProducer === false) stream?.end('no-validator', NO_VALIDATOR);
    return (
      stream && {
        message: stream.message,
        closed: stream.closed,
        stop: (detail) => stream.end('stopping', detail),
        notBinary: () => stream.end('malformed-message', 'messages are binary'),
      }
    );
  }
}

const NO_VALIDATOR = 'this node reaches no validator that packs its batches: connect to another broker';
const REPORT_MS = 1_000;
/** RFC 6455: 123 bytes. */
const CLOSE_TEXT_MAX = 120;

/** Entries never change. The oldest is forgotten first. */
const ENTRIES_MAX = 262_144;
/** Of one message to the executor: it reads them in one go. */
const READ_MAX = 1_024;

function createAccountReads(read: ReadStateValues) {
  const accountOf = new Map<number, AccountKey>();
  /** One iterator: a new one steps over the holes of all forgotten before. */
  const oldest = accountOf.keys();

  async function learn(indices: readonly number[]): Promise<void> {
    const { values } = await read(indices.map((index) => entryKey(index).bytes));
    for (const [i, index] of indices.entries()) {
      const entry = values[i];
      if (entry !== undefined) accountOf.set(index, decodeRegistration(entry.slice()).account);
      if (accountOf.size > ENTRIES_MAX) accountOf.delete(oldest.next().value as number);
    }
  }

  async function statesOf(indices: readonly number[]): Promise<readonly (AccountState | undefined)[]> {
    const unknown = indices.filter((index) => !accountOf.has(index));
    if (unknown.length > 0) await learn(unknown);
    const known = indices.filter((index) => accountOf.has(index));
    const { values } = await read(known.map((index) => accountStateKey(accountOf.get(index) as AccountKey).bytes));
    const states = new Map(
      known.map((index, i) => [index, stateOf(index, values[i], accountOf.get(index) as AccountKey)]),
    );
    return indices.map((index) => states.get(index));
  }

  return async (indices: Uint32Array): Promise<readonly (AccountState | undefined)[]> => {
    const states: (AccountState | undefined)[] = [];
    for (let at = 0; at < indices.length; at += READ_MAX) {
      states.push(...(await statesOf([...indices.subarray(at, at + READ_MAX)])));
    }
    return states;
  };
}

function stateOf(index: number, value: Uint8Array | undefined, account: AccountKey): AccountState {
  const { balance, registration } = decodeAccount(value);
  const mask = registration?.mask ?? 0n;
  return {
    balance,
    last: registration?.last ?? 0,
    mask: Uint32Array.of(Number(mask & 0xffff_ffffn), Number(mask >> 32n)),
    isRetired: registration?.index !== index,
    publicKey: account.scheme === 'ed25519' ? account.bytes : undefined,
  };
}
