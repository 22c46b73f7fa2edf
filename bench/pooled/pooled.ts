import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, dataFile, wholeNumber } from '../lib/bench.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'
import { type Asked, ask, type Side } from './ask.ts'
import { fillPool, openPool, type Pool } from './pool.ts'
import { partsOf, reportOf } from './report.ts'

export const pooled: Bench = {
  name: 'pooled',
  summary: 'conversations in LoCoMo format in one store, with and without scopes, beside a store each',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'The file; it is read where it lies and never copied',
    },
    'top-k': { type: 'string', default: '20', description: 'Blocks asked for' },
  },
  run: async (flags, log) => {
    const file = dataFile(flags)
    const conversations = loadConversations(file)
    const topK = wholeNumber(flags, 'top-k')
    const embedder = shareEmbedder(createMiniLmEmbedder())
    return withTemporaryFolder((folder) => measure(conversations, { folder, embedder, topK, log }))
  },
  present: partsOf,
}

/** What a run needs besides the conversations. */
interface Measuring {
  /** Where the stores are made. */
  readonly folder: string
  readonly embedder: SharedEmbedder
  readonly topK: number
  readonly log: (line: string) => void
}

/** Fills the stores, asks every question of each in turn, and tells what was found. */
async function measure(conversations: readonly Conversation[], { folder, embedder, topK, log }: Measuring) {
  const fill = (name: string, some: readonly Conversation[], scoped: boolean) => {
    log(`remembering ${name}: ${some.reduce((sum, { turns }) => sum + turns.length, 0)} turns`)
    return fillPool(join(folder, `${name}.db`), some, { embedder, scoped })
  }
  const separate: Pool[] = []
  for (const each of conversations) separate.push(await fill(each.id, [each], false))
  const scopedPool = await fill('pool-with-scopes', conversations, true)
  const barePool = await fill('pool-without-scopes', conversations, false)
  await using scoped = await openPool(scopedPool, embedder)
  await using bare = await openPool(barePool, embedder)
  const answers = { scoped: [] as Asked[], bare: [] as Asked[], separate: [] as Asked[] }
  for (const [at, conversation] of conversations.entries()) {
    log(`asking ${conversation.id}: ${conversation.questions.length} questions`)
    const pool = separate[at] as Pool
    await using own = await openPool(pool, embedder)
    const sides = {
      scoped: { memory: scoped, pool: scopedPool, scoped: true },
      bare: { memory: bare, pool: barePool, scoped: false },
      separate: { memory: own, pool, scoped: false },
    } as const satisfies Record<keyof typeof answers, Side>
    const [first] = conversation.questions
    // The first call loads the index of each; it is no part of what a question costs.
    if (first)
      for (const side of Object.values(sides)) await ask(side, conversation, first, { embedder, topK })
    for (const question of conversation.questions)
      for (const name of ['scoped', 'bare', 'separate'] as const)
        answers[name].push(await ask(sides[name], conversation, question, { embedder, topK }))
  }
  const blocks = {
    scoped: scopedPool.blocks,
    bare: barePool.blocks,
    separate: separate.reduce((sum, pool) => sum + pool.blocks, 0),
  }
  return reportOf(answers, { conversations: conversations.length, blocks, topK })
}
