import { to0x, unreachable, utf8 } from '@slipstream/primitives';
import {
  type AccountView,
  type BlockOutcomes,
  type BlockView,
  blockToJson,
  certificateToJson,
  directoryProofToJson,
  type EvidenceView,
  type Fees,
  type HeightCertificates,
  PROBLEMS,
  unitsToJson,
} from '@slipstream/schema';
import {
  type AccountKey,
  accountKeyText,
  DATA_NAME_BYTES_MAX,
  type Evidence,
  genesisHashOf,
  genesisToJson,
  height,
  proposalCodec,
  requireAccount,
  signedChunkHeaderCodec,
  voteCodec,
} from '@slipstream/types';
import { type Handler, json, refuse } from '../answer.ts';
import type { AccountRecord, BlockRecord, NodeBackend } from '../backend.ts';
import { immutableHeaders, revalidatedHeaders } from '../caching.ts';
import { missing } from './missing.ts';
import { pageJson, pageOf } from './pages.ts';
import { parseReference } from './references.ts';
import { wantsProof, withProof } from './state-proofs.ts';

type ChainRoute =
  | 'account'
  | 'accounts'
  | 'accountTransactions'
  | 'directoryEntry'
  | 'accountData'
  | 'blocks'
  | 'block'
  | 'blockTransactions'
  | 'blockOutcomes'
  | 'certificates'
  | 'fees'
  | 'genesis'
  | 'evidence';

export function createChainHandlers(backend: NodeBackend): Readonly<Record<ChainRoute, Handler>> {
  const { genesis } = backend;
  const genesisJson = genesisToJson(genesis);
  const genesisHash = to0x(genesisHashOf(genesis));
  const tagged = (tag: string, byContent: boolean) => immutableHeaders(tag, byContent, genesis.development);

  return {
    async account(request) {
      const key = requireAccount(request.params.account ?? '');
      const view = (record: AccountRecord) => json(accountView(key, record));
      if (wantsProof(request)) return withProof(backend, request, await backend.proven.account(key), view);
      const [found] = await accountViews(backend, [key]);
      return json(found);
    },

    async accounts({ query }) {
      const texts = String(query.accounts).split(',');
      return json({ items: await accountViews(backend, texts.map(requireAccount)) });
    },

    async directoryEntry({ params: { entry = '' } }) {
      const found = await backend.directoryEntry(entry.startsWith('0x') ? requireAccount(entry) : Number(entry));
      if (found.type === 'not-ready') return refuse('proof-not-ready');
      if (found.type !== 'found') return missing(found, 'entry-unknown', noEntry(entry));
      return json(directoryProofToJson(found.value));
    },

    async accountTransactions(request) {
      const page = await backend.accountTransactions(requireAccount(request.params.account ?? ''), pageOf(request));
      return json(pageJson(page, (item) => item));
    },

    async accountData(request) {
      const name = String(request.query.name);
      const key = requireAccount(request.params.account ?? '');
      if (utf8(name).length > DATA_NAME_BYTES_MAX) return refuse('data-unknown');
      const view = ({ value, height: at }: { readonly value: Uint8Array; readonly height: number }) =>
        json({ account: accountKeyText(key), name, value: to0x(value), height: at });
      if (wantsProof(request)) {
        const proven = await backend.proven.accountData(key, name);
        return withProof(backend, request, proven, (value) => (value ? view(value) : refuse('data-unknown')));
      }
      const found = await backend.accountData(key, name);
      return found.type === 'found' ? view(found.value) : missing(found, 'data-unknown');
    },

    async blocks(request) {
      return json(pageJson(await backend.blocks(pageOf(request)), blockView));
    },

    async block({ params: { block = '' } }) {
      const found = await backend.block(parseReference(block));
      if (found.type !== 'found') return missing(found, 'block-unknown');
      const view = blockView(found.value);
      const tag = `${view.block.id}-${view.status}`;
      if (block === 'latest' || view.status !== 'final') return json(view, 200, revalidatedHeaders(tag));
      return json(view, 200, tagged(tag, block.startsWith('0x')));
    },

    async blockTransactions(request) {
      const reference = parseReference(request.params.block ?? '');
      const found = await backend.blockTransactions(reference, pageOf(request));
      if (found.type !== 'found') return missing(found, 'block-unknown');
      return json(pageJson(found.value, (item) => item));
    },

    async blockOutcomes(request) {
      const reference = parseReference(request.params.block ?? '');
      const found = await backend.blockOutcomes(reference);
      if (found.type !== 'found') return missing(found, 'block-unknown');
      const { height: at, blockId, success, failed } = found.value;
      const view: BlockOutcomes = {
        height: at,
        blockId: to0x(blockId),
        success: idsText(success),
        failed: idsText(failed),
      };
      const tag = `${view.blockId}-outcomes`;
      if (reference.type === 'latest') return json(view, 200, revalidatedHeaders(tag));
      return json(view, 200, tagged(tag, reference.type === 'id'));
    },

    async certificates({ params }) {
      const at = height(Number(params.height));
      const found = await backend.certificates(at);
      if (found.type !== 'found') return missing(found, 'certificate-unknown');
      const { blockId, finalization, state } = found.value;
      const view: HeightCertificates = {
        height: at,
        blockId: to0x(blockId),
        finalization: finalization ? certificateToJson(finalization) : null,
        state: state ? certificateToJson(state) : null,
      };
      const complete = finalization !== undefined && state !== undefined;
      return json(view, 200, complete ? tagged(view.blockId, false) : undefined);
    },

    async fees() {
      const { height: at, prices, parameters, windowEndsAt } = await backend.fees();
      const { minimumPrices, targets, limits, windowBlocks } = parameters;
      return json({
        height: at,
        prices: unitsToJson(prices),
        minimumPrices: unitsToJson(minimumPrices),
        targets: unitsToJson(targets),
        limits: unitsToJson(limits),
        windowBlocks,
        windowEndsAt,
      } satisfies Fees);
    },

    genesis: () => json(genesisJson, 200, revalidatedHeaders(genesisHash)),

    async evidence(request) {
      return json(pageJson(await backend.evidence(pageOf(request)), evidenceView));
    },
  };
}

