/** Who is told, if anybody is. */
let told: (() => void) | undefined

/**
 * Has somebody told before this thread runs a statement, however often: until a statement ends nothing else of this
 * thread runs, no handler of a signal either. Replaces who was told before.
 */
export function tellBeforeStatements(listener: () => void): void {
  told = listener
}

/** A statement is about to run. */
export function statementComes(): void {
  told?.()
}
