/** Checks a proof step by step, with the genesis file and the handovers in its file. Contacts no node. */
import { readFile } from 'node:fs/promises';
import { type ProofStep, verifyProof } from '@slipstream/client';
import { defineCommand, EXIT_FAILED, inFolder, required, type Terminal, text } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import { fromUtf8, to0x } from '@slipstream/primitives';
import { receiptToJson } from '@slipstream/schema';
import { NodeError } from '../../errors.ts';

/** Far above the largest proof. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
const HEX_TEXT = /^0x[0-9a-fA-F]*$/;

export const verifyProofCommand = defineCommand({
  name: 'tx verify-proof',
  summary: 'Verify a proof offline, step by step, with the genesis file.',
  details:
    "PROOF is a file (- for standard input) or 0x text: a transaction's answer, the answer of its /proof route as JSON or " +
    'bytes, or the hexadecimal serialization. A proof of a later epoch than the first needs its handovers: the JSON of ' +
    '/proof?epochsFrom=0 holds them. Exits with 1 when a step fails, and names the step.',
  positionals: [{ name: 'PROOF', about: 'a file, - for standard input, or 0x text' }],
  options: {
    genesis: required('FILE', "The chain's genesis file."),
    id: text('0xID', 'The transaction that it must be of. Without it: see which one it is of.'),
  },
  example: 'slipstream tx verify-proof answer.json --genesis chain/genesis.json',
  async run({ options, arguments: [source = ''], terminal }) {
    const genesis = parseGenesis(await readText(inFolder(terminal, options.genesis), 'genesis file'), options.genesis);
    const verdict = verifyProof(await readInput(source, terminal), genesis, options.id);
    if (verdict.ok) {
      const { receipt, genesisHash, steps } = verdict.value;
      const { height, status } = receiptToJson(receipt);
      const transactionId = to0x(receipt.transactionId);
      const answer = { verified: true, transactionId, status, height, genesisHash, steps };
      const words = `VERIFIED: transaction ${transactionId} is ${status} at height ${height}`;
      terminal.out(options.json ? JSON.stringify(answer) : [...steps.map(stepLine), words].join('\n'));
      return 0;
    }
    const { step, message, steps } = verdict.error;
    const words = `REFUSED at step ${step}: ${message}`;
    terminal.out(
      options.json
        ? JSON.stringify({ verified: false, step, message, steps })
        : [...steps.map(stepLine), words].join('\n'),
    );
    return EXIT_FAILED;
  },
});

function stepLine({ name, outcome, detail }: ProofStep): string {
  const mark = { passed: 'ok', failed: 'FAILED', 'not-reached': '-' }[outcome];
  return `  ${name.padEnd(11)} ${mark.padEnd(6)} ${detail}`.trimEnd();
}

async function readInput(source: string, terminal: Terminal): Promise<unknown> {
  if (HEX_TEXT.test(source)) return source;
  const bytes = source === '-' ? await terminal.readInput(INPUT_BYTES_MAX) : await readFile(inFolder(terminal, source));
  const text = textOf(bytes)?.trim();
  if (text === undefined) return new Uint8Array(bytes);
  if (HEX_TEXT.test(text)) return text;
  if (!/^[{["]/.test(text)) return new Uint8Array(bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The verification reports text that is no JSON.
    return text;
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes);
  } catch {
    return undefined;
  }
}

function parseGenesis(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new NodeError(
      'home-incomplete',
      `${path} is not JSON, so no genesis file: name the right one`,
      { path },
      cause,
    );
  }
}
