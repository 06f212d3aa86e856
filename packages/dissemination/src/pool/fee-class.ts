/** Fee classes: the order in which a validator packs transactions. */
export const FEE_CLASSES = ['urgent', 'ordinary'] as const;
export type FeeClass = (typeof FEE_CLASSES)[number];