async function accountViews(backend: NodeBackend, keys: readonly AccountKey[]): Promise<readonly AccountView[]> {
  const found = await backend.accounts(keys);
  return found.map((record, i) => accountView(keys[i] as AccountKey, record));
}

function accountView(key: AccountKey, { balance, exists, registration, height: at }: AccountRecord): AccountView {
  const place = registration && { index: registration.index, last: registration.last };
  return { account: accountKeyText(key), balance: balance.toString(), exists, ...place, height: at };
}

/** A caller that asked for many entries learns which one is missing. */
function noEntry(entry: string): string {
  const what = entry.startsWith('0x') ? `entry of account ${entry}` : `entry ${entry}`;
  return `The account directory has no ${what}. ${PROBLEMS['entry-unknown'].remedy}`;
}

/** Thousands of strings are slow to parse. */
function idsText(ids: readonly Uint8Array[]): string {
  return `0x${Buffer.concat(ids).toString('hex')}`;
}

export function blockView(record: BlockRecord): BlockView {
  const { block, status, transactionCount, batchCount, stateDigest, receiptsRoot, times } = record;
  return {
    block: blockToJson(block),
    status,
    transactionCount,
    ...(batchCount !== undefined && { batchCount }),
    stateDigest: stateDigest ? to0x(stateDigest) : null,
    receiptsRoot: receiptsRoot ? to0x(receiptsRoot) : null,
    ...(times && { times }),
  };
}

function evidenceView(evidence: Evidence): EvidenceView {
  switch (evidence.type) {
    case 'votes': {
      const { offender, first, second } = evidence;
      const { epoch, view } = first.subject;
      return {
        type: 'votes',
        epoch,
        offender,
        view,
        first: to0x(voteCodec.encode(first)),
        second: to0x(voteCodec.encode(second)),
      };
    }
    case 'proposals': {
      const { offender, first, second } = evidence;
      const encoded = [first, second].map((proposal) => to0x(proposalCodec.encode(proposal)));
      const { epoch, view } = first.block;
      return { type: 'proposals', epoch, offender, view, first: encoded[0] ?? '', second: encoded[1] ?? '' };
    }
    case 'chunks': {
      const { offender, first, second } = evidence;
      return {
        type: 'chunks',
        epoch: first.header.epoch,
        offender,
        view: 0,
        sequence: first.header.sequence,
        first: to0x(signedChunkHeaderCodec.encode(first)),
        second: to0x(signedChunkHeaderCodec.encode(second)),
      };
    }
    default:
      return unreachable(evidence, 'evidence');
  }
}
