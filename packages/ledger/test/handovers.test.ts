import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentTelemetry } from '@slipstream/ports';
import {
  certifiedCommittee,
  checkHandovers,
  committeeOfRecord,
  type EpochRecord,
  epoch as epochOf,
  type Handover,
  handoverOf,
  recordHashOf,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { openKeyValue } from '../../platform/src/index.ts';
import { type CommitSeal, createLedgerReader, type Ledger, openLedger } from '../src/index.ts';
import {
  childOf,
  createStore,
  finalization,
  GENESIS_HASH,
  genesisLink,
  type Link,
  open,
  stateCertificate,
} from './builders.ts';
import { boundaryOn, commit, endOf, firstOn, recordOf } from './epoch-links.ts';

const SEALED = recordHashOf(GENESIS_HASH, recordOf(1));

interface Chain {
  readonly ledger: Ledger;
  readonly seal: Link;
  readonly boundary: Link;
}

/** Genesis, a block, the block that seals, and the boundary. */
async function chainWith(seals: {
  readonly seal?: (link: Link) => Partial<CommitSeal>;
  readonly boundary?: (link: Link) => Partial<CommitSeal>;
}): Promise<Chain> {
  const ledger = await open(createStore());
  const genesis = genesisLink();
  await commit(ledger, genesis, { newEpoch: { record: recordOf(0), end: undefined } });
  const first = childOf(genesis);
  await commit(ledger, first, { certificate: stateCertificate(first) });
  const seal = childOf(first, { sealed: SEALED });
  await commit(ledger, seal, seals.seal?.(seal) ?? {});
  const boundary = boundaryOn(seal);
  const newEpoch = { record: recordOf(1), end: endOf(boundary, 0) };
  await commit(ledger, boundary, { newEpoch, ...seals.boundary?.(boundary) });
  return { ledger, seal, boundary };
}

function handoverBy({ preimage, ...link }: Link): Handover {
  return handoverOf(recordOf(0), recordOf(1), { preimage, certificate: stateCertificate({ ...link, preimage }) });
}

describe('the handover of an epoch', () => {
  it('is by the state certificate of the boundary', async () => {
    const { ledger, boundary } = await chainWith({ boundary: (link) => ({ certificate: stateCertificate(link) }) });
    expect(await ledger.handover(epochOf(0))).toEqual(handoverBy(boundary));
    const { rejection } = checkHandovers(
      GENESIS_HASH,
      committeeOfRecord(recordOf(0)),
      await ledger.handovers(epochOf(0), 8),
    );
    expect(rejection).toBeUndefined();
  });

  it('is by that of an earlier block from the seal on, where the boundary has none', async () => {
    const { ledger, seal } = await chainWith({ seal: (link) => ({ certificate: stateCertificate(link) }) });
    expect(await ledger.handover(epochOf(0))).toEqual(handoverBy(seal));
  });

  it('is missing while no block from the seal on is certified, and comes with a late certificate', async () => {
    const { ledger, seal } = await chainWith({ boundary: (link) => ({ finalization: finalization(link) }) });
    expect(await ledger.handover(epochOf(0))).toBeUndefined();
    expect(await ledger.handovers(epochOf(0), 8)).toEqual([]);
    await ledger.putCertificates([stateCertificate(seal)]);
    expect(await ledger.handover(epochOf(0))).toEqual(handoverBy(seal));
  });

  it('is not replaced by a later certificate', async () => {
    const { ledger, seal, boundary } = await chainWith({ seal: (link) => ({ certificate: stateCertificate(link) }) });
    await ledger.putCertificates([stateCertificate(boundary)]);
    expect(await ledger.handover(epochOf(0))).toEqual(handoverBy(seal));
  });

  it('is not by a certificate of the next epoch', async () => {
    const { ledger, boundary } = await chainWith({});
    const next = firstOn(boundary);
    await commit(ledger, next, { certificate: stateCertificate(next) });
    expect(await ledger.handover(epochOf(0))).toBeUndefined();
  });
});

describe('a thousand epochs', () => {
  it('are read in bounded parts from a store on disk, after it was opened again', async () => {
    const location = join(await mkdtemp(join(tmpdir(), 'slipstream-ledger-')), 'ledger');
    try {
      const { records, handovers, genesisHash } = await epochChain('thousand epochs', { members: 4, epochs: 2 });
      const epochs = Array.from({ length: 1000 }, (_, at) => {
        const epoch = epochOf(at);
        const handover = handovers[at % 2] as Handover;
        const { subject } = handover.certificate;
        const certificate = { ...handover.certificate, subject: { ...subject, epoch } };
        return { record: { ...(records[0] as EpochRecord), epoch }, handover: { ...handover, certificate } };
      });
      const options = { genesisHash };
      const ledger = await openLedger(
        { keyValue: await openKeyValue({ location }), telemetry: silentTelemetry },
        options,
      );
      await ledger.putEpochs(epochs.filter((_, at) => at !== 700));
      await ledger.close();
      const keyValue = await openKeyValue({ location });
      const reader = createLedgerReader(keyValue);
      expect(await reader.record(epochOf(999))).toEqual(epochs[999]?.record);
      expect(await reader.record(epochOf(123))).toEqual(epochs[123]?.record);
      expect(await reader.handovers(epochOf(0), 64)).toEqual(epochs.slice(0, 64).map(({ handover }) => handover));
      expect((await reader.handovers(epochOf(690), 64)).length).toBe(10);
      expect(await reader.handovers(epochOf(700), 64)).toEqual([]);
      expect((await reader.handovers(epochOf(990), 64)).length).toBe(10);
      expect(await reader.handovers(epochOf(0), 0)).toEqual([]);
      await keyValue.close();
    } finally {
      await rm(join(location, '..'), { recursive: true });
    }
  });
});

it('handovers of a ledger lead from the genesis committee to the newest', async () => {
  const chain = await epochChain('ledger handovers', { members: 4, epochs: 3 });
  const ledger = await open(createStore());
  await ledger.putEpochs(chain.records.map((record, at) => ({ record, handover: chain.handovers[at] })));
  const read = await ledger.handovers(epochOf(0), 16);
  const first = committeeOfRecord(chain.records[0] as EpochRecord);
  const { committees, rejection } = checkHandovers(chain.genesisHash, first, read);
  expect(rejection).toBeUndefined();
  expect(committees.at(-1)).toEqual(certifiedCommittee(epochOf(3), (chain.records[3] as EpochRecord).members));
});
