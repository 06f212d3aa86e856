/**
 * The last committed height at start, against the size of the log: three readers of one folder, turn by turn.
 *
 *   ledger  the tip, one key, as this node does
 *   log     the newest segment is read for the mark of the last committed height, then the one before it, as CometBFT's search for an end of
 *           height. The mark here is the state certificate
 *   replay  the log is opened and restored whole, which a start pays besides
 *
 * CometBFT tests its search and publishes no figure. It has no ledger of committed heights beside the log that it could ask; here the
 * ledger's commit is durable before the log may be pruned (L7). Blocks, certificates, votes and a chunk of 16 KiB a view, real encodings.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoredOf, restoreFrom } from '@slipstream/consensus';
import { createLedgerReader, openLedger } from '@slipstream/ledger';
import { createClock, createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { type Disk, silentTelemetry } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { listSegments, readSegmentHeader, SEGMENT_HEADER_BYTES, scanRecords } from '@slipstream/records';
import { BLS_SIGNATURE_BYTES, certificateCodec, GENESIS_EPOCH, type Subject, type Vote } from '@slipstream/types';
import { openWal, RECORD_KIND_BYTES, type Wal } from '@slipstream/wal';
import { blockRecord, certificateRecord, voteRecord } from '../../packages/consensus/src/records.ts';
import * as chain from '../../packages/ledger/test/builders.ts';
import { type BenchOptions, type Claim, median, quantile, timed } from './claim.ts';

const MIB = 1024 * 1024;
const CHUNK_BYTES = 16 * 1024;
/** Views ahead of the last state certificate at the end of the log. */
const UNCERTIFIED_VIEWS = 3;
const SEGMENT_BYTES_MAX = 8 * MIB;
const DIRECTORY = 'wal';

type Reader = 'ledger' | 'log' | 'replay';
type Took = Readonly<Record<Reader, number[]>>;

export async function runStart({ smoke, draw }: BenchOptions): Promise<readonly Claim[]> {
  const sizes = smoke ? [1, 2] : [1, 4, 16, 64];
  const repeats = smoke ? 2 : 9;
  const root = await mkdtemp(join(tmpdir(), 'slipstream-wal-start-'));
  const disk = createDisk({ root });
  const keyValue = await openKeyValue({ location: join(root, 'ledger') });
  const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: chain.GENESIS_HASH });
  const commit = (link: chain.Link) => chain.commitAll(ledger, [link]);
  const tip = async () => (await createLedgerReader(keyValue).tip())?.height;
  const results: Took[] = [];
  try {
    let link = chain.genesisLink();
    await commit(link);
    for (const size of sizes) {
      link = await growTo(disk, size * MIB, link, commit);
      results.push(await measure(disk, tip, repeats));
    }
  } finally {
    await ledger.close();
    await rm(root, { recursive: true });
  }
  drawResults(draw, sizes, results);
  return claimsOf(sizes, results, repeats);
}

/** Appends views until the log has so many bytes. Returns the last committed block. */
async function growTo(
  disk: Disk,
  bytes: number,
  from: chain.Link,
  commit: (link: chain.Link) => Promise<void>,
): Promise<chain.Link> {
  const before = await bytesOf(disk);
  const { wal } = await openLog(disk);
  let link = from;
  while (before + wal.stats.bytes < bytes) {
    link = chain.childOf(link);
    logView(wal, link, true);
    await wal.flush();
    await commit(link);
  }
  let ahead = link;
  for (let view = 0; view < UNCERTIFIED_VIEWS; view++) {
    ahead = chain.childOf(ahead);
    logView(wal, ahead, false);
  }
  await wal.close();
  return link;
}

const chunk = createRandom().bytes(CHUNK_BYTES);

function logView(wal: Wal, link: chain.Link, isCertified: boolean): void {
  const { block, blockId } = link;
  const certificate = chain.stateCertificate(link);
  const notarize: Subject = { kind: 'notarize', epoch: GENESIS_EPOCH, view: block.view, blockId };
  wal.append('chunk', chunk);
  append(wal, blockRecord(block));
  vote(wal, notarize);
  append(wal, certificateRecord({ ...certificate, subject: notarize }));
  vote(wal, { kind: 'finalize', epoch: GENESIS_EPOCH, view: block.view, blockId });
  append(wal, certificateRecord(chain.finalization(link)));
  vote(wal, certificate.subject);
  if (isCertified) append(wal, certificateRecord(certificate));
}

