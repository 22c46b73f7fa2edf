/** The entries that one transaction of a call logged. */
interface LoggedTransaction {
  readonly entries: readonly { readonly id: number; readonly operation: string }[]
  /** The number under which its changes are kept; absent if nothing changed that an undo could take back. */
  readonly kept?: number | undefined
  /** The dream, curation, import or batch it was part of. */
  readonly run?: string | undefined
}

/** The entries of the log that a call wrote, so that its answer can name the one by which all of it is taken back. */
export class CallLog {
  readonly #transactions: LoggedTransaction[] = []

  /** Notes a transaction that is committed. */
  note(transaction: LoggedTransaction): void {
    this.#transactions.push(transaction)
  }

  /**
   * The number that `undo` takes: of the newest entry under the operation's own name, alone or of many, which stands for its run; else that of the
   * newest transaction. Undefined if nothing was changed that can be taken back.
   *
   * @param operation as the log names it
   */
  numberFor(operation: string): number | undefined {
    const runs = new Set(this.#transactions.flatMap(({ kept, run }) => (kept === undefined ? [] : [run])))
    const undoable = this.#transactions.filter(
      ({ kept, run }) => kept !== undefined || (run !== undefined && runs.has(run)),
    )
    const own = undoable.flatMap(({ entries }) =>
      entries.filter((entry) => entry.operation === operation || entry.operation === `${operation}_many`),
    )
    const last = undoable.at(-1)
    return own.at(-1)?.id ?? last?.entries.at(-1)?.id ?? last?.kept
  }
}
