export class SlotReader { constructor(..._: unknown[]) {} areOfSame() { return true } }
