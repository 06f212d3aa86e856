/** Branded types: distinguish a view from a height, or a chunk id from a block id, at compile time. */
declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
