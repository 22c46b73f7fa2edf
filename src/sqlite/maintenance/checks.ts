import type { ElfmemError } from '../../errors.ts'
import type { FileFindings } from '../../ports/store/maintenance.ts'
import { copyForeignRows, type RescueFindings } from '../rescue/read-foreign.ts'
import { type CopyFindings, countsOf, type Least, verifyCopy } from './backup-check.ts'
import { lookAt, type PageFindings, pageDamageOf } from './health.ts'

/** A check that reads a whole file, and so may take seconds. */
export type FileCheck =
  | { readonly does: 'look'; readonly path: string; readonly full: boolean }
  | { readonly does: 'verify'; readonly path: string; readonly least: Least; readonly isToServe: boolean }
  | { readonly does: 'count'; readonly path: string }
  | { readonly does: 'pages'; readonly path: string }
  | { readonly does: 'rescue'; readonly path: string; readonly target: string }

/** Message of the process that has begun to check. */
export const BEGUN = 'begun'

/** Message from the checking thread: its findings, or a refusal in plain data. */
export type CheckAnswer =
  | { readonly found: Findings[FileCheck['does']] }
  | { readonly refused: ReturnType<ElfmemError['toJSON']> }

/** Findings of each check. */
interface Findings {
  readonly look: FileFindings
  readonly verify: CopyFindings
  readonly count: Least
  readonly pages: PageFindings
  readonly rescue: RescueFindings
}

/** Findings of a check. */
export type Found<T extends FileCheck> = Findings[T['does']]

/** Checks a file in this very thread. */
export function checkHere<T extends FileCheck>(check: T): Found<T>
export function checkHere(check: FileCheck): Findings[FileCheck['does']] {
  switch (check.does) {
    case 'look':
      return lookAt(check.path, check.full)
    case 'verify':
      return verifyCopy(check.path, check.least, check.isToServe)
    case 'count':
      return countsOf(check.path)
    case 'pages':
      return pageDamageOf(check.path)
    case 'rescue':
      return copyForeignRows(check.path, check.target)
  }
}
