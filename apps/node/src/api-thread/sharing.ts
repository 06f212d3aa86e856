/** Shares one call of `ask` among all callers that come while it is under way. */
export function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
