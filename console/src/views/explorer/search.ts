/** Recognizes a height, an id or an account by its form. */
export type Query =
  | { readonly type: 'block'; readonly block: string }
  | { readonly type: 'account'; readonly account: string }
  /** 32 bytes: a transaction, a row, a block or a batch. */
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'unclear' };

export function parseQuery(text: string): Query {
  const query = text.trim().toLowerCase().replace(/,/g, '');
  if (query === 'latest' || /^\d{1,15}$/.test(query)) {
    return { type: 'block', block: query === 'latest' ? query : String(Number(query)) };
  }
  const hex = query.startsWith('0x') ? query : `0x${query}`;
  if (/^0x0[123][0-9a-f]{64}$/.test(hex)) return { type: 'account', account: hex };
  if (/^0x[0-9a-f]{64}$/.test(hex)) return { type: 'id', id: hex };
  return { type: 'unclear' };
}
