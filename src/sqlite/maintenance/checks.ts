import type { ElfmemError } from '../../errors.ts'
import type { FileFindings } from '../../ports/store/maintenance.ts'
import { type CopyFindings, type Least, verifyCopy } from './backup-check.ts'
import { lookAt } from './health.ts'

/** A check that reads a whole file, and so may take seconds. */
export type FileCheck =
  | { readonly does: 'look'; readonly path: string; readonly full: boolean }
  | { readonly does: 'verify'; readonly path: string; readonly least: Least }

/** Message from the checking thread: its findings, or a refusal in plain data. */
export type CheckAnswer =
  | { readonly found: FileFindings | CopyFindings }
  | { readonly refused: ReturnType<ElfmemError['toJSON']> }

/** Findings of a check. */
export type Found<T extends FileCheck> = T extends { readonly does: 'look' } ? FileFindings : CopyFindings

/** Checks a file in this very thread. */
export function checkHere<T extends FileCheck>(check: T): Found<T>
export function checkHere(check: FileCheck): FileFindings | CopyFindings {
  return check.does === 'look' ? lookAt(check.path, check.full) : verifyCopy(check.path, check.least)
}
