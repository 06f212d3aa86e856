/** Transactions whose attestation clients wait for. At most attestationWaitsMax; the oldest are forgotten. */
export interface AttestationWaits {
  add(id: string): void;
  has(id: string): boolean;
  hasAny(ids: readonly string[]): boolean;
  remove(ids: readonly string[]): void;
}

export function createAttestationWaits({
  attestationWaitsMax,
}: {
  readonly attestationWaitsMax: number;
}): AttestationWaits {
  const waits = new Set<string>();
  return {
    add(id) {
      waits.delete(id);
      waits.add(id);
      if (waits.size > attestationWaitsMax) waits.delete(waits.keys().next().value as string);
    },
    has: (id) => waits.has(id),
    // Mostly there are none, and a chunk has thousands of ids.
    hasAny: (ids) => waits.size > 0 && ids.some((id) => waits.has(id)),
    remove(ids) {
      if (waits.size > 0) for (const id of ids) waits.delete(id);
    },
  };
}
