import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { keepVectors } from '../lib/kept-vectors.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { bootstrap, type Interval } from '../lib/statistics.ts'
import { intervalText, percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { askCosine } from '../locomo/cosine.ts'
import { type Found, judge, type Means, meansOf } from '../locomo/metrics.ts'
import { askAll, type Remembered, rememberConversation } from '../locomo/ours.ts'
import { measureServed, type Served, servedLine } from '../locomo/served.ts'
import { KINDS, loadChats } from './loader.ts'

const LIMIT = 10
const METRICS = ['recall5', 'recall10', 'reciprocalRank'] as const

interface Row {
  readonly name: string
  readonly questions: number
  readonly elfmem: Means
  readonly cosine: Means
}

interface ChatsData {
  readonly chats: number
  readonly messages: number
  /** All questions, then each kind. */
  readonly rows: readonly Row[]
  /** elfmem minus plain cosine, paired by question. */
  readonly ahead: Readonly<Record<(typeof METRICS)[number], Interval>>
  readonly served: Served
}

export const chats: Bench = {
  name: 'chats',
  summary: 'evidence recall on long chats with an assistant, in the format of BEAM, beside plain cosine',
  flags: {
    data: {
      type: 'string',
      place: 'DIR',
      description: 'A folder with chats/SIZE/NUMBER; read where it lies, never copied',
    },
    size: { type: 'string', default: '100K', description: 'Which chats: 100K, 500K or 1M' },
    chats: { type: 'string', description: 'Numbers of chats, as in 1-6,9; all by default' },
    cache: { type: 'string', place: 'DIR', description: 'Where vectors are kept between runs' },
  },
  run: async (flags, log) => {
    if (typeof flags.data !== 'string') throw new Error('--data DIR is needed: a folder with chats of BEAM')
    const conversations = loadChats(flags.data, String(flags.size), listOf(flags, 'chats').flatMap(rangeOf))
    const model = createMiniLmEmbedder()
    const embedder = shareEmbedder(typeof flags.cache === 'string' ? keepVectors(model, flags.cache) : model)
    return withTemporaryFolder(async (folder) => {
      const kept: Remembered[] = []
      const found: { elfmem: Found; cosine: Found; category: number }[] = []
      for (const conversation of conversations) {
        const { id, turns, questions } = conversation
        log(`${id}: ${turns.length} messages`)
        const remembered = await rememberConversation(join(folder, `${id}.db`), conversation, embedder)
        kept.push(remembered)
        const answers = await askAll(remembered, conversation, { embedder, topK: LIMIT })
        const messages = turns.map(({ content, standsFor }) => ({ text: content, standsFor }))
        const cosine = await askCosine(messages, questions, { embedder, topK: LIMIT })
        for (const [i, { evidence, category }] of questions.entries())
          found.push({
            elfmem: judge(answers[i]?.ranked ?? [], evidence),
            cosine: cosine[i] as Found,
            category,
          })
      }
      const served = await measureServed({ conversations, kept, embedder }, KINDS)
      const ofKind = (kind: string) => found.filter(({ category }) => KINDS[category as 0] === kind)
      const aheadIn = (metric: (typeof METRICS)[number]) =>
        bootstrap(found.map(({ elfmem, cosine }) => elfmem[metric] - cosine[metric]))
      const data: ChatsData = {
        chats: conversations.length,
        messages: conversations.reduce((sum, { turns }) => sum + turns.length, 0),
        rows: [
          rowOf('all', found),
          ...Object.values(KINDS)
            .map((kind) => rowOf(kind, ofKind(kind)))
            .filter(({ questions }) => questions > 0),
        ],
        ahead: {
          recall5: aheadIn('recall5'),
          recall10: aheadIn('recall10'),
          reciprocalRank: aheadIn('reciprocalRank'),
        },
        served,
      }
      return { report: textOf(partsOf(data)), data }
    })
  },
  present: partsOf,
}

/** "1-6" as its numbers. */
function rangeOf(part: string): number[] {
  const [first = Number.NaN, last = first] = part.split('-').map(Number)
  if (!Number.isInteger(first) || !Number.isInteger(last))
    throw new Error('--chats wants numbers, as in 1-6,9')
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

function rowOf(name: string, found: readonly { readonly elfmem: Found; readonly cosine: Found }[]): Row {
  const [elfmem, cosine] = [found.map((each) => each.elfmem), found.map((each) => each.cosine)]
  return { name, questions: found.length, elfmem: meansOf(elfmem), cosine: meansOf(cosine) }
}

function partsOf({ chats: count, messages, rows, ahead, served }: ChatsData): readonly Part[] {
  const cells = (means: Means) => METRICS.map((metric) => percent(means[metric]))
  return [
    {
      name: 'systems',
      title: `${count} chats, ${messages} messages`,
      body: {
        head: ['questions', 'n', 'R@5', 'R@10', 'MRR', 'cosine R@5', 'R@10', 'MRR'],
        rows: rows.map(({ name, questions, elfmem, cosine }) => [
          name,
          String(questions),
          ...cells(elfmem),
          ...cells(cosine),
        ]),
      },
    },
    {
      name: 'ahead',
      body: `elfmem ahead of plain cosine: R@5 ${intervalText(ahead.recall5)}, R@10 ${intervalText(ahead.recall10)}, MRR ${intervalText(ahead.reciprocalRank)}.`,
    },
    { name: 'served', body: servedLine(served) },
  ]
}
