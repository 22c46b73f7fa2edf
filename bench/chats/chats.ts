import { join } from 'node:path'
import { type Bench, folderFlag, listOf, pathIn, textFlag } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { bootstrap, type Interval } from '../lib/statistics.ts'
import { intervalText, type Part, percent } from '../lib/table.ts'
import { askAll, askAsServed, askCosine, meanServed, rememberTurns, type Served } from '../locomo/ask.ts'
import { type Found, type Means, meansOf } from '../locomo/metrics.ts'
import { KINDS, loadChats } from './loader.ts'

const LIMIT = 10
const METRICS = ['recall5', 'recall10', 'reciprocalRank'] as const

/** Answers to questions of one kind, or to all. */
interface Row {
  readonly name: string
  readonly questions: number
  readonly elfmem: Means
  readonly cosine: Means
  readonly served: Served
}

interface ChatsData {
  /** All questions, then each kind. */
  readonly rows: readonly Row[]
  /** elfmem minus plain cosine, paired by question. */
  readonly ahead: readonly Interval[]
}

interface Answered {
  readonly kind: string
  readonly elfmem: Found
  readonly cosine: Found
  readonly served: Served
}

export const chats: Bench = {
  name: 'chats',
  summary: 'evidence recall on long chats with an assistant, in the format of BEAM, beside plain cosine',
  flags: {
    data: folderFlag('A folder with chats/SIZE/NUMBER; read where it lies, never copied'),
    size: textFlag('Which chats: 100K, 500K or 1M', '100K'),
    chats: textFlag('Numbers of chats, as in 1-6,9; all by default'),
    cache: folderFlag('Where vectors are kept between runs'),
  },
  run: async (flags, log): Promise<ChatsData> => {
    const wanted = listOf(flags, 'chats').flatMap(rangeOf)
    const embedder = sharedMiniLm(flags.cache)
    const answered: Answered[] = []
    await withTemporaryFolder(async (folder) => {
      for (const { id, turns, questions } of loadChats(pathIn(flags), String(flags.size), wanted)) {
        log(`${id}: ${turns.length} messages`)
        const kept = await rememberTurns(join(folder, `${id}.db`), turns, embedder)
        const options = { embedder, topK: LIMIT }
        const elfmem = await askAll(kept, questions, options)
        const served = await askAsServed(kept, questions, options)
        const messages = turns.map(({ content, standsFor }) => ({ text: content, standsFor }))
        const cosine = await askCosine(messages, questions, options)
        for (const [i, { kind }] of questions.entries())
          answered.push({ kind, elfmem: elfmem[i], cosine: cosine[i], served: served[i] } as Answered)
      }
    })
    const kinds = KINDS.map((kind) =>
      rowOf(
        kind,
        answered.filter((each) => each.kind === kind),
      ),
    )
    return {
      rows: [rowOf('all', answered), ...kinds.filter(({ questions }) => questions > 0)],
      ahead: METRICS.map((metric) =>
        bootstrap(answered.map(({ elfmem, cosine }) => elfmem[metric] - cosine[metric])),
      ),
    }
  },
  present: ({ rows, ahead }: ChatsData): readonly Part[] => {
    const cells = (means: Means) => METRICS.map((metric) => percent(means[metric]))
    const [recall5, recall10, rank] = ahead.map(intervalText)
    const [all, ...kinds] = rows.map(({ name, served }) => ({ name, ...served }))
    const told = kinds.map(({ name, evidence }) => `${name} ${percent(evidence)}`).join(', ')
    const size = `${all?.blocks.toFixed(1)} blocks and ${all?.words.toFixed(0)} words`
    return [
      {
        name: 'systems',
        body: {
          head: ['questions', 'n', 'R@5', 'R@10', 'MRR', 'cosine R@5', 'R@10', 'MRR'],
          rows: rows.map(({ name, questions, elfmem, cosine }) => [
            ...[name, String(questions), ...cells(elfmem), ...cells(cosine)],
          ]),
        },
      },
      {
        name: 'ahead',
        body: `elfmem ahead of plain cosine: R@5 ${recall5}, R@10 ${recall10}, MRR ${rank}.`,
      },
      {
        name: 'served',
        body: `Evidence served by default: ${percent(all?.evidence ?? 0)}, in ${size} on average: ${told}.`,
      },
    ]
  },
}

/** Returns the numbers of "1-6". */
function rangeOf(part: string): number[] {
  const [first = Number.NaN, last = first] = part.split('-').map(Number)
  if (!Number.isInteger(first) || !Number.isInteger(last))
    throw new Error('--chats wants numbers, as in 1-6,9')
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

function rowOf(name: string, answered: readonly Answered[]): Row {
  return {
    ...{ name, questions: answered.length },
    elfmem: meansOf(answered.map(({ elfmem }) => elfmem)),
    cosine: meansOf(answered.map(({ cosine }) => cosine)),
    served: meanServed(answered.map(({ served }) => served)),
  }
}
