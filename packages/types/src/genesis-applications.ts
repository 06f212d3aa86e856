/** Applications of a chain, in genesis: which code it runs, and what each begins with. Their order gives their numbers. */
import { ByteListType, bytesEqual, ContainerType, fromUtf8, to0x, utf8 } from '@slipstream/primitives';
import { isNameOfApplication } from './actions/call.ts';
import { parseBytes } from './actions/json.ts';
import { ZERO_ID } from './ids.ts';
import type { Json, JsonReader } from './json-reader.ts';
import { APPLICATION_GENESIS_BYTES_MAX, APPLICATION_NAME_BYTES_MAX, APPLICATIONS_MAX } from './limits.ts';
import { bytes32 } from './subject-wire.ts';

export interface GenesisApplication {
  /** Each once. */
  readonly name: string;
  /** SHA-256 of the artifact; zeros: `bindsNameAlone`. */
  readonly hash: Uint8Array;
  /** Of its genesis function, in that function's form; up to 1 MiB. */
  readonly input: Uint8Array;
}

/** A1: on a development chain any artifact of the name may run, so that its history can run on a newer one. */
export function bindsNameAlone({ hash }: Pick<GenesisApplication, 'hash'>): boolean {
  return bytesEqual(hash, ZERO_ID);
}

/** Whether genesis lets an artifact with the hash `found` run. */
export function bindsArtifact(application: Pick<GenesisApplication, 'hash'>, found: Uint8Array): boolean {
  return bindsNameAlone(application) || bytesEqual(application.hash, found);
}

export interface GenesisApplicationWire extends Omit<GenesisApplication, 'name'> {
  readonly name: Uint8Array;
}

export const genesisApplicationType = new ContainerType({
  name: new ByteListType(APPLICATION_NAME_BYTES_MAX),
  hash: bytes32,
  input: new ByteListType(APPLICATION_GENESIS_BYTES_MAX),
});

export function genesisApplicationToWire({ name, ...rest }: GenesisApplication): GenesisApplicationWire {
  return { ...rest, name: utf8(name) };
}

/** Throws RangeError on a malformed name. */
export function genesisApplicationFromWire({ name, ...rest }: GenesisApplicationWire): GenesisApplication {
  return { ...rest, name: requireName(fromUtf8(name)) };
}

export function genesisApplicationToJson({ name, hash, input }: GenesisApplication): Json {
  return { name, hash: to0x(hash), input: to0x(input) };
}

/** Undefined where the chain has none. */
export function readGenesisApplications(reader: JsonReader, root: Json): readonly GenesisApplication[] | undefined {
  if (root.applications === undefined) return undefined;
  const applications = reader.list(root.applications, 'applications', APPLICATIONS_MAX).map((entry, i) => {
    const path = `applications[${i}]`;
    const json = reader.object(entry, path);
    return {
      name: reader.parse(`${path}.name`, '', () => requireName(json.name)),
      hash: reader.bytes(json.hash, `${path}.hash`, 32),
      input: reader.parse(`${path}.input`, new Uint8Array(0), () =>
        inputFrom(reader.text(json.input, `${path}.input`)),
      ),
    };
  });
  if (new Set(applications.map(({ name }) => name)).size !== applications.length)
    reader.faults.push('applications: two have the same name');
  return applications.length === 0 ? undefined : applications;
}

function requireName(name: unknown): string {
  if (typeof name === 'string' && isNameOfApplication(name)) return name;
  throw new RangeError('must be a letter, then up to 31 of a-z, 0-9 and -');
}

function inputFrom(text: string): Uint8Array {
  const bytes = parseBytes(text);
  if (bytes.length <= APPLICATION_GENESIS_BYTES_MAX) return bytes;
  throw new RangeError(`has ${bytes.length} bytes, at most ${APPLICATION_GENESIS_BYTES_MAX} are allowed`);
}
