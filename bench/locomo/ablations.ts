import type { SettingsInput } from '../../src/engine/settings.ts'
import type { RANKING } from '../../src/index/chains.ts'

type RecallSettings = NonNullable<SettingsInput['recall']>
type Ranking = Partial<typeof RANKING>

/** One change to the ranking, to see what a part earns. */
export interface Ablation {
  readonly summary: string
  readonly recall?: RecallSettings
  readonly ranking?: Ranking
  /** `none` opens the memory with an embedder of another name, so that words alone find. */
  readonly vectors?: 'none'
  /** `none` hides every stored word from the index, so that vectors alone find. */
  readonly words?: 'none'
}

/** By the name that `--ablate` takes. */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  windows: {
    summary: 'no neighbours, neither words nor cosines',
    ranking: { lexicalWindow: [0, 0, 0, 0, 0], vectorWindow: [0, 0, 0, 0] },
  },
  lexicalWindow: {
    summary: 'no words of neighbours',
    ranking: { lexicalWindow: [0, 0, 0, 0, 0] },
  },
  vectorWindow: { summary: 'no cosines of neighbours', ranking: { vectorWindow: [0, 0, 0, 0] } },
  gate: { summary: 'neighbours lend whether related or not', ranking: { gateFloor: 0, gateWidth: 0.01 } },
  dateWords: { summary: 'dates are not words', ranking: { dateWords: false } },
  sourceWeight: { summary: 'a named speaker counts nothing', ranking: { sourceWeight: 0 } },
  questionPenalty: { summary: 'questions rank like answers', ranking: { questionPenalty: 0 } },
  whenBonus: { summary: 'times count nothing for when-questions', ranking: { whenBonus: 0 } },
  lookAlikes: {
    summary: 'among those that look alike words count as among others',
    ranking: { lookAlikePenalty: 0 },
  },
  throughNames: { summary: 'no second step through names', ranking: { throughNames: 0 } },
  nameShare: { summary: 'names stay in the embedded question', ranking: { nameShare: 1 } },
  powerMean: { summary: 'plain mean of both signals', ranking: { powerMean: 1 } },
  loneWordExponent: {
    summary: 'one shared word of many says as much as its share',
    ranking: { loneWordExponent: 1 },
  },
  fullWords: { summary: 'few words say as much as many', ranking: { fullWords: 0 } },
  wordsSizeLoss: { summary: 'words say as much in a large store', ranking: { wordsSizeLoss: 0 } },
  twins: { summary: 'older near-duplicates are shown, too', recall: { newerFirst: 100 } },
  expansion: { summary: 'no edge is followed', recall: { expansionSeeds: 0 } },
  vectorsOnly: { summary: 'no words at all', words: 'none' },
  wordsOnly: { summary: 'no vectors at all', vectors: 'none' },
}
