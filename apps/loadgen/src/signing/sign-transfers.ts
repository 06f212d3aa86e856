/** Signs a block of the plan. Deterministic except for the expiries, which follow the intended send times. */
import type { ApplicationManifest } from '@slipstream/app/program';
import { buildTransaction } from '@slipstream/client';
import { ed25519Sign } from '@slipstream/crypto/native';
import { type AccountKey, type Action, type GenesisHash, transactionCodec, transactionIdOf } from '@slipstream/types';
import { createLoadAccounts } from '../workload/accounts.ts';
import { tokenTransfers } from '../workload/token-transfers.ts';
import { paddingFor, planBlock, type Workload } from '../workload/transfer-plan.ts';
import { packSigned, type SignedBatch } from './signed-batch.ts';

export interface SigningTask {
  readonly workload: Workload;
  readonly genesisHash: Uint8Array;
  /** Seed of the accounts: the genesis's, or the load's own. */
  readonly accountsSeed: Uint8Array;
  readonly maxFee: bigint;
  /** Of the token: every other transaction is a transfer of it. */
  readonly token?: ApplicationManifest | undefined;
}

export interface SigningJob {
  /** Index of the block in the plan. */
  readonly block: number;
  /** Signs the first `count` of its transfers. */
  readonly count: number;
  /** Expiry of the block's first transfer; each next one expires `stepMs` later. */
  readonly expiryMs: number;
  readonly stepMs: number;
}

type SignBlock = (job: SigningJob) => SignedBatch;

export function createSigning({ workload, genesisHash, accountsSeed, maxFee, token }: SigningTask): SignBlock {
  const accounts = createLoadAccounts(accountsSeed);
  const padding = paddingFor(workload.transactionBytes);
  const ofToken = token && tokenTransfers(token);
  const actionTo = (to: AccountKey, index: number): Action =>
    ofToken !== undefined && index % 2 === 1 ? ofToken(to, 1n) : { kind: 'transfer', to, amount: 1n };
  return ({ block, count, expiryMs, stepMs }) => {
    const parts = planBlock(workload, block)
      .slice(0, count)
      .map(({ sender, receiver, salt }, index) => {
        const from = accounts.at(sender);
        const expiry = Math.floor(expiryMs + index * stepMs);
        const body = buildTransaction({
          genesisHash: genesisHash as GenesisHash,
          sender: from.account,
          actions: [actionTo(accounts.at(receiver).account, index), ...padding],
          expiryMs: expiry,
          salt,
          maxFee,
        });
        const id = transactionIdOf(body);
        const auth = { scheme: 'ed25519', signature: ed25519Sign(id, from.secret) } as const;
        return { id, bytes: transactionCodec.encode({ body, auth }), expiryMs: expiry };
      });
    return packSigned(parts);
  };
}
