/** A gateway: sends transfers of many accounts from standard input, and signs one share for all their rows in a batch. */
import { ClientError } from '@slipstream/client';
import {
  type Distillery,
  type DistilleryKeys,
  openDistillery,
  type TransferRequest,
} from '@slipstream/client/distillery';
import { defineCommand, EXIT_FAILED, inFolder, required, type Terminal, usageError } from '@slipstream/command-line';
import { ACCOUNT_ROWS_MAX } from '@slipstream/distilled/stream';
import { readText } from '@slipstream/node-home';
import { fromUtf8 } from '@slipstream/primitives';
import { parseAccountKey } from '@slipstream/types';
import { readKeyPair } from '../account-key.ts';
import { brokerOptions, chainOf, nativeSigning, readBlsKey, reportBroker, resultText, urlsOf } from '../distilling.ts';

const NAME = 'slipstream distill gateway';
/** A hundred bytes a transfer. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
/** Of a wrong line, in characters: an account takes 68. */
const LINE_SHOWN = 200;

export const distillGatewayCommand = defineCommand({
  name: 'distill gateway',
  summary: 'Send transfers of many accounts through a broker: one share stands for all their rows in a batch.',
  details:
    'Reads a transfer a line from standard input, {"from": ACCOUNT or INDEX, "to": ACCOUNT or INDEX, "amount": "5", "tag": 7}, and prints what ' +
    'became of each as it ends, a line of JSON each. Exits with 1 when a transfer did not succeed. The file of --accounts has a list ' +
    '[{"key": FILE, "blsKey": FILE}, ...]; each account has to be in the directory.',
  options: {
    accounts: required('FILE', 'Key files of the accounts, relative to the present folder.'),
    ...brokerOptions,
  },
  example: 'slipstream distill gateway --accounts accounts.json --genesis chain/genesis.json < transfers.jsonl',
  async run({ options, terminal }) {
    const keys = await readAccounts(options.accounts, terminal);
    const transfers = parseTransfers(await terminal.readInput(INPUT_BYTES_MAX));
    const distillery = openDistillery(urlsOf(options, terminal), keys, {
      chain: await chainOf(options, terminal),
      onBroker: reportBroker(terminal),
      transfersMax: transfers.length,
      ...nativeSigning,
    });
    try {
      // What no transfer could pass is reported once.
      await distillery.ready();
      const failures = await sendAll(distillery, transfers, terminal);
      return failures === 0 ? 0 : EXIT_FAILED;
    } finally {
      distillery.close();
    }
  },
});

interface NumberedTransfer {
  /** Of the input, from 1. */
  readonly line: number;
  readonly request: TransferRequest;
}

/** Returns how many did not succeed. */
async function sendAll(
  distillery: Distillery,
  transfers: readonly NumberedTransfer[],
  terminal: Terminal,
): Promise<number> {
  let failures = 0;
  async function sendEach(left: Iterable<NumberedTransfer>): Promise<void> {
    for (const { line, request } of left) {
      try {
        const result = await distillery.transfer(request);
        if (result.status !== 'success') failures++;
        terminal.out(`{"line":${line},"result":${resultText(result, true)}}`);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        failures++;
        terminal.out(JSON.stringify({ line, error: { code: error.code, message: error.message } }));
      }
    }
  }
  // More of one account would only wait, and a transfer that waits expires.
  const running = [...Map.groupBy(transfers, ({ request }) => request.from).values()].flatMap((own) => {
    const left = own.values();
    return Array.from({ length: Math.min(ACCOUNT_ROWS_MAX, own.length) }, () => sendEach(left));
  });
  await Promise.all(running);
  return failures;
}

async function readAccounts(file: string, terminal: Terminal): Promise<readonly DistilleryKeys[]> {
  const list = parsed(await readText(inFolder(terminal, file), 'list of accounts'));
  if (!Array.isArray(list)) throw usageError(NAME, [`${file} is no JSON list of {"key": FILE, "blsKey": FILE}`]);
  const keys: DistilleryKeys[] = [];
  for (const [i, entry] of list.entries()) {
    const { key, blsKey } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof key !== 'string' || typeof blsKey !== 'string') {
      throw usageError(NAME, [`entry ${i + 1} of ${file} has no "key" and "blsKey"`]);
    }
    keys.push({ account: await readKeyPair(key, terminal), bls: await readBlsKey(blsKey, terminal) });
  }
  return keys;
}

/** All are checked before the first is sent. */
function parseTransfers(input: Uint8Array): readonly NumberedTransfer[] {
  const lines = textOf(input).split('\n').entries();
  return [...lines].flatMap(([i, text]) => (text.trim() === '' ? [] : parseTransfer(text, i + 1)));
}

function textOf(input: Uint8Array): string {
  try {
    return fromUtf8(input);
  } catch {
    throw usageError(NAME, ['standard input is no text in UTF-8: give it a transfer a line']);
  }
}

function parseTransfer(text: string, line: number): NumberedTransfer {
  const { from, to, amount, tag = 0 } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>;
  if (!isReference(from) || !isReference(to) || !isAmount(amount) || !isUint32(tag)) {
    const form = '{"from": ACCOUNT or INDEX, "to": ACCOUNT or INDEX, "amount": "5", "tag": 7}';
    throw usageError(NAME, [`line ${line} is no ${form}: ${text.slice(0, LINE_SHOWN)}`]);
  }
  return { line, request: { from, to, amount: BigInt(amount), tag } };
}

function isReference(value: unknown): value is string | number {
  return typeof value === 'string' ? parseAccountKey(value).ok : isUint32(value);
}

function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9]{1,20}$/.test(value) && BigInt(value) < 2n ** 64n;
}

function isUint32(value: unknown): value is number {
  return typeof value === 'number' && value >>> 0 === value;
}

/** Undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
