/**
 * Artifacts of a running node: what it may run, what peers sent, and what the chain names.
 *
 *   named by a record or a proposal --not here--> missing --from a peer--> fetched --app accept--> accepted: it may run
 *                                                             file in the home --app accept--^
 *
 * INVARIANT (applications.md, A21): only what this node's operator accepted, and what genesis names, is ever loaded in a realm.
 */
import type { AcceptOutcome } from '@slipstream/api';
import type { ApplicationManifest } from '@slipstream/app/program';
import { artifactHash, decodeArtifact } from '@slipstream/app-realm';
import {
  type ArtifactTable,
  artifactTable,
  keepAccepted,
  keepFetched,
  readAcceptedIfAny,
  removeFetched,
} from '@slipstream/node-home/applications';
import type { Telemetry } from '@slipstream/ports';
import { CodedError, fromHex, to0x, toHex } from '@slipstream/primitives';
import type { ArtifactState, ArtifactView } from '@slipstream/schema';
import { ARTIFACT_PIECE_BYTES } from '@slipstream/types';
import { manifestDifferences } from './manifest-differences.ts';
import { upgradeFaults } from './upgrade-faults.ts';

export interface NamedArtifact {
  readonly hash: Uint8Array;
  readonly by: 'record' | 'proposal';
}

/** `has` and `manifestOf` know accepted artifacts and those of genesis. */
export interface NodeArtifacts extends ArtifactTable {
  stateOf(hash: Uint8Array): ArtifactState;
  /** What the newest record and open proposals name, from now on; others that peers sent are removed. */
  name(named: readonly NamedArtifact[]): Promise<void>;
  /** Those that records of earlier epochs name are served too. */
  nameEarlier(hashes: readonly Uint8Array[]): void;
  /** Named ones that are to be fetched, most urgent first. */
  missing(): readonly Uint8Array[];
  /** Of a peer, with the hash that was asked for. */
  fetched(artifact: Uint8Array): Promise<void>;
  accept(hash: Uint8Array): Promise<AcceptOutcome>;
  /** For a peer (Archive.artifact of packages/sync). */
  piece(hash: Uint8Array, from: number): { readonly bytes: Uint8Array; readonly more: boolean } | undefined;
  list(): readonly ArtifactView[];
}

interface ArtifactParts {
  readonly telemetry: Pick<Telemetry, 'log' | 'gauge'>;
  /** Loads it where blocks are executed, before anything else knows of it. Throws CodedError where it cannot be loaded. */
  readonly load: (artifact: Uint8Array) => Promise<void>;
  /** It may run: call of each part that has programs of its own. */
  readonly accepted: (artifact: Uint8Array) => Promise<void>;
}

interface ArtifactSetting {
  readonly home: string;
  /** Of genesis, in its order. */
  readonly applications: readonly Uint8Array[];
  readonly accepted: readonly Uint8Array[];
  readonly fetched: readonly Uint8Array[];
}

/** As many as a readiness names. More proposals at once are fetched as these end. */
const FETCHED_MAX = 8;
/** Of earlier epochs: 5,000 are some 300 kB. */
const EARLIER_MAX = 5_000;

