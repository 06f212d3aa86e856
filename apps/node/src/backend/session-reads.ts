/** Sessions for the API, read from state, ledger, and the chunk with the grant. */
import type { NodeBackend } from '@slipstream/api';
import { devicesStateKey, readDevices, readSession, sessionStateKey } from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import { bytesEqual } from '@slipstream/primitives';
import {
  height as asHeight,
  asId,
  type CommitteeCertificate,
  certifiedMembers,
  certifiedMembersHash,
  type Epoch,
  type GenesisHash,
  type Grant,
  type GrantId,
  grantIdOf,
  grantOf,
  type IssuingCommittee,
  makeCredential,
  type TransactionId,
} from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import type { TransactionOf } from './committed-transactions.ts';

interface SessionReadComponents {
  readonly ledger: Pick<LedgerReader, 'block' | 'transaction' | 'inclusionProof' | 'record'>;
  readonly read: ReadStateValues;
  readonly transactionOf: TransactionOf;
  readonly genesisHash: GenesisHash;
  /** The root key's certificate of this committee; undefined: no other chain accepts its sessions. */
  readonly committeeCertificate: CommitteeCertificate | undefined;
  readonly headTimestampMs: () => number;
}

export type SessionReads = Pick<NodeBackend, 'identity' | 'session' | 'credential'>;

export function createSessionReads(components: SessionReadComponents): SessionReads {
  const { ledger, transactionOf, genesisHash, committeeCertificate, headTimestampMs } = components;

  async function sessionOf(id: GrantId) {
    const { height, values } = await components.read([sessionStateKey(id).bytes]);
    return { height: asHeight(height), record: readSession(() => values[0], id) };
  }

  async function grantIn(transactionId: TransactionId, at: number, id: GrantId): Promise<Grant | undefined> {
    const place = await ledger.block({ height: at });
    const transaction = place && (await transactionOf(place.block, transactionId));
    for (const action of transaction?.body.actions ?? []) {
      if (action.kind !== 'grantSession') continue;
      const grant = grantOf(action, genesisHash);
      if (bytesEqual(grantIdOf(grant), id)) return grant;
    }
    return undefined;
  }

  /** A committee that the root key did not certify goes without its signature: the target chain learns it by advanceIssuer. */
  async function issuingCommittee(epoch: Epoch): Promise<IssuingCommittee | undefined> {
    const record = committeeCertificate && (await ledger.record(epoch));
    if (committeeCertificate === undefined || record === undefined) return committeeCertificate;
    const members = certifiedMembers(record);
    if (bytesEqual(certifiedMembersHash(members), certifiedMembersHash(committeeCertificate.members))) {
      return committeeCertificate;
    }
    return { rootKey: committeeCertificate.rootKey, members, expiryMs: 0, signature: undefined };
  }

  return {
    async identity(anchor) {
      const { height, values } = await components.read([devicesStateKey(anchor).bytes]);
      return { devices: readDevices(() => values[0], anchor), height: asHeight(height) };
    },

    async session(id) {
      const { height, record } = await sessionOf(id);
      if (record === undefined) return { type: 'unknown' };
      return { type: 'found', value: { ...record, height, nowMs: headTimestampMs() } };
    },

    async credential(id) {
      const { record } = await sessionOf(id);
      if (record === undefined) return { type: 'unknown' };
      const transactionId = asId<TransactionId>(record.transactionId.slice());
      const found = await ledger.transaction(transactionId);
      if (!found) return { type: 'pruned' };
      const grant = await grantIn(transactionId, found.receipt.height, id);
      // The grant is of another chain, or pruned. It is not on its way: the state shows a grant only once its chunk is stored.
      if (grant === undefined) return { type: 'pruned' };
      const inclusion = await ledger.inclusionProof(transactionId);
      if (inclusion === undefined) return NOT_READY;
      const committee = await issuingCommittee(inclusion.certificate.subject.epoch);
      const made = makeCredential(grant, inclusion, committee);
      if (made.ok) return { type: 'found', value: made.value };
      if (made.error === 'too-far') return NOT_READY;
      const detail =
        'this node has no committee certificate: set sessions.committeeCertificate to the file that init made';
      return { type: 'refused', detail };
    },
  };
}

const NOT_READY = { type: 'not-ready' } as const;
