import type { StoreWriter } from '../../ports/store/transaction.ts'
import { type Experience, type Lesson, roundedProof } from '../../search/experience/experience.ts'
import { REPORTS_MARK } from '../../store/rules/evidence.ts'

/** Writes a lesson; `mark` tells others that there is one. Call `took` once it is committed. */
export async function keepLesson(
  tx: StoreWriter,
  { proofKey }: Experience,
  { proof, ...change }: Lesson,
  mark: string,
): Promise<void> {
  const state = { [proofKey]: JSON.stringify(roundedProof(proof)), [REPORTS_MARK]: mark }
  await tx.saveEvidence({ ...change, state })
}

/** Tells every reader of reports, here and in other processes, that they are not what they were. */
export async function markReports(tx: StoreWriter, mark: string): Promise<void> {
  await tx.saveMeta(REPORTS_MARK, mark)
}
