/** Fee classes: the order in which a validator packs transactions. */
export type FeeClass = (typeof FEE_CLASSES)[number];