export function createNodeArtifacts(
  { telemetry, load, accepted }: ArtifactParts,
  { home, applications, ...found }: ArtifactSetting,
): NodeArtifacts {
  const [runnable, waiting] = [byHash([...applications, ...found.accepted]), byHash(found.fetched)];
  const earlier = new Set(applications.map((artifact) => toHex(artifactHash(artifact))));
  let table = artifactTable([...runnable.values()]);
  let named = new Map<string, NamedArtifact['by']>();
  /** Why bytes with a named hash are no artifact. */
  const unusable = new Map<string, string>();
  let accepting: Promise<unknown> = Promise.resolve();

  function stateOf(hash: Uint8Array): ArtifactState {
    if (table.has(hash)) return 'accepted';
    const name = toHex(hash);
    return waiting.has(name) ? 'fetched' : unusable.has(name) ? 'unusable' : 'missing';
  }

  async function accept(hash: Uint8Array): Promise<AcceptOutcome> {
    const name = toHex(hash);
    const known = runnable.get(name);
    const artifact = known ?? waiting.get(name) ?? (await readAcceptedIfAny(home, hash));
    const manifest = artifact && manifestIn(artifact);
    if (artifact === undefined || manifest === undefined) return { type: 'unknown' };
    const before = newestOf([...runnable.values()], manifest.name);
    const differences = before === undefined ? [] : manifestDifferences(before, manifest);
    const done = { type: 'accepted', name: manifest.name, version: manifest.version, differences } as const;
    if (known !== undefined) return done;
    const detail = refusalOf(manifest, before) ?? (await faultOf(() => load(artifact)));
    if (detail !== undefined) return { type: 'refused', detail };
    await keepAccepted(home, artifact);
    await accepted(artifact);
    runnable.set(name, artifact);
    table = artifactTable([...runnable.values()]);
    waiting.delete(name);
    await removeFetched(home, hash);
    report();
    telemetry.log('info', `artifact ${to0x(hash)} is accepted: ${manifest.name} version ${manifest.version} may run`);
    return done;
  }

  function missing(): readonly Uint8Array[] {
    const room = FETCHED_MAX - waiting.size;
    const all = [...named.keys()].filter((name) => stateOf(fromHex(name)) === 'missing');
    return all.slice(0, Math.max(0, room)).map((name) => fromHex(name));
  }

  function report(): void {
    for (const state of ['missing', 'fetched', 'unusable'] as const) {
      const count = [...named.keys()].filter((name) => stateOf(fromHex(name)) === state).length;
      telemetry.gauge('node_artifacts', count, { state });
    }
  }

  function viewOf(name: string): ArtifactView {
    const hash = fromHex(name);
    const artifact = runnable.get(name) ?? waiting.get(name);
    const manifest = artifact && manifestIn(artifact);
    return {
      hash: to0x(hash),
      state: stateOf(hash),
      namedBy: named.get(name) ?? null,
      ...(artifact && { bytes: artifact.length }),
      ...(manifest && { name: manifest.name, version: manifest.version }),
      ...(unusable.has(name) && { fault: unusable.get(name) as string }),
    };
  }

  report();
  return {
    has: (hash) => table.has(hash),
    manifestOf: (hash, number) => table.manifestOf(hash, number),
    stateOf,
    async name(next) {
      const found = new Map<string, NamedArtifact['by']>();
      for (const { hash, by } of next) if (!found.has(toHex(hash))) found.set(toHex(hash), by);
      named = found;
      for (const name of waiting.keys()) {
        if (named.has(name)) continue;
        waiting.delete(name);
        await removeFetched(home, fromHex(name));
      }
      for (const name of unusable.keys()) if (!named.has(name)) unusable.delete(name);
      report();
    },
    nameEarlier(hashes) {
      for (const hash of hashes) if (earlier.size < EARLIER_MAX) earlier.add(toHex(hash));
    },
    missing,
    async fetched(artifact) {
      const hash = artifactHash(artifact);
      const decoded = decodeArtifact(artifact);
      if (decoded.ok) {
        await keepFetched(home, artifact);
        waiting.set(toHex(hash), artifact);
      } else unusable.set(toHex(hash), decoded.error.message);
      report();
      telemetry.log(decoded.ok ? 'info' : 'warn', `artifact ${to0x(hash)} was sent by a peer`, {
        bytes: artifact.length,
        ...(!decoded.ok && { fault: decoded.error.message }),
      });
    },
    accept(hash) {
      const done = accepting.then(() => accept(hash));
      accepting = done.catch(() => {});
      return done;
    },
    piece(hash, from) {
      const name = toHex(hash);
      if (!named.has(name) && !earlier.has(name)) return undefined;
      return pieceOf(runnable.get(name) ?? waiting.get(name), from);
    },
    list() {
      const all = new Set([...named.keys(), ...runnable.keys(), ...waiting.keys()]);
      return [...all].map(viewOf);
    },
  };
}

function manifestIn(artifact: Uint8Array): ApplicationManifest | undefined {
  const decoded = decodeArtifact(artifact);
  return decoded.ok ? decoded.value.manifest : undefined;
}

function refusalOf(manifest: ApplicationManifest, before: ApplicationManifest | undefined): string | undefined {
  if (before === undefined) return `this chain runs no application ${manifest.name}`;
  const faults = upgradeFaults(before, manifest);
  if (faults.length === 0) return undefined;
  return `it cannot follow version ${before.version} of ${manifest.name}: ${faults.join('; ')}`;
}

function newestOf(artifacts: readonly Uint8Array[], name: string): ApplicationManifest | undefined {
  const all = artifacts.flatMap((artifact) => manifestIn(artifact) ?? []).filter((each) => each.name === name);
  return all.sort((a, b) => b.version - a.version)[0];
}

function pieceOf(artifact: Uint8Array | undefined, from: number): ReturnType<NodeArtifacts['piece']> {
  if (artifact === undefined || from >= artifact.length) return undefined;
  const end = from + ARTIFACT_PIECE_BYTES;
  return { bytes: artifact.subarray(from, end), more: end < artifact.length };
}

function byHash(artifacts: readonly Uint8Array[]): Map<string, Uint8Array> {
  return new Map(artifacts.map((artifact) => [toHex(artifactHash(artifact)), artifact]));
}

/** A script that cannot be loaded is its author's fault, and no reason to stop the node. */
async function faultOf(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error.message;
    throw error;
  }
}
