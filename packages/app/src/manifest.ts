/** What an artifact says of its application, as data. Names are in the order of numbers. */
import type { FormDescription } from './forms/description.ts';

/** Of codecs, host and manifest: a node refuses an artifact of another kit version. */
export const KIT_VERSION = 1;

export interface Units {
  /** 256 ticks each. */
  readonly compute: number;
  /** Values read. */
  readonly reads: number;
  /** Values put or deleted. */
  readonly writes: number;
  /** Bytes of values put and of events. */
  readonly bytes: number;
}

export interface ActionUnits {
  readonly fixed: Units;
  /** Added for each begun KiB of input. */
  readonly perInputKiB: Units;
}

export interface ActionManifest {
  readonly name: string;
  readonly number: number;
  /** A record. */
  readonly input: FormDescription;
  readonly units: ActionUnits;
  /** False: the units are the kit's default. */
  readonly declaresUnits: boolean;
  readonly declaresKeys: boolean;
  /** It may run beside others. Only with declared keys. */
  readonly parallel: boolean;
}

export interface EventManifest {
  readonly name: string;
  readonly number: number;
  /** A record. */
  readonly body: FormDescription;
}

export interface QueryManifest {
  readonly name: string;
  /** A record. */
  readonly input: FormDescription;
  readonly output: FormDescription;
}

export interface TableManifest {
  readonly name: string;
  readonly number: number;
  readonly kind: 'table' | 'cell' | 'sorted';
  /** Parts of a key, in order; empty for a cell. */
  readonly key: readonly FormDescription[];
  /** The key is one value by itself, not a list of one. */
  readonly keyIsSingle: boolean;
  readonly value: FormDescription;
  /** Of values that are written now. */
  readonly version: number;
  /** Forms of values written by earlier versions. */
  readonly earlier: readonly { readonly version: number; readonly value: FormDescription }[];
  /** JSON of the value that an absent entry reads as. */
  readonly empty?: unknown;
}

export interface ApplicationManifest {
  readonly kitVersion: number;
  readonly name: string;
  readonly version: number;
  readonly actions: readonly ActionManifest[];
  readonly events: readonly EventManifest[];
  readonly queries: readonly QueryManifest[];
  readonly tables: readonly TableManifest[];
  /** A record; undefined: it takes no input. */
  readonly genesis?: FormDescription;
  /** Names. */
  readonly invariants: readonly string[];
}
