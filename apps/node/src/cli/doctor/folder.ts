import { existsSync } from 'node:fs';
import { mkdtemp, open, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client } from '@slipstream/client';
import {
  BEGINS_LATER_REMEDY,
  beginsLater,
  type Config,
  DATA,
  HOME,
  HomeError,
  OFFERS_TOO_LITTLE_REMEDY,
  offersTooLittle,
  readAdminToken,
} from '@slipstream/node-home';
import { type BoundKeys, type Identity, identityIn, loadIdentity } from '@slipstream/node-home/identity';
import { keyFault } from '@slipstream/node-home/key-fault';
import { createDisk } from '@slipstream/platform';
import { to0x, toHex } from '@slipstream/primitives';
import { whyNotSigning } from '@slipstream/schema';
import { type Genesis, genesisHashOf, recordOfGenesis } from '@slipstream/types';
import { type LogPosition, logPosition, openSignState, type SignState, WalError } from '@slipstream/wal';
import { OLD_TRUST_REMEDY, oldTrust, oldTrustText } from '../../epochs/checkpoint.ts';
import { readDivergence } from '../../storage/divergence-file.ts';
import { newestKnown } from '../../storage/newest-record.ts';
import { SIGNING_REFUSED_REMEDY } from '../../telemetry/alert-rules.ts';
import { checkAccount } from './account.ts';
import { type Finding, fault, ok, warning } from './finding.ts';
import { keysInForce } from './keys-in-force.ts';

const GIB = 1024 ** 3;
const DISK_WARNING_GIB = 10;
const DISK_FAULT_GIB = 1;
const SYNCS = 20;
/** A view waits for one fsync; above 20 ms it costs more than a round trip across a continent. */
const SYNC_WARNING_MS = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Enough time to find the root key and its password. */
const CERTIFICATE_WARNING_DAYS = 30;
/** Another program on the port may never answer. */
const ANSWER_MS_MAX = 3000;
/** Mode bits for others than the owner. */
const OTHERS = 0o077;
const LOST_REMEDY = 'See "The disk is lost, keys are not" in docs/operators/replace-a-machine.md.';

const SECRETS = [
  'keys.bls',
  'keys.blsPassword',
  'keys.peer',
  'account.keyFile',
  'api.adminTokenFile',
  'development.faucetKey',
] as const;

/** `client`: of the node that runs on this folder. */
export async function checkKeys(home: string, config: Config, client?: Client): Promise<readonly Finding[]> {
  const loaded = await loadIdentity(home, config);
  const { genesis } = loaded;
  const found = await keysInForce(home, genesis, client).catch((error: Error) => error);
  const record = found instanceof Error ? recordOfGenesis(genesis) : found;
  const identity = identityIn(record, loaded);
  const { validator, peer } = identity;
  const role = validator === undefined ? 'full node' : `validator ${validator.index} of ${record.members.length}`;
  const files = SECRETS.map((key) => config[key]).filter((file) => file !== '');
  const later = beginsLater(genesis, Date.now());
  const tooLittle = validator && offersTooLittle(config, genesis);
  return [
    ok('genesis', `chain ${genesis.chain}, hash 0x${toHex(genesisHashOf(genesis)).slice(0, 16)}...`),
    ...(found instanceof Error ? keysUnjudged(found) : keyFindings(record, identity)),
    ...(later === undefined ? [] : [warning('genesis', later, BEGINS_LATER_REMEDY)]),
    ...(tooLittle === undefined ? [] : [warning('retention', tooLittle, OFFERS_TOO_LITTLE_REMEDY)]),
    ok('identity', `${role}, network key ${peer.slice(0, 16)}...`),
    ...(await Promise.all(files.map((file) => permissions(resolve(home, file))))),
    await signingHistory(home, identity),
    ...(await adminToken(home, config)),
    await checkAccount(home, config, client),
    committeeCertificateLife(identity, Date.now()),
  ];
}

