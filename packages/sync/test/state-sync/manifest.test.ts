/** A snapshot with an unproven file is not taken over, and the old state stays. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ledger, openLedger, unknownAccounts } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { createLifetime, createRandom, createSimKeyValue } from '@slipstream/simulator';
import { openStateStore, type SnapshotFile } from '@slipstream/state';
import { type Block, blockIdOf } from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { createAnswerQueue } from '../../src/requests/answer-queue.ts';
import { type Manifest, manifestCodec, manifestFault } from '../../src/state-sync/manifest.ts';
import { createSnapshotArchive } from '../../src/state-sync/serve.ts';
import {
  COMMITTEE,
  GENESIS_HASH,
  olderFolder,
  PARAMETERS,
  SNAPSHOTS,
  type SnapshotChain,
  snapshotChain,
  sourcesOf,
  takeOverInto,
  withFileOf,
} from './snapshot-chain.ts';
import { zstd } from './zstd.ts';

const { history } = PARAMETERS;
/** More blocks than logs: each file ends in a block's batch. */
const TIP = 10;
/** One file ends in the first batch of genesis. */
const YOUNG_TIP = history - 1;

const faultOf = (manifest: Manifest) =>
  manifestFault(manifest, { genesisHash: GENESIS_HASH, committee: COMMITTEE, history });

/** Of the log that waited longest. */
const oldestFile = ({ snapshot }: SnapshotChain): number =>
  (snapshot.files.find(({ file }) => file % (history + 1) === (snapshot.batch + 1) % (history + 1)) as SnapshotFile)
    .file;

describe('a manifest', () => {
  test('is valid when its digests reach down to the oldest end of a file, and no further', async () => {
    const { manifest, preimages } = await snapshotChain(TIP);
    expect(faultOf(manifest)).toBeUndefined();
    expect(faultOf({ ...manifest, preimages: preimages.slice(TIP - history) })).toBeUndefined();
  });

  test('is refused when its digests begin above the oldest end of a file, for any files', async () => {
    const { manifest, preimages } = await snapshotChain(TIP);
    for (const first of [TIP - history + 1, TIP - 1, TIP]) {
      expect(faultOf({ ...manifest, preimages: preimages.slice(first) })).toMatch('above the end of some file');
    }
  });

  test('is refused when any of its files is not certified', async () => {
    const honest = await snapshotChain(TIP);
    const forged = await snapshotChain(TIP, 'forged');
    for (const { file } of honest.snapshot.files) {
      const fault = faultOf({ ...honest.manifest, snapshot: withFileOf(forged, honest, file) });
      expect(fault).toBe(`file ${file} is not certified`);
    }
  });

  test('of a young chain reaches down to genesis, whose last batch is certified as well', async () => {
    const honest = await snapshotChain(YOUNG_TIP);
    const forged = await snapshotChain(YOUNG_TIP, 'forged');
    expect(faultOf(honest.manifest)).toBeUndefined();
    expect(faultOf({ ...honest.manifest, preimages: honest.preimages.slice(1) })).toMatch('above the end');
    const lastOfGenesis = honest.snapshot.batch - YOUNG_TIP;
    const fault = faultOf({ ...honest.manifest, snapshot: withFileOf(forged, honest, lastOfGenesis) });
    expect(fault).toBe(`file ${lastOfGenesis} is not certified`);
  });
});

