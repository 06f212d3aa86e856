/** Whoever asks while a question is under way gets its answer: a thousand readers cost one. */
export function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
