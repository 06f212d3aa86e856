/** A store that fails to close does not keep the others open. */

/** Closes in the given order. Rejects with the first error. */
export async function closeAll(stores: readonly { close(): Promise<void> }[]): Promise<void> {
  const errors: unknown[] = [];
  for (const store of stores) await store.close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