/** Whether `client` reaches the node of this folder. */
export async function isNodeOf(home: string, config: Config, client: Pick<Client, 'status'>): Promise<boolean> {
  const { genesisHash, networkKeys } = await loadIdentity(home, config);
  const { genesisHash: chain, node } = await client.status({ signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  return chain === to0x(genesisHash) && networkKeys.some(({ peer }) => `0x${peer}` === node.peer);
}

function keysUnjudged({ message }: Error): readonly Finding[] {
  const remedy = 'The keys of another epoch may be right: run it again once the node answers, or is stopped.';
  return [warning('keys', `not compared with the current committee: ${message}`, remedy)];
}

function keyFindings(record: BoundKeys, identity: Identity): readonly Finding[] {
  const found = keyFault(record, identity);
  if (found === undefined) return [];
  const { kind, message, remedy } = found;
  return [kind === 'standby' ? warning('keys', message, remedy) : fault('keys', message, remedy)];
}

export async function permissions(path: string): Promise<Finding> {
  if (!existsSync(path)) return ok('secret file', `${path}: missing`);
  const { mode } = await stat(path);
  return (mode & OTHERS) === 0
    ? ok('secret file', `${path}: readable by its owner only`)
    : warning('secret file', `${path}: readable or writable by other users`, `chmod 600 ${path}`);
}

/** A missing or invalid token file ends the start. */
async function adminToken(home: string, config: Config): Promise<readonly Finding[]> {
  const file = config['api.adminTokenFile'];
  if (!config['api.enabled'] || file === '') return [];
  const remedy =
    'Write a token to it (openssl rand -hex 32), or remove api.adminTokenFile; admin routes are then disabled.';
  try {
    await readAdminToken(resolve(home, file));
    return [];
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    return [fault('admin token', error.message, remedy)];
  }
}

async function signingHistory(home: string, { validator, genesis }: Identity): Promise<Finding> {
  const folder = join(home, HOME.data);
  if (validator === undefined) return ok('signing history', 'a full node signs nothing');
  if (existsSync(folder)) return await storedHistory(folder, genesis);
  const remedy =
    'Expected for a new validator. If this key has signed elsewhere, stop that node and move its history first: ' +
    'slipstream keys export-history there, keys import-history here.';
  return warning('signing history', 'none: this validator has never run from this folder', remedy);
}

async function storedHistory(folder: string, genesis: Genesis): Promise<Finding> {
  const options = { path: DATA.signState, genesisHash: genesisHashOf(genesis) };
  const disk = createDisk({ root: folder });
  try {
    const state = await openSignState({ disk }, options);
    if (!state.isHandedOver) return trustedHistory(folder, state, await logPosition(disk, DATA.wal));
  } catch (error) {
    if (!(error instanceof WalError)) throw error;
    return fault('signing history', error.message, LOST_REMEDY);
  }
  const remedy =
    'Expected when another machine signs with this key. If none has started with it, or that one is stopped for good: ' +
    'slipstream keys import-history FILE, with its newest history.';
  return fault('signing history', 'exported from this folder for another machine: this node signs nothing', remedy);
}

/** Finds a lost signing history: a fresh sign state although a node ran here, or a log that is not that of the last reservation. */
function trustedHistory(folder: string, state: SignState, log: LogPosition | undefined): Finding {
  const { viewsUpTo, reason, nullifiesUpTo } = state.judge(log);
  if (state.mark === 0 && existsSync(join(folder, DATA.state))) {
    const found = `${join(folder, DATA.signState)} is missing or empty, though a node has run on ${folder}: what it signed is unknown`;
    return warning('signing history', found, LOST_REMEDY);
  }
  if (reason === undefined) return ok('signing history', `in ${folder}`);
  const why = whyNotSigning({ state: 'refused', upToView: viewsUpTo, reason, recovering: nullifiesUpTo >= viewsUpTo });
  return warning('signing history', `this validator ${why}`, SIGNING_REFUSED_REMEDY);
}

function committeeCertificateLife({ committeeCertificate: known }: Identity, nowMs: number): Finding {
  if (known === undefined) return ok('committee certificate', 'none: other chains accept no sessions of this chain');
  const days = Math.floor((known.expiryMs - nowMs) / DAY_MS);
  const remedy =
    'On the machine of the root key: slipstream keys certify-committee; then copy the file here and restart.';
  if (days < 0) return fault('committee certificate', 'expired: other chains reject new sessions', remedy);
  const found = `expires in ${days} days`;
  return days < CERTIFICATE_WARNING_DAYS
    ? warning('committee certificate', found, remedy)
    : ok('committee certificate', found);
}

/** `client`: of the node that runs on this folder. */
export async function checkTrust(home: string, config: Config, client?: Client): Promise<readonly Finding[]> {
  const status = await client?.status().catch(() => undefined);
  if (client !== undefined) {
    const alert = status?.alerts.find(({ rule }) => rule === 'old-trust');
    return alert === undefined ? [] : [warning('trust', alert.message, alert.remedy)];
  }
  const { genesis } = await loadIdentity(home, config);
  const nowMs = Date.now();
  const known = oldTrust(config, await newestKnown(join(home, HOME.data), genesis), nowMs);
  return known === undefined ? [] : [warning('trust', oldTrustText(known, nowMs), OLD_TRUST_REMEDY)];
}

/** Whether this node stopped for a digest mismatch. */
export async function checkState(home: string): Promise<readonly Finding[]> {
  const divergence = await readDivergence(join(home, HOME.data));
  if (divergence === undefined) return [];
  const remedy = `slipstream state verify --home ${home}, then slipstream state rebuild --home ${home}.`;
  return [fault('state', `this node stopped at a digest mismatch: ${divergence.report}`, remedy)];
}

export async function checkDisk(home: string): Promise<readonly Finding[]> {
  return [await space(home), await syncing(home)];
}

async function space(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(home);
  const free = (bavail * bsize) / GIB;
  const found = `${free.toFixed(1)} GiB free`;
  const remedy = 'Free space, or lower retention.blocks: a node stops when its disk is full.';
  if (free < DISK_FAULT_GIB) return fault('disk space', found, remedy);
  return free < DISK_WARNING_GIB ? warning('disk space', found, remedy) : ok('disk space', found);
}

/** Measures what precedes each signature: an append, then an fsync. */
async function syncing(home: string): Promise<Finding> {
  const folder = await mkdtemp(join(home, '.doctor-'));
  try {
    const file = await open(join(folder, 'sync'), 'a');
    const times: number[] = [];
    try {
      for (let at = 0; at < SYNCS; at++) {
        await file.write(Buffer.alloc(512, at));
        const before = performance.now();
        await file.datasync();
        times.push(performance.now() - before);
      }
    } finally {
      await file.close();
    }
    const worst = Math.max(...times);
    const median = times.sort((a, b) => a - b)[SYNCS / 2] as number;
    const found = `an fsync takes ${median.toFixed(2)} ms (p50), ${worst.toFixed(2)} ms at most, of ${SYNCS}`;
    return median < SYNC_WARNING_MS
      ? ok('disk fsync', found)
      : warning('disk fsync', found, 'Use a local SSD: each view of consensus waits for one fsync.');
  } finally {
    await rm(folder, { recursive: true });
  }
}
