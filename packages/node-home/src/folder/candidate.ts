/**
 * A node's folder before its chain has a genesis: its keys, and the candidacy that its operator sends to the genesis' maker.
 *
 *   <home>/candidacy.json (public)  <home>/keys/ (as init makes them)
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createBlsSigner, signCandidacy } from '@slipstream/crypto/native';
import type { Random } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { type Candidacy, candidacyFromJson, candidacyToJson } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { readJson, readSecret, writeText } from './files.ts';
import { chainIn } from './folder-state.ts';
import { HOME } from './layout.ts';
import {
  BLS_PLACES,
  type NodeKeys,
  nodeKeysOf,
  readBlsKey,
  SECRET_BYTES,
  writeAdminToken,
  writePeerSeed,
} from './node-keys.ts';
import { makeMissingKeys } from './validator-keys.ts';

interface CandidateOptions {
  readonly home: string;
  readonly chain: string;
  readonly name: string;
  /** Undefined for a full node. */
  readonly validator: Parameters<typeof signCandidacy>[0]['validator'];
}

/** Uses existing keys and creates missing ones. Throws HomeError `usage` or `home-incomplete`. */
export async function makeCandidacy(random: Random, options: CandidateOptions): Promise<Candidacy> {
  const { home, chain, name, validator } = options;
  const there = chainIn(home);
  if (there.length > 0) {
    throw new HomeError(
      'usage',
      `${home} is of a chain already (${there.join(', ')}): choose another folder with --home`,
    );
  }
  const validates = validator !== undefined;
  if (!validates && existsSync(join(home, HOME.blsKeystore))) {
    throw new HomeError('usage', `${home} has the key of a validator: choose another folder for a full node`, { home });
  }
  await makeMissing(random, home, validates, `${chain} ${name}`);
  const { peerSeed, bls } = await readNodeKeys(home, validates);
  const candidacy = signCandidacy({ chain, name, validator }, { peerSeed, bls: bls && createBlsSigner(bls.secret) });
  await writeText(join(home, HOME.candidacy), candidacyText(candidacy));
  return candidacy;
}

/** Never overwrites a key file. */
async function makeMissing(random: Random, home: string, validates: boolean, description: string): Promise<void> {
  const has = (name: string) => existsSync(join(home, name));
  const seed = HOME.peerSeed;
  if (validates) await makeMissingKeys(random, home, { ...BLS_PLACES, seed }, description);
  else if (!has(seed)) await writePeerSeed(home, random.bytes(SECRET_BYTES));
  if (!has(HOME.adminToken)) await writeAdminToken(random, home);
}

async function readNodeKeys(home: string, validates: boolean): Promise<NodeKeys> {
  const peerSeed = await readSecret(join(home, HOME.peerSeed), 'seed of a network key');
  const secret = validates
    ? await readBlsKey(join(home, BLS_PLACES.keystore), join(home, BLS_PLACES.password))
    : undefined;
  return nodeKeysOf(peerSeed, secret);
}

/** The folder's candidacy, checked against its keys. Throws HomeError `home-incomplete` or `key-mismatch`. */
export async function readCandidate(home: string): Promise<Candidacy> {
  const path = join(home, HOME.candidacy);
  const parsed = candidacyFromJson(await readJson(path, "candidacy of this folder's node"));
  if (!parsed.ok) {
    const message = `${path} is no candidacy, create it again (slipstream genesis candidate):\n  ${parsed.error.join('\n  ')}`;
    throw new HomeError('home-incomplete', message, { path, faults: parsed.error });
  }
  const candidacy = parsed.value;
  const { peerKey, bls } = await readNodeKeys(home, candidacy.validator !== undefined);
  const isOurs =
    peerKey === candidacy.peerKey &&
    (candidacy.validator === undefined || (bls && bytesEqual(bls.publicKey, candidacy.validator.blsPublicKey)));
  if (isOurs) return candidacy;
  const message = `${path} is of other keys than those under ${join(home, 'keys')}: bring the right ones, or create it again`;
  throw new HomeError('key-mismatch', message, { path });
}

function candidacyText(candidacy: Candidacy): string {
  return `${JSON.stringify(candidacyToJson(candidacy), null, 2)}\n`;
}
