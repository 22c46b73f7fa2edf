import { ElfmemError } from '../../../../errors.ts'
import type { Change, Refusal } from '../files/change.ts'

/** Changes to make, files that need none, and what cannot be done. */
export interface Plan {
  readonly changes: readonly Change[]
  /** Paths in which all is as it should be. */
  readonly same: readonly string[]
  readonly refusals: readonly Refusal[]
}

/** The plan for one file. */
export interface FilePlan {
  readonly change?: Change
  readonly same?: string
  readonly refusal?: Refusal
}

/** Plans each file by itself: one that cannot be edited is refused with what to paste, and the others go on. */
export function planEach<T extends { readonly path: string }>(
  files: readonly T[],
  planFile: (file: T) => FilePlan,
  snippetsOf: (file: T) => readonly string[] = () => [],
): Plan {
  const plans = files.map((file): FilePlan => {
    try {
      return planFile(file)
    } catch (cause) {
      if (!ElfmemError.is(cause) || cause.code !== 'CONFIG_INVALID') throw cause
      return { refusal: { path: file.path, reason: cause.message, snippets: snippetsOf(file) } }
    }
  })
  return {
    changes: plans.flatMap(({ change }) => change ?? []),
    same: plans.flatMap(({ same }) => same ?? []),
    refusals: plans.flatMap(({ refusal }) => refusal ?? []),
  }
}
