/** The transactions whose attestation clients of this node wait for. At most waitsMax; the oldest are forgotten. */
export interface AttestationWaits {
  add(id: string): void;
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
    // Mostly there are none, and a chunk has thousands of ids.
    hasAny: (ids) => waits.size > 0 && ids.some((id) => waits.has(id)),
    remove(ids) {
      if (waits.size > 0) for (const id of ids) waits.delete(id);
    },
  };
}
