import * as z from 'zod'
import { count, setByProjects, setting, unit } from './setting.ts'

const LANGUAGES = [
  'auto',
  'english',
  'german',
  'french',
  'spanish',
  'portuguese',
  'italian',
  'dutch',
  'russian',
] as const

const RELATION_SHARES: Readonly<Record<string, number>> = {
  outcome: 0.7,
  supports: 0.9,
  elaborates: 0.8,
  similar: 0.7,
  co_occurs: 0.7,
  other: 0.7,
}

/** Those given change single relations; `other` is for words of an agent's own. */
const relationShares = z
  .record(z.string(), unit)
  .transform((given): Record<string, number> => ({ ...RELATION_SHARES, ...given }))

/**
 * How recall finds and ranks. The measured recipe and its ablations are in docs/retrieval.md; every number here sits
 * on a plateau of the development data.
 */
export const recallSettings = z.object({
  topK: setting(count.max(1_000), 0, {
    unit: 'blocks',
    project: 'any',
    reason:
      'a fixed number in an answer; 0: as many as are near the best, 1 to 10, and none where nothing bears on a question',
  }),
  pool: setting(count.min(5), 20, { unit: 'blocks', reason: 'candidates that learning reorders' }),
  ...setByProjects('any', {
    matchFrom: setting(unit, 0.6, {
      unit: 'probability',
      reason: 'from it on an answer is called a match, below it perhaps; .8 for hosts that act on it unread',
    }),
  }),
  waitingMilliseconds: setting(count.max(10_000), 50, {
    unit: 'milliseconds',
    reason:
      'in front of a question, for vectors of the newest blocks that wait and lack one: a dozen short texts; nobody notices it; 0: none',
  }),
  language: setting(z.enum(LANGUAGES), 'auto', {
    unit: LANGUAGES.join(' | '),
    reason:
      'whose stop words, word forms and dates are known; auto looks at each text, and reads English as english does',
  }),
  cueWeight: setting(z.number().int().min(1).max(5), 2, {
    unit: 'times',
    reason: 'a word of a cue counts as often as so many in the content: a cue says what the block is for',
  }),
  ...setByProjects('any', {
    lexicalNorm: setting(unit, 0.5, {
      unit: 'share',
      reason: 'of the reachable BM25 that already counts as full',
    }),
    loneWordExponent: setting(z.number().min(1), 2, {
      unit: 'exponent',
      reason:
        'of a share that rests on one word of three or more: chance words lift nothing above a similarity',
    }),
    fullWords: setting(count, 4, {
      unit: 'words',
      reason:
        'a question of fewer gives little to match, so its words say (n + 1) / (this + 1) of their share',
    }),
    wordsSizeLoss: setting(unit, 0.03, {
      unit: 'share',
      reason:
        'less that words say for each e-fold of blocks: in a large store some block shares a word by chance',
    }),
    powerMean: setting(z.number().min(1), 1.5, {
      unit: 'exponent',
      reason: 'lets one strong signal carry a match',
    }),
    lentEnough: setting(unit.min(0.01), 0.5, {
      unit: 'weight',
      reason:
        'sum of lexicalWindow times relatedness from which a block is not alone at all, as nearly all turns of a conversation are not',
    }),
    throughNames: setting(unit, 0.25, {
      unit: 'rank score',
      reason:
        'most that a name shared with the best match, and not given by the question, adds to a block without words of neighbours; 0: no second step. More finds more in two steps, and pushes out what answers in one',
    }),
    throughNamesShare: setting(unit, 0.01, {
      unit: 'share of blocks',
      reason: 'a name in more blocks than this, and than three, tells nothing',
    }),
    throughNamesCap: setting(unit, 0.95, {
      unit: 'share of rank',
      reason:
        'of what led to it: what a name brings never comes before what named it; without it hit@1 on notes falls',
    }),
    sourceWeight: setting(unit, 0.08, {
      unit: 'rank score',
      reason: 'question names the source of a block',
    }),
    questionPenalty: setting(unit, 0.05, {
      unit: 'rank score',
      reason: 'a block that asks is rarely the answer',
    }),
    whenBonus: setting(unit, 0.07, {
      unit: 'rank score',
      reason: 'question asks when, block speaks of a time',
    }),
    lookAlikePenalty: setting(unit, 0.2, {
      unit: 'rank score',
      reason:
        'a block has none of the words asked for that one which looks like it has; times the difference of the squared shares of these words, by their rarity',
    }),
    lookAlikeCosine: setting(unit, 0.5, {
      unit: 'cosine',
      reason: 'from here on two blocks of the same lexical share look alike',
    }),
    nameShare: setting(unit, 0.1, {
      unit: 'share of blocks',
      reason: 'capitalised words in more blocks than this are left out of the embedded question',
    }),
    gateFloor: setting(unit, 0.1, {
      unit: 'cosine',
      reason: 'neighbours less similar share no words',
    }),
    gateWidth: setting(unit.min(0.01), 0.2, {
      unit: 'cosine',
      reason: 'from the floor to the full share',
    }),
    lexicalWindow: setting(z.array(unit).length(5), [0.2, 0.4, 0.6, 0.4, 0.25], {
      unit: 'weights',
      reason: 'of the words 3, 2, 1 before and 1, 2 after a block in its session, times how related they are',
    }),
    vectorWindow: setting(z.array(unit).length(4), [0.2, 0.2, 0.1, 0.1], {
      unit: 'weights',
      reason: 'of the cosines 2, 1 before and 1, 2 after a block, times how related they are',
    }),
  }),
  dateWords: setting(z.boolean(), true, { unit: 'on/off', reason: 'a block is found by its date in words' }),
  normalisationFloor: setting(unit, 0.4, {
    unit: 'similarity',
    project: 'any',
    reason: 'of the last in the pool; the best is 1',
  }),
  edgeNotes: setting(count, 1000, {
    unit: 'notes',
    reason: 'newest notes of edges whose words find both blocks; all are looked at in each recall; 0: none',
  }),
  expansionSeeds: setting(count, 5, {
    unit: 'blocks',
    reason: 'best matches whose neighbours join the candidates; 0: no edge is followed',
  }),
  expansionNeighbours: setting(count, 5, {
    unit: 'edges',
    reason: 'strongest edges followed from each of them',
  }),
  relations: setting(relationShares, RELATION_SHARES, {
    unit: 'shares',
    project: 'any',
    reason:
      'of its similarity that a seed hands on, times the strength of the edge, by relation; a frame may override some. outcome as measured (1 cost 2 points of recall@5), the others by the seeds; `contradicts` never supports',
  }),
  agreement: setting(unit, 0.3, {
    unit: 'share',
    project: 'any',
    reason:
      'what an edge adds to a block that matches by itself: +0.5 recall@5 in the lifecycle bench, 1 costs 1.2',
  }),
  newerFirst: setting(z.number().min(-100).max(100), 0.4, {
    unit: 'log-odds',
    project: 'any',
    reason:
      'of the pair score from which on the newer of two notes comes first; 0 finds more changes and takes the first place from more facts that both hold, 100 never changes the order',
  }),
  versionsReach: setting(count.max(10_000), 100, {
    unit: 'blocks',
    reason:
      'looked at beyond those found, along told versions, so that the newest of a long chain stands above it',
  }),
  versionsMost: setting(count.max(1_000), 50, {
    unit: 'blocks',
    reason: 'that an entry names as its versions; more are counted',
  }),
})
