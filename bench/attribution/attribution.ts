import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { openMemory } from '../../src/index.ts'
import { type Bench, dataFile, wholeNumber } from '../lib/bench.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'
import { type Remembered, rememberConversation } from '../locomo/ours.ts'
import { RULES } from './rules.ts'

/** Counts of one rule over all questions. */
interface Counted {
  readonly name: string
  /** Blocks it took for used. */
  readonly taken: number
  /** Those of them that hold evidence. */
  readonly right: number
}

interface AttributionData {
  readonly conversations: number
  readonly questions: number
  readonly blocks: number
  /** Shown blocks that hold evidence. */
  readonly evidence: number
  readonly rules: readonly Counted[]
}

/** Asks as an agent does and lets it say the gold answer: which of the shown blocks was that made of? */
export const attribution: Bench = {
  name: 'attribution',
  summary: 'which of the recalled blocks an answer was made of, told from its words alone',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'Conversations in LoCoMo format, with their gold answers',
    },
    blocks: { type: 'string', default: '10', description: 'Blocks shown for a question' },
  },
  run: async (flags, log) => {
    const blocks = wholeNumber(flags, 'blocks')
    const conversations = loadConversations(dataFile(flags))
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const counts = RULES.map(({ name }) => ({ name, taken: 0, right: 0 }))
    let [questions, evidence] = [0, 0]
    await withTemporaryFolder(async (folder) => {
      for (const conversation of conversations) {
        log(`remembering ${conversation.id}: ${conversation.turns.length} turns`)
        const path = join(folder, `${conversation.id}.db`)
        const kept = await rememberConversation(path, conversation, embedder)
        await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
        for (const { text, answer, holds } of asked(conversation, kept)) {
          const { blocks: shown } = await memory.recall({
            ...{ query: text, limit: blocks, reinforce: false, tokenBudget: 1_000_000 },
          })
          questions++
          evidence += shown.filter(({ id }) => holds(id)).length
          for (const [at, { used }] of RULES.entries()) {
            const taken = used(shown, answer, text)
            const counted = counts[at] as { taken: number; right: number }
            counted.taken += taken.length
            counted.right += taken.filter(holds).length
          }
        }
      }
    })
    const data = { conversations: conversations.length, questions, blocks, evidence, rules: counts }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

/** The questions with a gold answer, and which blocks hold their evidence. */
function asked({ questions }: Conversation, { turnsOf }: Remembered) {
  return questions.flatMap(({ text, answer, evidence }) =>
    answer === undefined
      ? []
      : [{ text, answer, holds: (id: string) => (turnsOf.get(id) ?? []).some((turn) => evidence.has(turn)) }],
  )
}

function partsOf({ conversations, questions, blocks, evidence, rules }: AttributionData): readonly Part[] {
  return [
    {
      name: 'questions',
      body: `${conversations} conversations, ${questions} questions, ${blocks} blocks shown for each; ${evidence} of them hold evidence`,
    },
    {
      name: 'rules',
      body: {
        head: ['rule', 'precision', 'recall', 'blocks taken'],
        rows: rules.map(({ name, taken, right }) => [
          name,
          percent(right / Math.max(1, taken)),
          percent(right / Math.max(1, evidence)),
          String(taken),
        ]),
      },
    },
  ]
}
