/** Nodes of one chain with real keys, in this process: each may lie in a way of its own. */
import { sha256, to0x, utf8 } from '@slipstream/primitives';
import {
  certificateToJson,
  type HandoverJson,
  type HeightCertificates,
  handoverToJson,
  proofToJson,
  type StateProofJson,
  stateProofToJson,
} from '@slipstream/schema';
import {
  asId,
  type BlockId,
  type DigestPreimage,
  genesisToJson,
  height as heightOf,
  type InclusionProof,
  merklePath,
  merkleRoot,
  NO_RECORD,
  receiptCodec,
  type TransactionId,
} from '@slipstream/types';
import { type EpochChain, epochChain } from '../../../crypto/test/epoch-chain.ts';
import type { LightClientOptions } from '../../src/light/index.ts';
import type { WebSocketEvent, WebSocketLike } from '../../src/stream-socket.ts';
import { entriesOf, stateRoot } from '../proven-state.ts';
import { receiptsOf } from '../real-chain.ts';

/** Epochs of 64 blocks; all keys of an epoch are new. */
export const chain: EpochChain = await epochChain('light', { members: 4, epochs: 2, rotations: () => 4 });
/** Of the same genesis: its first committee certified another record for epoch 1, too, with other keys in each quorum. */
export const rivalChain: EpochChain = await epochChain('light', { members: 4, epochs: 2, rotations: () => 2 });
export const genesis = genesisToJson(chain.genesis);
export const genesisHash = to0x(chain.genesisHash);
export const handovers: readonly HandoverJson[] = chain.handovers.map(handoverToJson);
export const transactionId = asId<TransactionId>(new Uint8Array(32).fill(1));

/** Of the height's epoch. `name`: another gives another block. */
function preimageAt(height: number, name = ''): DigestPreimage {
  const receipts = receiptsOf([transactionId], height).map((receipt) => receiptCodec.encode(receipt));
  return {
    ...chain.preimage(Math.floor(height / 64), NO_RECORD),
    height: heightOf(height),
    blockId: asId<BlockId>(sha256(utf8(`block ${height}${name}`))),
    receiptsRoot: merkleRoot(receipts),
    transactionCount: 1,
  };
}

/** Signed by a quorum, unless others are named. */
export async function certificatesAt(
  height: number,
  name = '',
  signers?: readonly number[],
  of = chain,
): Promise<HeightCertificates> {
  const preimage = preimageAt(height, name);
  const state = await of.certify(Math.floor(height / 64), preimage, signers);
  return { height, blockId: to0x(preimage.blockId), finalization: null, state: certificateToJson(state) };
}

export async function proofAt(height: number, name = ''): Promise<ReturnType<typeof proofToJson>> {
  const preimage = preimageAt(height, name);
  const receipts = receiptsOf([transactionId], height);
  const proof: InclusionProof = {
    receipt: receipts[0] as (typeof receipts)[number],
    path: merklePath(
      receipts.map((receipt) => receiptCodec.encode(receipt)),
      0,
    ),
    preimages: [preimage],
    certificate: await chain.certify(Math.floor(height / 64), preimage),
  };
  return proofToJson(proof);
}

/** Of a height that has the state of proven-state.ts. */
export async function stateProofAt(height: number, keys: readonly Uint8Array[]): Promise<StateProofJson> {
  const preimage = { ...preimageAt(height), stateRoot };
  const certificate = await chain.certify(Math.floor(height / 64), preimage);
  return stateProofToJson({ entries: entriesOf(keys), preimages: [preimage], certificate });
}

type Answer = (path: string) => unknown;

export interface FakeNode {
  readonly url: string;
  /** Paths that were requested. */
  readonly asked: string[];
  /** Instead of what an honest node answers; undefined: as an honest one. */
  lie: Answer;
  genesisHash: string;
  /** In the state of each stream. */
  height: number;
  /** Committed, as its stream says. */
  commit(height: number, name?: string): Promise<void>;
  /** First messages of a stream. */
  greeting(): readonly unknown[];
  send(message: unknown): void;
  cut(): void;
}

export interface FakeNetwork {
  node(name: string): FakeNode;
  readonly options: Pick<LightClientOptions, 'genesis' | 'fetch' | 'WebSocket' | 'checks'>;
}

