import type { SettingsInput } from '../../src/config/settings.ts'

type RecallSettings = NonNullable<SettingsInput['recall']>

/** One change to the ranking, to see what a part earns. */
export interface Ablation {
  readonly summary: string
  readonly recall?: RecallSettings
  /** `none` opens the memory with an embedder of another name, so that words alone find. */
  readonly vectors?: 'none'
  /** `none` hides every stored word from the index, so that vectors alone find. */
  readonly words?: 'none'
}

/** By the name that `--ablate` takes. */
export const ABLATIONS: Readonly<Record<string, Ablation>> = {
  windows: {
    summary: 'no neighbours, neither words nor cosines',
    recall: { lexicalWindow: [0, 0, 0, 0, 0], vectorWindow: [0, 0, 0, 0] },
  },
  lexicalWindow: {
    summary: 'no words of neighbours',
    recall: { lexicalWindow: [0, 0, 0, 0, 0] },
  },
  vectorWindow: { summary: 'no cosines of neighbours', recall: { vectorWindow: [0, 0, 0, 0] } },
  gate: { summary: 'neighbours lend whether related or not', recall: { gateFloor: 0, gateWidth: 0.01 } },
  dateWords: { summary: 'dates are not words', recall: { dateWords: false } },
  sourceWeight: { summary: 'a named speaker counts nothing', recall: { sourceWeight: 0 } },
  questionPenalty: { summary: 'questions rank like answers', recall: { questionPenalty: 0 } },
  whenBonus: { summary: 'times count nothing for when-questions', recall: { whenBonus: 0 } },
  lookAlikes: {
    summary: 'among those that look alike words count as among others',
    recall: { lookAlikePenalty: 0 },
  },
  throughNames: { summary: 'no second step through names', recall: { throughNames: 0 } },
  nameShare: { summary: 'names stay in the embedded question', recall: { nameShare: 1 } },
  powerMean: { summary: 'plain mean of both signals', recall: { powerMean: 1 } },
  loneWordExponent: {
    summary: 'one shared word of many says as much as its share',
    recall: { loneWordExponent: 1 },
  },
  fullWords: { summary: 'few words say as much as many', recall: { fullWords: 0 } },
  wordsSizeLoss: { summary: 'words say as much in a large store', recall: { wordsSizeLoss: 0 } },
  twins: { summary: 'older near-duplicates are shown, too', recall: { newerFirst: 100 } },
  expansion: { summary: 'no edge is followed', recall: { expansionSeeds: 0 } },
  vectorsOnly: { summary: 'no words at all', words: 'none' },
  wordsOnly: { summary: 'no vectors at all', vectors: 'none' },
}
