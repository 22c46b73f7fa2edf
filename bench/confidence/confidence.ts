import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Bench } from '../lib/bench.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { answersOfConversations, answersOfNotes } from './answers.ts'
import { askDescribed, askSmall } from './ask.ts'
import { describeAll } from './descriptions.ts'
import { partsOf, report } from './report.ts'

export const confidence: Bench = {
  name: 'confidence',
  summary: 'the constants of the probability of a match, fitted again and as shipped',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description:
        'Also the questions of this file in LoCoMo format; it is read where it lies and never copied',
    },
    notes: { type: 'string', place: 'FILE', description: 'Also notes asked in other words, as `notes` does' },
  },
  run: async ({ data, notes }, log) => {
    const embedder = shareEmbedder(createMiniLmEmbedder())
    return withTemporaryFolder(async (folder) => {
      const surroundings = { folder, embedder, log }
      const described = describeAll()
      const large = await askDescribed(described, surroundings)
      const small = await askSmall(described, surroundings)
      const file = typeof data === 'string' ? data : undefined
      const answered = [
        ...(typeof notes === 'string' ? await answersOfNotes(notes, file, surroundings) : []),
        ...(file === undefined ? [] : await answersOfConversations(file, surroundings)),
      ]
      return report({ large, small, answered })
    })
  },
  present: partsOf,
}
