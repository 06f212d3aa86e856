/** Finds the validators that made a fork, with the genesis file alone. Contacts no node. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { type Blame, type BlameRefusal, blame, committeesOf } from '@slipstream/client';
import { defineCommand, EXIT_FAILED, inFolder, required, type Terminal, text } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import type { CertificateJson } from '@slipstream/schema';
import { genesisToJson } from '@slipstream/types';
import { NodeError } from '../../errors.ts';

/** Length of a side without the records that do not matter; a string of JavaScript holds twice as many characters. */
const INPUT_CHARACTERS_MAX = 256 * 1024 * 1024;
/** A line of a node's log that no verdict needs. Most are chunks. */
const OTHER_RECORD = /^\{"type":"(?:segment|record)"(?!.*"kind":"(?:certificate|proposal|own-proposal)")/;

export const evidenceBlameCommand = defineCommand({
  name: 'evidence blame',
  summary: 'Name the validators that made a fork, from two conflicting certificates and the genesis file.',
  details:
    'A and B are files of the two sides: JSON answers of /v1/certificates/HEIGHT, /v1/blocks/BLOCK and /v1/transactions/ID/proof, single ' +
    'certificates, or what "slipstream wal inspect --json" prints; several in a list, or one a line. Blocks of different views ' +
    'conflict through what lies between: the command says which block or certificate is missing. Of nullifications and notarizations ' +
    'the logs of the nodes have copies. No honest validator is named, whatever the others did. Exits with 1 when no validator is named.',
  positionals: [
    { name: 'A', about: 'a file of one side' },
    { name: 'B', about: 'a file of the other side' },
  ],
  options: {
    genesis: required('FILE', "The chain's genesis file."),
    handovers: text('FILE', 'An answer of /v1/handovers, for certificates of later epochs than the first.'),
  },
  example: 'slipstream evidence blame one.json other.json --genesis chain/genesis.json',
  async run({ options, arguments: [first = '', second = ''], terminal }) {
    const { readGenesis } = await import('@slipstream/node-home');
    const genesis = genesisToJson(await readGenesis(inFolder(terminal, options.genesis)));
    const chain = options.handovers === undefined ? genesis : await follow(genesis, options.handovers, terminal);
    const verdict = blame(await readSide(first, terminal), await readSide(second, terminal), chain);
    if (verdict.ok) {
      terminal.out(options.json ? JSON.stringify({ blamed: true, ...verdict.value }) : blameText(verdict.value));
      return 0;
    }
    terminal.out(options.json ? JSON.stringify({ blamed: false, ...verdict.error }) : refusalText(verdict.error));
    return EXIT_FAILED;
  },
});

async function follow(genesis: unknown, path: string, terminal: Terminal) {
  const committees = committeesOf(genesis);
  if (!committees.ok) throw new NodeError('home-incomplete', `no genesis file: ${committees.error}`, {});
  const followed = committees.value.follow(jsonOf(await readText(inFolder(terminal, path), 'file of handovers')));
  if (!followed.ok) throw new NodeError('usage', `${path}: ${followed.error}`, { path });
  return committees.value;
}

/** JSON over many lines, or one value a line. Other text is left to `blame`, which says what it should be. */
async function readSide(path: string, terminal: Terminal): Promise<unknown> {
  const lines: string[] = [];
  let characters = 0;
  const input = createReadStream(inFolder(terminal, path), 'utf8');
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '' || OTHER_RECORD.test(line)) continue;
    characters += line.length;
    if (characters > INPUT_CHARACTERS_MAX) {
      throw new NodeError('usage', `${path} is too long: cut it to the views of the fork`, { path });
    }
    lines.push(line);
  }
  const values = lines.map(jsonOf);
  if (values.length !== 1 && !values.includes(undefined)) return values.flat();
  const text = lines.join('\n').trim();
  return jsonOf(text) ?? text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function blameText({ culprits, weight, totalWeight, pairs }: Blame): string {
  return [
    ...pairs.flatMap(({ rule, first, second, culprits: both }) => [
      `validators ${both.join(', ')} signed both, against ${rule}`,
      `  ${certificateText(first)}`,
      `  ${certificateText(second)}`,
    ]),
    ...culprits.map(({ index, weight: own, publicKey }) => `validator ${index}: weight ${own}, key ${publicKey}`),
    `BLAMED: weight ${weight} of ${totalWeight}, more than a third`,
  ].join('\n');
}

function certificateText({ kind, view, blockId, stateDigest, signers, aggregate }: CertificateJson): string {
  const of = [blockId, stateDigest].flatMap((id) => (id === undefined ? [] : [` ${id}`])).join('');
  return `${kind} of view ${view}${of}, signers ${signers.join(', ')}, signature ${aggregate}`;
}

function refusalText({ reason, message, needed }: BlameRefusal): string {
  return [`NO BLAME (${reason}): ${message}`, ...needed.map((each) => `  needed: ${each}`)].join('\n');
}
