/** What the driver of a node that follows is made of in tests: ports without effect, and a chain of four equal members. */
import { type Random, silentTelemetry, type Verifier } from '@slipstream/ports';
import { asId, type BlockId, type StateDigest } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import {
  type ConsensusComponents,
  type ConsensusSetting,
  EMPTY_LOG,
  LOCAL_OPTIONS,
  type RestoredLog,
} from '../src/index.ts';
import { committeeOf, GENESIS, GENESIS_HASH, GENESIS_ID, recordOf } from './core-world.ts';

export const FOLLOWER: ConsensusComponents = {
  transport: { send: () => true, broadcast() {}, block() {}, unblock() {} },
  clock: { monotonicMs: () => 0, wallMs: () => 0, after: () => () => {} },
  random: {} as Random,
  verifier: {} as Verifier,
  wal: { append: () => 0, durableSequence: 0, failed: new Promise(() => {}) } as unknown as Wal,
  signing: undefined,
  application: {
    buildPayload: async () => [],
    checkPayload: async () => ({ type: 'valid' }),
    execute: async (blockId: BlockId) => asId<StateDigest>(blockId),
    finalized() {},
    certified() {},
    hasPending: () => false,
  },
  sync: { fetch() {}, relayCertificate() {}, relayProposal() {}, moved() {} },
  telemetry: silentTelemetry,
  onFatal(error) {
    throw error;
  },
};

export const settingOf = (restored: RestoredLog = EMPTY_LOG): ConsensusSetting => ({
  genesisHash: GENESIS_HASH,
  record: recordOf(committeeOf([1, 1, 1, 1])),
  selfIn: () => undefined,
  options: LOCAL_OPTIONS,
  root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
  refuseUpToView: 0,
  nullifyUpToView: 0,
  restored,
  firstRetainedView: 0,
});
