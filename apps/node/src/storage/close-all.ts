/** Stores that are closed together: one that cannot be closed in order does not keep the others open. */

/** In this order, one at a time. Rejects with the first error, once all were asked. */
export async function closeAll(stores: readonly { close(): Promise<void> }[]): Promise<void> {
  const errors: unknown[] = [];
  for (const store of stores) await store.close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
