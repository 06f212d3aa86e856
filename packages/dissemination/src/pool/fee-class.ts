/** In packing order. */
export const FEE_CLASSES = ['urgent', 'ordinary'] as const;
export type FeeClass = (typeof FEE_CLASSES)[number];
