/**
 * Makes a chain from candidacies alone, without any secret of a node.
 *
 *   <folder>/*.json (one candidacy per file) --> <out>/chain.json (public, for every operator), and the files of foundChain
 *
 * Members are ordered by name; the names of the files do not matter.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@slipstream/ports';
import { type Candidacy, COMMITTEE_MEMBERS_MAX, type GenesisMember } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { chainFileText } from './chain-file.ts';
import {
  type CandidacyFault,
  type CandidacySource,
  checkCandidacies,
  FULL_NODES_MAX,
  faultText,
} from './check-candidacies.ts';
import { readText, writeText } from './files.ts';
import { type ChainTerms, type FoundedChain, foundChain } from './found-chain.ts';
import { CHAIN_FILE } from './layout.ts';

interface CreateOptions extends ChainTerms {
  readonly candidacies: string;
  readonly out: string;
}

interface CreatedChain extends FoundedChain {
  readonly candidacies: readonly Candidacy[];
  /** The file for all operators. */
  readonly file: string;
}

/** A validator's candidacy takes 1.2 kB. */
const CANDIDACY_BYTES_MAX = 16 * 1024;
const FILES_MAX = COMMITTEE_MEMBERS_MAX + FULL_NODES_MAX;

/** Throws HomeError `candidacies-refused`; then nothing is written. */
export async function createChain(
  random: Random,
  options: CreateOptions,
  reportProgress: (done: number, total: number) => void = () => {},
): Promise<CreatedChain> {
  const { chain, out, preset } = options;
  const { sources, faults: unread } = await readCandidacies(options.candidacies);
  const { candidacies, faults } = checkCandidacies(sources, { chain, place: options.candidacies }, reportProgress);
  refuse([...unread, ...faults]);
  const founded = await foundChain(random, out, options, membersOf(candidacies), undefined);
  const { genesis, certificate } = founded;
  const file = join(out, CHAIN_FILE);
  await writeText(file, chainFileText({ genesis, certificate, preset, candidacies }));
  return { ...founded, candidacies, file };
}

export function membersOf(candidacies: readonly Candidacy[]): readonly GenesisMember[] {
  return candidacies.flatMap(({ name, validator, peerKey }): GenesisMember[] =>
    validator === undefined ? [] : [{ ...validator, name, peerKey }],
  );
}

/** Reads every file, whatever its name: a skipped file could be a missing validator. */
async function readCandidacies(
  folder: string,
): Promise<{ readonly sources: readonly CandidacySource[]; readonly faults: readonly CandidacyFault[] }> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  if (names.length > FILES_MAX) {
    const message = `${names.length} files, at most ${FILES_MAX} nodes may be in a genesis`;
    refuse([{ code: 'too-many', file: folder, field: '', message }]);
  }
  const sources: CandidacySource[] = [];
  const faults: CandidacyFault[] = [];
  for (const name of names) {
    const read = await readCandidacy(join(folder, name));
    if ('message' in read) faults.push({ code: 'malformed', file: name, field: '', message: read.message });
    else sources.push({ file: name, json: read.json });
  }
  return { sources, faults };
}

/** Messages never show the content, which may be a secret sent by mistake. */
async function readCandidacy(path: string): Promise<{ readonly json: unknown } | { readonly message: string }> {
  const about = await stat(path);
  if (!about.isFile()) return { message: 'is no file: the folder is to hold one candidacy a file, and nothing else' };
  if (about.size > CANDIDACY_BYTES_MAX) {
    return { message: `has ${about.size} bytes, a candidacy at most ${CANDIDACY_BYTES_MAX}` };
  }
  try {
    return { json: JSON.parse(await readText(path, 'candidacy')) };
  } catch (error) {
    if (error instanceof SyntaxError) return { message: 'is no candidacy: it is not JSON' };
    throw error;
  }
}

function refuse(faults: readonly CandidacyFault[]): void {
  if (faults.length === 0) return;
  const message = `no genesis is made, of these candidacies:\n  ${faults.map(faultText).join('\n  ')}`;
  throw new HomeError('candidacies-refused', message, { faults });
}
