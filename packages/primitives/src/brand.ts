/** Branded types: a view is not a height and a chunk id is not a block id, although both pairs look alike at run time. */
declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
