import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Bench } from '../lib/bench.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { askConversations, askDescribed, askSmall } from './ask.ts'
import { describeAll } from './descriptions.ts'
import { partsOf, report } from './report.ts'

export const confidence: Bench = {
  name: 'confidence',
  summary: 'how likely the best match of a description is the block meant, by its strength',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description:
        'Also the questions of this file in LoCoMo format; it is read where it lies and never copied',
    },
  },
  run: async ({ data }, log) => {
    const embedder = shareEmbedder(createMiniLmEmbedder())
    return withTemporaryFolder(async (folder) => {
      const surroundings = { folder, embedder, log }
      const described = describeAll()
      const large = await askDescribed(described, surroundings)
      const small = await askSmall(described, surroundings)
      const conversations = typeof data === 'string' ? await askConversations(data, surroundings) : []
      return report({ large, small, conversations })
    })
  },
  present: partsOf,
}
