/** Callers share one running call of `ask`. */
export function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