export function fakeNetwork(): FakeNetwork {
  const nodes = new Map<string, FakeNode & { readonly sockets: Set<FakeSocket> }>();
  const nodeAt = (url: string) => nodes.get(new URL(url).host.split(':')[0] as string);

  class FakeSocket implements WebSocketLike {
    readonly #listeners: ((type: string, event: WebSocketEvent) => void)[] = [];
    readonly #sockets: Set<FakeSocket> | undefined;

    constructor(url: string) {
      const node = nodeAt(url);
      this.#sockets = node?.sockets;
      this.#sockets?.add(this);
      queueMicrotask(() => {
        if (node === undefined) return this.cut();
        for (const message of node.greeting()) this.send(message);
      });
    }

    addEventListener(type: string, listener: (event: WebSocketEvent) => void): void {
      this.#listeners.push((of, event) => of === type && listener(event));
    }

    send(message: unknown): void {
      const data = typeof message === 'string' ? message : JSON.stringify(message);
      for (const listener of this.#listeners) listener('message', { data });
    }

    cut(): void {
      this.close();
      for (const listener of this.#listeners) listener('close', { code: 1006 });
    }

    close(): void {
      this.#sockets?.delete(this);
    }
  }

  return {
    options: { genesis, checks: 'inline', WebSocket: FakeSocket, fetch: (url) => answer(nodeAt(url), new URL(url)) },
    node(name) {
      let sequence = 1;
      const sockets = new Set<FakeSocket>();
      const node: FakeNode & { readonly sockets: Set<FakeSocket> } = {
        url: `http://${name}`,
        asked: [],
        sockets,
        lie: () => undefined,
        genesisHash,
        height: 0,
        greeting: () => [
          { ...STAMP, type: 'hello', protocol: 1, run: '0'.repeat(16), oldest: 0, topics: [], resumed: false },
          { ...STAMP, type: 'state', state: stateOf(node) },
        ],
        async commit(height, of = '') {
          node.height = height;
          const { blockId, state } = await certificatesAt(height, of);
          const ids = { blockId, ...(state?.stateDigest && { stateDigest: state.stateDigest }) };
          const data = {
            height,
            view: height,
            proposer: 0,
            timestampMs: 1,
            transactions: 1,
            rows: 0,
            times: {},
            ...ids,
          };
          node.send({ ...STAMP, sequence: ++sequence, type: 'event', event: { type: 'block.committed', data } });
        },
        send: (message) => {
          for (const socket of sockets) socket.send(message);
        },
        cut: () => {
          for (const socket of sockets) socket.cut();
        },
      };
      nodes.set(name, node);
      return node;
    },
  };
}

const STAMP = { sequence: 1, atMs: 1 };

async function answer(node: FakeNode | undefined, { pathname, searchParams }: URL): Promise<Response> {
  if (node === undefined) throw new Error('connect ECONNREFUSED');
  const path = pathname.replace('/v1/', '');
  node.asked.push(path);
  const lie = await node.lie(path);
  if (lie instanceof Response) return lie;
  if (lie !== undefined) return Response.json(lie);
  const [route, id = ''] = path.split('/');
  if (route === 'certificates' && Number(id) <= node.height) return Response.json(await certificatesAt(Number(id)));
  if (route === 'transactions') return Response.json(await proofAt(node.height));
  if (route === 'handovers') {
    return Response.json({ items: handovers.slice(Number(searchParams.get('from'))), next: null });
  }
  const detail = { code: 'certificate-unknown', title: 'unknown', status: 404, detail: 'there is none' };
  return Response.json({ type: 'about:blank', ...detail }, { status: 404 });
}

function stateOf({ genesisHash: hash, height }: FakeNode) {
  const status = {
    chain: 'light',
    genesisHash: hash,
    development: true,
    faucet: false,
    version: '0.1.0',
    node: { peer: PEER, name: 'fake', role: 'full-node', validator: null },
    epoch: 0,
    view: height,
    height,
    finalHeight: height,
    certifiedHeight: height,
    headTimestampMs: 1,
    syncing: false,
    ready: true,
    signing: null,
    uptimeMs: 1,
    peers: { connected: 0, validators: 0, blocked: 0 },
    mempool: { transactions: 0, bytes: 0 },
    alerts: [],
  };
  return {
    status,
    committee: { epoch: 0, totalWeight: 4, quorumWeight: 3, members: [] },
    peers: [],
    blocks: [],
    stats: null,
  };
}

const PEER = `0x${'0a'.repeat(32)}`;
