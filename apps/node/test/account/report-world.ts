/** A node of a chain in memory: its clock, account, keys and evidence. What it submits is executed at once, unless it is lost. */

import { type ArtifactTable, artifactTable } from '@slipstream/node-home/applications';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { type Action, type EpochRecord, transactionCodec } from '@slipstream/types';
import { onTestFinished } from 'vitest';
import { GENESIS_HASH } from '../../../../packages/execution/test/builders.ts';
import { type EpochChain, keysOf } from '../../../../packages/execution/test/epoch-world.ts';
import { createEvidenceReports } from '../../src/account/evidence-reports.ts';
import { createNodeAccount } from '../../src/account/node-account.ts';
import { createReports } from '../../src/account/reports.ts';
import type { HeldKeys } from '../../src/epochs/next-keys.ts';

interface NodeShape {
  readonly held: HeldKeys;
  readonly hasAccount?: boolean;
  readonly price?: bigint;
  readonly knownVersion?: number;
  readonly artifacts?: Pick<ArtifactTable, 'manifestOf'>;
  /** Members, and this node's index. */
  readonly place?: { readonly self: number | undefined; readonly members: number };
  readonly record?: EpochRecord;
  readonly readKeys?: () => Promise<HeldKeys>;
}

/** Sends by this account of the chain are as good as any. */
const PAYER = 999;

export function heldKeys(
  ...keys: readonly { readonly blsPublicKey: Uint8Array; readonly peerKey: string }[]
): HeldKeys {
  return {
    blsKeys: keys.map(({ blsPublicKey }) => ({ publicKey: blsPublicKey, secret: new Uint8Array(32) })),
    networkKeys: keys.map(({ peerKey }) => ({ peer: peerKey as never, seed: new Uint8Array(32) })),
  };
}

export const heldOf = (name: string, nth = 0): HeldKeys => heldKeys(keysOf(name, nth));

export function reportingNode(chain: EpochChain, shape: NodeShape) {
  const { held, hasAccount = true, price = 0n, knownVersion = 1, place = { self: 0, members: 4 } } = shape;
  let nowMs = 0;
  let look: (() => void) | undefined;
  const node = {
    isReady: true,
    losesAll: false,
    readFails: false,
    checks: 0,
    price,
    sent: [] as Action[],
    codes: [] as (string | undefined)[],
  };
  const clock = {
    monotonicMs: () => nowMs,
    wallMs: () => chain.nowMs,
    after(_delayMs: number, action: () => void) {
      look = action;
      return () => {
        look = undefined;
      };
    },
  };
  const telemetry = { log() {}, count() {}, gauge() {} };
  const random = { bytes: (length: number) => sha256(utf8(`${node.sent.length}`)).subarray(0, length), below: () => 0 };
  const read = async (keys: readonly Uint8Array[]) => {
    if (node.readFails) throw new Error('the queue is full');
    return { height: 1, values: keys.map((key) => chain.read(key)) };
  };
  const account = hasAccount
    ? createNodeAccount(
        {
          clock,
          random,
          telemetry,
          read,
          prices: () => ({ prices: Array(5).fill(node.price), minimumPrices: Array(5).fill(0n) }),
          async submit([bytes]) {
            const decoded = transactionCodec.decode(bytes as Uint8Array);
            if (!decoded.ok) throw new Error('it encodes what decodes');
            const [action] = decoded.value.body.actions as [Action];
            node.sent.push(action);
            if (!node.losesAll) node.codes.push(chain.act(PAYER, action).code);
            return [{ type: 'accepted', id: new Uint8Array(32) as never, expiryMs: 0 }];
          },
        },
        { genesisHash: GENESIS_HASH, secret: sha256(utf8('account')) },
      )
    : undefined;
  const evidence = createEvidenceReports(
    {
      clock,
      random,
      place: () => place,
      recordOf: async () => shape.record,
      verifier: {
        async checkBatch(batch) {
          node.checks++;
          return batch.map(holds);
        },
      },
    },
    GENESIS_HASH,
  );
  const reports = createReports(
    {
      clock,
      telemetry,
      read,
      account,
      evidence,
      held,
      isReady: () => node.isReady,
      head: () => ({ timestampMs: chain.nowMs, height: chain.height }),
      readKeys: shape.readKeys ?? (async () => held),
      signerOf: (publicKey) => ({ publicKey, sign: async (messages) => messages.map(() => new Uint8Array(192)) }),
    },
    { genesisHash: GENESIS_HASH, knownVersion, artifacts: shape.artifacts ?? artifactTable([]) },
  );
  onTestFinished(() => reports.stop());
  return {
    node,
    reports,
    held,
    /** Looks once, so long after the look before. */
    async look(laterMs = 2_000) {
      await settled();
      nowMs += laterMs;
      look?.();
      await settled();
      return node.sent;
    },
  };
}

/** Signatures of `signedBy`: the key's first bytes, in place of curve arithmetic. */
function holds(statement: { readonly kind: string }): boolean {
  const { publicKeys, aggregate } = statement as unknown as Record<'publicKeys', Uint8Array[]> & {
    aggregate: Uint8Array;
  };
  return toHex(aggregate.subarray(1, 9)) === toHex((publicKeys[0] as Uint8Array).subarray(1, 9));
}

export function signedBy(publicKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(192);
  signature.set(publicKey.subarray(0, 48));
  return signature;
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
}
