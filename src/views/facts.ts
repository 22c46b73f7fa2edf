import type { SettingInForce } from '../adapters/project/settings/settings-in-force.ts'

/** A file, and the rule that chose it. */
interface Chosen {
  readonly path: string
  readonly rule: string
}

/** The facts of an open memory that its engine does not know: whoever opened it brings them. */
export interface ViewFacts {
  /** Returns every setting with its value and what set it. */
  readonly settings: () => readonly SettingInForce[]
  readonly database: Chosen
  /** Files of settings; the first counts before the others. */
  readonly configs: readonly Chosen[]
  /** The version of this package. */
  readonly version: string
  /** True: whoever looks can change nothing. */
  readonly readOnly: boolean
}
