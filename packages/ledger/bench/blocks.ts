/**
 * node packages/ledger/bench/blocks.ts [BLOCKS [TRANSACTIONS]]: the same blocks into a ledger with bodies in files, and into one with all in
 * LevelDB. A process each, side by side, so that other load affects both equally. Measured: CPU time of all threads per block (less that of
 * making the blocks), bytes written, and the wait for a block.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { type Ledger, openLedger } from '../src/index.ts';
import { childOf, commitAll, GENESIS_HASH, genesisLink, type Link } from '../test/builders.ts';

/** Made before they are written, with a pause for the collector and for LevelDB's merges. */
const BLOCKS_AT_ONCE = 48;
const PAUSE_MS = 200;
const SIDES = ['files', 'level'] as const;
type Side = (typeof SIDES)[number];

const [blocks = '480', transactions = '900', own] = process.argv.slice(2);

if (own === undefined) {
  const run = async (side: Side) => {
    const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, blocks, transactions, side]);
    console.log(side.padEnd(6), stdout.trim());
  };
  await Promise.all(SIDES.map(run));
} else {
  console.log(JSON.stringify(await measure(own as Side, Number(blocks), Number(transactions))));
}

async function openSide(side: Side, root: string): Promise<Ledger> {
  const keyValue = await openKeyValue({ location: join(root, 'ledger'), shared: true });
  const files = { disk: createDisk({ root }), random: createRandom(), directory: 'block-files', storeBytesMax: 64 };
  const components = { keyValue, files: side === 'files' ? files : undefined, telemetry: silentTelemetry };
  return openLedger(components, { genesisHash: GENESIS_HASH });
}

async function measure(side: Side, count: number, transactionsEach: number) {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-ledger-bench-'));
  const ledger = await openSide(side, root);
  let last = genesisLink();
  await commitAll(ledger, [last]);
  const waits: number[] = [];
  let processorMs = 0;
  for (let done = 0; done < count; done += BLOCKS_AT_ONCE) {
    const links: Link[] = [];
    for (let i = 0; i < BLOCKS_AT_ONCE; i++) {
      const names = Array.from({ length: transactionsEach }, (_, at) => `${done + i}/${at}`);
      last = childOf(last, { transactions: names });
      links.push(last);
    }
    await sleep(PAUSE_MS);
    const before = process.cpuUsage();
    for (const link of links) {
      const fromMs = performance.now();
      await commitAll(ledger, [link]);
      waits.push(performance.now() - fromMs);
    }
    await sleep(PAUSE_MS);
    const { user, system } = process.cpuUsage(before);
    processorMs += (user + system) / 1000;
  }
  const writtenMB = (await writtenBytes()) / 1e6;
  await ledger.close();
  await rm(root, { recursive: true });
  waits.sort((a, b) => a - b);
  const at = (share: number) => round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] as number);
  const msABlock = processorMs / waits.length;
  return {
    processorMsABlock: round(msABlock),
    usATransaction: round((1000 * msABlock) / transactionsEach),
    writtenMB: round(writtenMB),
    waitMs: { p50: at(0.5), p99: at(0.99) },
  };
}

async function writtenBytes(): Promise<number> {
  const text = await readFile('/proc/self/io', 'utf8');
  return Number(/^write_bytes: (\d+)/m.exec(text)?.[1]);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
