/** Checks a proof step by step, with the genesis file and the handovers in its file. Contacts no node. */
import { readFile } from 'node:fs/promises';
import {
  isStateProof,
  type ProofStep,
  type RowProofStep,
  type StateProofStep,
  verifyProof,
  verifyRowProof,
  verifyStateProof,
} from '@slipstream/client';
import { defineCommand, EXIT_FAILED, inFolder, required, type Terminal, text } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import { fromHex, fromUtf8, to0x } from '@slipstream/primitives';
import { receiptToJson, rowToJson } from '@slipstream/schema';
import { inclusionProofCodec } from '@slipstream/types';
import { NodeError } from '../../errors.ts';
import { entryJson, entryText } from '../state-entries.ts';

/** Far above the largest proof. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024;
const HEX_TEXT = /^0x[0-9a-fA-F]*$/;
const EVEN_HEX_TEXT = /^0x([0-9a-fA-F]{2})*$/;

export const verifyProofCommand = defineCommand({
  name: 'tx verify-proof',
  summary: 'Verify a proof offline, step by step, with the genesis file.',
  details:
    "PROOF is a file (- for standard input) or 0x text: a transaction's answer, the answer of its /proof route as JSON or " +
    'bytes, or the hexadecimal serialization. A proof of a later epoch than the first needs its handovers: the JSON of ' +
    '/proof?epochsFrom=0 holds them. Rows of distilled batches have their proofs on the same route; a row proof in bytes needs --id. ' +
    'Proofs of state are the answers of accounts, data and sessions with proof=true, and of /v1/state/proofs; what they are of is in the ' +
    'last line. Exits with 1 when a step fails, and names the step.',
  positionals: [{ name: 'PROOF', about: 'a file, - for standard input, or 0x text' }],
  options: {
    genesis: required('FILE', "The chain's genesis file."),
    id: text('0xID', 'The transaction or row that the proof must be of. Without it: the answer names that one.'),
  },
  example: 'slipstream tx verify-proof answer.json --genesis chain/genesis.json',
  async run({ options, arguments: [source = ''], terminal }) {
    const genesis = parseGenesis(await readText(inFolder(terminal, options.genesis), 'genesis file'), options.genesis);
    const input = await readInput(source, terminal);
    const { steps, answer, words } = verdictOn(input, genesis, options.id);
    terminal.out(options.json ? JSON.stringify(answer) : [...steps.map(stepLine), words].join('\n'));
    return answer.verified ? 0 : EXIT_FAILED;
  },
});

type AnyStep = ProofStep | RowProofStep | StateProofStep;

interface Verdict {
  readonly steps: readonly AnyStep[];
  readonly answer: { readonly verified: boolean };
  readonly words: string;
}

function verdictOn(input: unknown, genesis: unknown, id: string | undefined): Verdict {
  if (id === undefined && isStateProof(bytesOf(input))) return verifyState(bytesOf(input), genesis);
  return isRowProof(input, id) ? verifyRow(input, genesis, id) : verify(input, genesis, id);
}

function verifyState(input: unknown, genesis: unknown): Verdict {
  const verdict = verifyStateProof(input, genesis);
  if (!verdict.ok) return refused(verdict.error);
  const { height, entries, genesisHash, steps } = verdict.value;
  const answer = { verified: true, height, entries: entries.map(entryJson), genesisHash, steps };
  return { steps, answer, words: `VERIFIED at height ${height}: ${entries.map(entryText).join('; ')}` };
}

function verify(input: unknown, genesis: unknown, id: string | undefined): Verdict {
  const verdict = verifyProof(input, genesis, id);
  if (!verdict.ok) return refused(verdict.error);
  const { receipt, genesisHash, steps } = verdict.value;
  const { height, status } = receiptToJson(receipt);
  const transactionId = to0x(receipt.transactionId);
  const answer = { verified: true, transactionId, status, height, genesisHash, steps };
  return { steps, answer, words: `VERIFIED: transaction ${transactionId} is ${status} at height ${height}` };
}

function verifyRow(input: unknown, genesis: unknown, id: string | undefined): Verdict {
  const verdict = verifyRowProof(input, genesis, id);
  if (!verdict.ok) return refused(verdict.error);
  const { rowId, batchId, position, row, outcome, leaf, height, genesisHash, steps } = verdict.value;
  const fees = { rowFee: leaf.rowFee.toString(), stragglerFee: leaf.stragglerFee.toString() };
  const place = { rowId, batchId: to0x(batchId), position, height };
  const answer = { verified: true, ...place, row: rowToJson(row), outcome, ...fees, genesisHash, steps };
  const what = `index ${row.sender} to index ${row.recipient}, amount ${row.amount}, sequence ${row.sequence}`;
  return { steps, answer, words: `VERIFIED: row ${rowId} (${what}) is ${outcome.status} at height ${height}` };
}

function refused({
  step,
  message,
  steps,
}: Pick<Verdict, 'steps'> & { readonly step: string; readonly message: string }) {
  return { steps, answer: { verified: false, step, message, steps }, words: `REFUSED at step ${step}: ${message}` };
}

/** Bytes do not show their kind: those that are no receipt's proof are taken for a proof of the row in `id`. */
function isRowProof(input: unknown, id: string | undefined): boolean {
  if (typeof input === 'object' && input !== null && !(input instanceof Uint8Array)) {
    const { proof = input } = input as { readonly proof?: unknown };
    return typeof proof === 'object' && proof !== null && 'rowId' in proof;
  }
  const bytes = bytesOf(input);
  return id !== undefined && bytes instanceof Uint8Array && !inclusionProofCodec.decode(bytes).ok;
}

/** Of hexadecimal text; other input as it is. */
function bytesOf(input: unknown): unknown {
  return typeof input === 'string' && EVEN_HEX_TEXT.test(input) ? fromHex(input.toLowerCase()) : input;
}

function stepLine({ name, outcome, detail }: AnyStep): string {
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
