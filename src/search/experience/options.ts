import type { GeneralOptions, QuestionKernel, TrustOptions } from '../../domain/score/evidence.ts'

/** How reports count; see `config/learning-settings.ts` for units and reasons. */
export interface ExperienceOptions extends GeneralOptions, QuestionKernel, TrustOptions {
  readonly generalPrior: number
  readonly ownPrior: number
  readonly questionsMost: number
}
