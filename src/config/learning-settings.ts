import * as z from 'zod'
import { count, setByProjects, setting, unit } from './setting.ts'

const weight = z.number().min(0)

/** How reports change what recall ranks by; chosen on development worlds and stores (docs/learning.md). */
export const learningSettings = z.object({
  ...setByProjects('any', {
    reach: setting(unit, 0.3, {
      unit: 'match strength',
      reason:
        'that experience with other questions makes up for at most, once it has proved itself. Beyond it a fact of a small memory loses its place to a popular one',
    }),
    ownReach: setting(unit, 0.2, {
      unit: 'match strength',
      reason: 'that reports about this very question, or one much like it, make up for at most',
    }),
    misledWeight: setting(weight, 1.5, {
      unit: 'reports',
      reason:
        'that a block misled counts, where one that it helped counts 1: who misleads once does so again',
    }),
    gradedWeight: setting(weight, 0.7, {
      unit: 'reports',
      reason: 'the same of a signal between: less is known',
    }),
    generalPrior: setting(weight, 2, {
      unit: 'questions',
      reason: 'missing to certainty about a block: one question moves it by a third',
    }),
    ownPrior: setting(weight, 0.5, {
      unit: 'reports',
      reason: 'missing to certainty about a block and a question: who asks again knows',
    }),
    questionFrom: setting(unit, 0.85, {
      unit: 'cosine',
      reason:
        'of two questions, from which reports on one count for the other. From .60 on, what was beside the point of one hides the answer of the next (−2.8 points of MRR)',
    }),
    questionFull: setting(unit, 0.97, {
      unit: 'cosine',
      reason: 'of two questions, from which what was reported on one counts in full for the other',
    }),
    leastTrust: setting(unit, 0.2, {
      unit: 'share',
      reason: 'of the reach that experience keeps where it has foretold nothing',
    }),
    firstSlope: setting(weight, 0.1, {
      unit: 'slope',
      reason: 'of reports on experience that is supposed at first: two thirds of the reach',
    }),
    slopePrior: setting(weight.min(0.01), 0.5, {
      unit: 'variance of experience',
      reason: 'that the first slope weighs: some ten reports',
    }),
    fullSlope: setting(weight.min(0.01), 0.15, {
      unit: 'slope',
      reason:
        'from which on experience has its whole reach; .22 to .27 in the lifecycle bench, 0 among facts',
    }),
  }),
  questionsMost: setting(count.min(16).max(65_536), 4_096, {
    unit: 'questions',
    reason:
      'that reports are kept for, the oldest first taken for one question without words: some 2 MB, and less than a tenth of a recall',
  }),
  keepQuestions: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'the words of questions, without secrets: of those reported on, and of the newest recalls until they are; off: their vectors alone, which end with the next change of model',
  }),
  recallsKept: setting(count.min(1).max(10_000), 64, {
    unit: 'recalls',
    reason: 'whose questions are kept for a report that may come; a task has a handful',
  }),
  reportedWithin: setting(count.min(1).max(1_000), 20, {
    unit: 'recalls',
    reason: 'a report without a recallId is about the newest of so many that showed the block',
  }),
})
