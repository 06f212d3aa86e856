import { fromHex, to0x } from '@slipstream/primitives';
import type { CommitteeView, EpochRecordJson, ValidatorView } from '@slipstream/schema';
import { committeeOf, type Genesis, idFromHex, type ProposalId, quorumWeight } from '@slipstream/types';
import { type Answer, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend } from '../backend.ts';
import { revalidatedHeaders } from '../caching.ts';
import { pageOf } from './pages.ts';
import { wantsProof, withProof } from './state-proofs.ts';

type EpochRoute = 'epochs' | 'epoch' | 'validators' | 'validator' | 'proposals' | 'proposal' | 'committee';

export function createEpochHandlers(backend: NodeBackend): Readonly<Record<EpochRoute, Handler>> {
  const { epochs, proven } = backend;
  return {
    epochs: async (request) => json(await epochs.list(pageOf(request))),
    async epoch({ params: { epoch = '' } }) {
      return found(await epochs.record(epoch === 'current' ? undefined : Number(epoch)), 'epoch-unknown');
    },
    validators: async (request) =>
      json(await epochs.validators({ ...pageOf(request), waiting: request.query.waiting === 'true' })),
    async validator(request) {
      const reference = fromHex(request.params.validator ?? '');
      const view = (value: ValidatorView | undefined) => found(value, 'validator-unknown');
      if (!wantsProof(request)) return view(await epochs.validator(reference));
      return withProof(backend, request, await proven.validator(reference), view);
    },
    proposals: async (request) => json(await epochs.proposals(pageOf(request))),
    async proposal({ params: { id = '' } }) {
      return found(await epochs.proposal(idFromHex<ProposalId>(id)), 'proposal-unknown');
    },
    async committee({ query: { epoch } }) {
      const record = await epochs.record(epoch === undefined ? undefined : Number(epoch));
      if (record === undefined) return refuse('epoch-unknown');
      return json(committeeView(record), 200, revalidatedHeaders(record.recordHash));
    },
  };
}

function found(value: object | undefined, code: 'epoch-unknown' | 'validator-unknown' | 'proposal-unknown'): Answer {
  return value === undefined ? refuse(code) : json(value);
}

export function committeeView({ epoch, totalWeight, quorumWeight, members }: EpochRecordJson): CommitteeView {
  return {
    epoch,
    totalWeight,
    quorumWeight,
    members: members.map(({ index, weight, blsPublicKey, peer }) => ({ index, weight, blsPublicKey, peer })),
  };
}

/** Of epoch 0. */
export function genesisCommittee(genesis: Genesis): CommitteeView {
  const { epoch, totalWeight, members } = committeeOf(genesis);
  return {
    epoch,
    totalWeight,
    quorumWeight: quorumWeight({ totalWeight }),
    members: members.map(({ index, weight, blsPublicKey, peerKey }) => ({
      index,
      weight,
      peer: `0x${peerKey}`,
      blsPublicKey: to0x(blsPublicKey),
    })),
  };
}
