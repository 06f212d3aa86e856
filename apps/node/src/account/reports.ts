/**
 * Reports of this node to its chain: that its keys are ready, and who signed a contradiction. An account of the node pays for them.
 *
 *   state, every few seconds --> what is missing there --> can be said now? --> sign --> pay and submit --> state
 *
 * The state alone tells whether a report arrived, so that nothing is stored over a restart; what is missing is sent again, more and more seldom.
 */
import type { ArtifactTable } from '@slipstream/node-home/applications';
import type { Clock, Signer, Telemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  type Action,
  compressSignature,
  type Evidence,
  type GenesisHash,
  type Ready,
  type ReportEquivocation,
  readyMessage,
} from '@slipstream/types';
import type { HeldKeys } from '../epochs/next-keys.ts';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { createAttempts } from './attempts.ts';
import type { EvidenceReports } from './evidence-reports.ts';
import type { NodeAccount } from './node-account.ts';
import { wantedReadiness } from './wanted-readiness.ts';

interface ReportVitals {
  /** Undefined: none is configured. */
  readonly account: { readonly name: string; readonly balance: bigint | undefined } | undefined;
  /** What the chain lacks of this node, and no account here can pay. */
  readonly unpaid: readonly Action['kind'][];
}

/** All that a node sends by itself. */
export interface OwnReports extends Pick<Reports, 'evidence' | 'stop'> {
  read(): AccountVitals;
}

export interface AccountVitals extends ReportVitals {
  /** Why issuers of sessions are not followed, one text each. */
  readonly unfollowed: readonly string[];
}

interface Reports {
  evidence(evidence: Evidence): void;
  read(): ReportVitals;
  stop(): void;
}

interface ReportParts {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly read: ReadStateValues;
  /** Undefined: nothing is sent. */
  readonly account: NodeAccount | undefined;
  readonly evidence: EvidenceReports;
  /** Synced, and connected to more than two thirds of the weight. */
  readonly isReady: () => boolean;
  readonly head: () => { readonly timestampMs: number; readonly height: number };
  readonly held: HeldKeys;
  /** Keys of a rotation may have been written since the start. */
  readonly readKeys: () => Promise<HeldKeys>;
  readonly signerOf: (publicKey: Uint8Array) => Signer | undefined;
}

interface ReportSetting {
  readonly genesisHash: GenesisHash;
  /** The newest version of the rules that this program knows. */
  readonly knownVersion: number;
  readonly artifacts: Pick<ArtifactTable, 'manifestOf'>;
}

const LOOK_MS = 2_000;

export function createReports(parts: ReportParts, { genesisHash, knownVersion, artifacts }: ReportSetting): Reports {
  const { clock, telemetry, read, account, evidence, held, isReady } = parts;
  const attempts = createAttempts(clock);
  let unpaid: readonly Action['kind'][] = [];
  let stopped = false;
  let cancel = () => {};

  async function look(): Promise<void> {
    const { timestampMs, height } = parts.head();
    const { value } = await readTogether(read, (entries) => ({
      readiness: wantedReadiness(entries, held, { known: knownVersion, artifacts, height: height + 1 }),
      reported: evidence.reported(entries, timestampMs),
    }));
    if (stopped) return;
    evidence.forget(value.reported);
    const due = evidence.due();
    const { ready, unread } = value.readiness;
    attempts.retain(new Set([...ready.map(nameOfReady), ...unread.map(nameOfKeys), ...due.map(nameOfReport)]));
    const missing = [
      ...(ready.length > 0 ? ['ready' as const] : []),
      ...(due.length > 0 ? ['reportEquivocation' as const] : []),
    ];
    if (account === undefined) unpaid = missing;
    await account?.readBalance();
    for (const keys of unread) await tried(nameOfKeys(keys), readNext);
    if (account === undefined) return;
    for (const each of ready) if (isReady()) await tried(nameOfReady(each), () => sendReady(account, each));
    const [report] = due.filter((each) => attempts.isDue(nameOfReport(each)));
    if (report !== undefined) await tried(nameOfReport(report), () => account.send(report));
    unpaid = account.isPoor() ? missing : [];
  }

  async function tried(what: string, act: () => Promise<unknown>): Promise<void> {
    if (stopped || !attempts.isDue(what)) return;
    let result: unknown;
    try {
      result = await act();
    } finally {
      // It is sent as soon as the account is funded. One that fails must not hold up the others at each check.
      if (result !== 'poor') attempts.tried(what);
    }
  }

  async function readNext(): Promise<void> {
    const { blsKeys, networkKeys } = await parts.readKeys();
    held.blsKeys = blsKeys;
    held.networkKeys = networkKeys;
  }

  async function sendReady(payer: NodeAccount, terms: Omit<Ready, 'kind' | 'signature'>) {
    const [signature] = (await parts.signerOf(terms.blsPublicKey)?.sign([readyMessage(genesisHash, terms)])) ?? [];
    if (signature === undefined) return undefined;
    return await payer.send({ kind: 'ready', ...terms, signature: compressSignature(signature) });
  }

  function next(): void {
    if (stopped) return;
    look()
      .catch((error: unknown) => {
        // Reads end with the executor, before this watch.
        if (!stopped) telemetry.log('debug', 'reports of this node failed', { error: String(error) });
      })
      .finally(() => {
        cancel = clock.after(LOOK_MS, next);
        if (stopped) cancel();
      });
  }

  next();
  return {
    evidence(found) {
      evidence.add(found).catch((error: unknown) => {
        if (!stopped) telemetry.log('warn', 'evidence could not be checked for a report', { error: String(error) });
      });
    },
    read: () => ({ account: account && { name: account.name, balance: account.balance() }, unpaid }),
    stop() {
      stopped = true;
      cancel();
    },
  };
}

type Named = Pick<Ready, 'blsPublicKey' | 'peerKey'>;

const nameOfKeys = ({ blsPublicKey, peerKey }: Named) => `keys ${toHex(blsPublicKey)} ${peerKey}`;
const nameOfReady = ({ epoch, version, artifacts, ...keys }: Named & Pick<Ready, 'epoch' | 'version' | 'artifacts'>) =>
  `ready ${[epoch, version, ...artifacts.map(toHex)].join(' ')} ${nameOfKeys(keys)}`;
const nameOfReport = ({ blsPublicKey }: Pick<ReportEquivocation, 'blsPublicKey'>) => `report ${toHex(blsPublicKey)}`;
