/** Addresses whose last login held: a flood of strangers leaves them a part of each bound. */
export interface KnownAddresses {
  has(address: string): boolean;
  /** After a login whose signature was checked. */
  record(address: string, holds: boolean): void;
}

/** The one whose login is longest ago is forgotten first. */
const ADDRESSES_MAX = 16_384;

export function createKnownAddresses(): KnownAddresses {
  const known = new Set<string>();
  return {
    has: (address) => known.has(address),
    record(address, holds) {
      known.delete(address);
      if (holds) known.add(address);
      if (known.size > ADDRESSES_MAX) known.delete(known.values().next().value as string);
    },
  };
}