describe('installing a snapshot', () => {
  test.each([TIP, YOUNG_TIP])('leaves a state that can be opened, at height %i', async (tip) => {
    const chain = await snapshotChain(tip);
    const { folder, remove } = await olderFolder();
    expect(await takeOverInto(folder, sourcesOf(chain).sources, chain.manifest)).toBe('done');
    const { store } = await openStateStore(
      { disk: createDisk({ root: folder }), telemetry: silentTelemetry },
      { directory: DATA.state, genesisHash: GENESIS_HASH, genesisBlock: '', parameters: PARAMETERS },
    );
    expect(store.tip.checksum).toEqual(chain.snapshot.checksum);
    await store.close();
    await remove();
  });

  test('leaves the older state in place when the files of genesis are not consistent', async () => {
    const honest = await snapshotChain(YOUNG_TIP);
    const forged = await snapshotChain(YOUNG_TIP, 'forged');
    const file = oldestFile(honest);
    const lie = { ...honest.manifest, snapshot: withFileOf(forged, honest, file) };
    expect(faultOf(lie)).toBeUndefined();
    const { folder, remove } = await olderFolder();
    expect(await takeOverInto(folder, sourcesOf(honest, { file, chain: forged }).sources, lie)).toBe('refuted');
    expect(await readdir(join(folder, DATA.state))).toEqual(['older']);

    // The false snapshot's remains do no harm.
    const { sources, blocked } = sourcesOf(honest);
    expect(await takeOverInto(folder, sources, honest.manifest)).toBe('done');
    expect(blocked).toEqual([]);
    await remove();
  });
});

describe('serving', () => {
  const archiveOf = ({ disk }: SnapshotChain, ledger: Ledger) =>
    createSnapshotArchive({
      disk,
      directory: SNAPSHOTS,
      ledger,
      monotonicMs: () => 0,
      genesisHash: GENESIS_HASH,
      compression: zstd,
      answerQueue: createAnswerQueue({ monotonicMs: () => 0, after: () => () => {} }, 1),
    });

  /** All blocks, or those from `first` on. */
  async function ledgerOf({ blocks, preimages, certificate }: SnapshotChain, first = 0): Promise<Ledger> {
    const keyValue = createSimKeyValue({ random: createRandom(1) }).mount(createLifetime());
    const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });
    for (const [at, preimage] of preimages.entries()) {
      if (at < first) continue;
      const block = blocks[at] as Block;
      const executed = { blockId: blockIdOf(block), block, receipts: [], accounts: unknownAccounts(0) };
      const isLast = at === blocks.length - 1;
      const seal = { preimages: [preimage], certificate: isLast ? certificate : undefined, finalization: undefined };
      if (at === first && at > 0) {
        await ledger.begin(executed, seal);
      } else {
        await ledger.putBlock(executed);
        await ledger.commit(executed.blockId, seal);
      }
    }
    return ledger;
  }

  async function servedFault(chain: SnapshotChain, ledger: Ledger): Promise<string | undefined> {
    const bytes = await archiveOf(chain, ledger).manifest();
    if (bytes === undefined) return 'nothing is served';
    const decoded = manifestCodec.decode(bytes);
    return decoded.ok ? faultOf(decoded.value) : decoded.error.message;
  }

  test('offers a snapshot as long as the ledger can show that all files are certified', async () => {
    const chain = await snapshotChain(TIP);
    expect(await servedFault(chain, await ledgerOf(chain))).toBeUndefined();
    expect(await servedFault(chain, await ledgerOf(chain, TIP - history))).toBeUndefined();
    expect(await servedFault(chain, await ledgerOf(chain, TIP - history + 1))).toBe('nothing is served');
  });

  test('continues after pruning, which leaves genesis and a gap above it', async () => {
    const chain = await snapshotChain(TIP);
    const ledger = await ledgerOf(chain);
    await ledger.pruneBelow(TIP - history);
    expect((await ledger.preimages(0, TIP)).map(({ height }) => height as number)).toEqual([0, 7, 8, 9, 10]);
    expect(await servedFault(chain, ledger)).toBeUndefined();
    await ledger.pruneBelow(TIP - history + 1);
    expect(await servedFault(chain, ledger)).toBe('nothing is served');
  });

  test.each([TIP, YOUNG_TIP])(
    'a node that joined at height %i itself can offer the snapshot it joined by',
    async (tip) => {
      const chain = await snapshotChain(tip);
      const { folder, remove } = await olderFolder();
      await takeOverInto(folder, sourcesOf(chain).sources, chain.manifest);
      const keyValue = await openKeyValue({ location: join(folder, DATA.ledger) });
      const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });
      expect(await servedFault(chain, ledger)).toBeUndefined();
      await ledger.close();
      await remove();
    },
  );
});
