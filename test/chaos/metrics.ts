/** The first series of this name whose line has these labels, as written; 0 when there is none yet. */
export async function metricOf(node: { readonly url: string }, metric: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(metric) && each.includes(labels));
  return Number(line?.split(' ').at(-1) ?? 0);
}