function append(wal: Wal, { kind, payload }: ReturnType<typeof blockRecord>): void {
  wal.append(kind, payload);
}

function vote(wal: Wal, subject: Subject): void {
  const signed: Vote = { subject, signer: 0, signature: new Uint8Array(BLS_SIGNATURE_BYTES) };
  const { kind, payload } = voteRecord(signed);
  wal.append(kind, payload, signed);
}

async function measure(disk: Disk, tip: () => Promise<number | undefined>, repeats: number): Promise<Took> {
  const height = await tip();
  assert(height !== undefined, 'blocks were committed');
  const took: Took = { ledger: [], log: [], replay: [] };
  for (let repeat = 0; repeat < repeats; repeat++) {
    took.ledger.push(await timed(async () => assert((await tip()) === height, 'the ledger knows its tip')));
    took.log.push(await timed(async () => assert(await isMarked(disk, height), 'the log has the mark')));
    took.replay.push(await timed(() => replay(disk)));
  }
  return took;
}

/** Newest segment first. */
async function isMarked(disk: Disk, height: number): Promise<boolean> {
  for (const segment of (await listSegments(disk, DIRECTORY, 'log')).toReversed()) {
    const bytes = (await disk.readWhole(segment.path, SEGMENT_BYTES_MAX)) as Uint8Array;
    const header = readSegmentHeader(bytes, segment.path, 'log');
    assert(header !== undefined, 'the log is whole');
    for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)) {
      if (item.type !== 'record' || item.kindByte !== RECORD_KIND_BYTES.certificate) continue;
      const decoded = certificateCodec.decode(item.payload);
      if (!decoded.ok || decoded.value.subject.kind !== 'certify') continue;
      if (decoded.value.subject.height === height) return true;
    }
  }
  return false;
}

async function replay(disk: Disk): Promise<void> {
  const { wal, records } = await openLog(disk);
  const { votes } = restoredOf(await restoreFrom(records, GENESIS_EPOCH), GENESIS_EPOCH);
  assert(votes.length > 0, 'own votes were restored');
  await wal.close();
}

function openLog(disk: Disk): ReturnType<typeof openWal> {
  const components = { clock: createClock(), disk, random: createRandom(), telemetry: silentTelemetry };
  return openWal(components, { directory: DIRECTORY, genesisHash: chain.GENESIS_HASH });
}

async function bytesOf(disk: Disk): Promise<number> {
  let bytes = 0;
  for (const { path } of await listSegments(disk, DIRECTORY, 'log')) bytes += (await disk.size(path)) ?? 0;
  return bytes;
}

function drawResults(draw: BenchOptions['draw'], sizes: readonly number[], results: readonly Took[]): void {
  const lineOf = (name: string, reader: Reader) => ({
    name,
    values: results.map((took) => median(took[reader])),
    low: results.map((took) => quantile(took[reader], 0.25)),
    high: results.map((took) => quantile(took[reader], 0.75)),
  });
  draw({
    title: 'The last committed height at start',
    about: 'Median and quartiles. A node asks its ledger; CometBFT searches its log; the log is replayed besides.',
    unit: 'ms',
    x: { name: 'log', unit: 'MiB', values: sizes, isLogarithmic: true },
    lines: [
      lineOf('ledger', 'ledger'),
      lineOf('search of the log, as CometBFT', 'log'),
      lineOf('replay of the whole log', 'replay'),
    ],
    kind: 'lines',
  });
}

function claimsOf(sizes: readonly number[], results: readonly Took[], samples: number): readonly Claim[] {
  const smallest = results[0] as Took;
  const largest = results.at(-1) as Took;
  const mib = (sizes.at(-1) as number) - (sizes[0] as number);
  const claimed = (name: string, value: number, unit: string): Claim => ({ name, value, unit, samples });
  return [
    claimed('last_height_ms', median(largest.ledger), 'ms'),
    claimed('last_height_in_log_ms', median(largest.log), 'ms'),
    claimed('last_height_ratio', median(largest.log) / median(largest.ledger), 'x'),
    claimed('replay_ms', median(largest.replay), 'ms'),
    claimed('replay_ms_per_mib', (median(largest.replay) - median(smallest.replay)) / mib, 'ms'),
  ];
}
