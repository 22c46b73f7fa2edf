import type { OperationRecord } from '../../ports/store/transaction.ts'

/** Ends the reason that the log gives for a recall which used nothing. */
export const UNUSED = ', not used'

/** The frame of a recall, from the reason in the log. */
export function frameOf({ reason = '' }: Pick<OperationRecord, 'reason'>): string {
  return reason.endsWith(UNUSED) ? reason.slice(0, -UNUSED.length) : reason
}
