/** A gateway: sends transfers of many accounts from standard input, and signs one share for all their rows in a batch. */
import { ClientError } from '@slipstream/client';
import {
  type Distillery,
  type DistilleryKeys,
  openDistillery,
  type TransferRequest,
} from '@slipstream/client/distillery';
import { defineCommand, EXIT_FAILED, inFolder, required, type Terminal, usageError } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import { fromUtf8 } from '@slipstream/primitives';
import { readKeyPair } from '../account-key.ts';
import { brokerOptions, chainOf, nativeSigning, readBlsKey, reportBroker, resultText, urlsOf } from '../distilling.ts';

const NAME = 'slipstream distill gateway';
/** A hundred bytes a transfer. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
const RUNNING_MAX = 5_000;

export const distillGatewayCommand = defineCommand({
  name: 'distill gateway',
  summary: 'Send transfers of many accounts through a broker: one share stands for all their rows in a batch.',
  details:
    'Reads a transfer a line from standard input, {"from": ACCOUNT, "to": ACCOUNT or INDEX, "amount": "5", "tag": 7}, and prints what ' +
    'became of each as it ends, a line of JSON each. Exits with 1 when a transfer did not succeed. ACCOUNTS is a file with a list ' +
    '[{"key": FILE, "blsKey": FILE}, ...]; each account has to be in the directory.',
  options: {
    accounts: required('ACCOUNTS', 'Key files of the accounts, relative to the present folder.'),
    ...brokerOptions,
  },
  example: 'slipstream distill gateway --accounts accounts.json --genesis chain/genesis.json < transfers.jsonl',
  async run({ options, terminal }) {
    const keys = await readAccounts(options.accounts, terminal);
    const lines = linesOf(await terminal.readInput(INPUT_BYTES_MAX));
    const transfers = lines.map((line, i) => parseTransfer(line, i + 1));
    const distillery = openDistillery(urlsOf(options, terminal), keys, {
      chain: await chainOf(options, terminal),
      onBroker: reportBroker(terminal),
      transfersMax: RUNNING_MAX,
      ...nativeSigning,
    });
    try {
      const failures = await sendAll(distillery, transfers, terminal);
      return failures === 0 ? 0 : EXIT_FAILED;
    } finally {
      distillery.close();
    }
  },
});

/** Returns how many did not succeed. */
async function sendAll(
  distillery: Distillery,
  requests: readonly TransferRequest[],
  terminal: Terminal,
): Promise<number> {
  let failures = 0;
  const left = requests.entries();
  async function sendFrom(): Promise<void> {
    for (const [i, request] of left) {
      try {
        const result = await distillery.transfer(request);
        if (result.status !== 'success') failures++;
        terminal.out(`{"line":${i + 1},"result":${resultText(result, true)}}`);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        failures++;
        terminal.out(JSON.stringify({ line: i + 1, error: { code: error.code, message: error.message } }));
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(RUNNING_MAX, requests.length) }, sendFrom));
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

function linesOf(input: Uint8Array): readonly string[] {
  return fromUtf8(input)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function parseTransfer(line: string, number: number): TransferRequest {
  const { from, to, amount, tag = 0 } = (parsed(line) ?? {}) as Readonly<Record<string, unknown>>;
  const isEntry = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  if (
    !isEntry(from) ||
    !isEntry(to) ||
    typeof amount !== 'string' ||
    !/^[0-9]{1,20}$/.test(amount) ||
    typeof tag !== 'number'
  ) {
    throw usageError(NAME, [
      `line ${number} is no {"from": ACCOUNT, "to": ACCOUNT, "amount": "5"}: ${line.slice(0, 80)}`,
    ]);
  }
  return { from: from as string | number, to: to as string | number, amount: BigInt(amount), tag };
}

/** Undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
