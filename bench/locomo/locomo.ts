import { join } from 'node:path'
import { type Bench, fileFlag, namesIn, pathIn, textFlag } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { bootstrap, type Interval } from '../lib/statistics.ts'
import { intervalText, type Part, percent, type Table } from '../lib/table.ts'
import { ABLATIONS } from './ablations.ts'
import { askAll, askCosine, rememberTurns } from './ask.ts'
import { loadConversations } from './loader.ts'
import { type Found, METRIC_HEADS, METRICS, type Means, meansOf } from './metrics.ts'

const TOP_K = 20

interface Row extends Means {
  readonly name: string
  /** elfmem minus this system, paired by question; absent for elfmem itself. */
  readonly ahead?: Readonly<Record<'recall10' | 'reciprocalRank', Interval>>
}

interface LocomoData {
  readonly systems: readonly Row[]
  readonly ablations: readonly Row[]
}

export const locomo: Bench = {
  name: 'locomo',
  summary: 'evidence recall on conversations in LoCoMo format, beside plain cosine',
  flags: {
    data: fileFlag('The file; it is read where it lies and never copied'),
    ablate: textFlag(
      `Comma-separated parts to switch off one at a time, or "all": ${Object.keys(ABLATIONS).join(', ')}`,
    ),
  },
  run: async (flags, log): Promise<LocomoData> => {
    const names = namesIn(flags, 'ablate', Object.keys(ABLATIONS))
    const conversations = loadConversations(pathIn(flags))
    const embedder = sharedMiniLm()
    return withTemporaryFolder(async (folder) => {
      const found = new Map<string, Found[]>()
      const add = (name: string, more: readonly Found[]) =>
        found.set(name, [...(found.get(name) ?? []), ...more])
      for (const { id, turns, questions } of conversations) {
        log(`${id}: ${turns.length} turns, ${questions.length} questions`)
        const kept = await rememberTurns(join(folder, `${id}.db`), turns, embedder)
        add('elfmem', await askAll(kept, questions, { embedder, topK: TOP_K }))
        // Cosine alone knows no source, so the speaker stands in its texts.
        const texts = turns.map(({ speaker, content, standsFor }) => ({
          ...{ text: `${speaker}: ${content}`, standsFor },
        }))
        add('plain cosine', await askCosine(texts, questions, { embedder, topK: TOP_K }))
        for (const name of names)
          add(name, await askAll(kept, questions, { embedder, topK: TOP_K, ablation: ABLATIONS[name] }))
      }
      const rows = [...found].map(([name, each]) => rowOf(name, each, found.get('elfmem') ?? []))
      return { systems: rows.slice(0, 2), ablations: rows.slice(2) }
    })
  },
  present: ({ systems, ablations }: LocomoData): readonly Part[] => {
    const parts = ablations.map((row) => ({ ...row, name: `\`${row.name}\`` }))
    return [
      { name: 'systems', body: tableOf('system', systems) },
      ...(parts.length > 0 ? [{ name: 'ablations', body: tableOf('elfmem without', parts) }] : []),
    ]
  },
}

function rowOf(name: string, found: readonly Found[], ours: readonly Found[]): Row {
  if (found === ours) return { name, ...meansOf(found) }
  const ahead = (metric: keyof Found) =>
    bootstrap(found.map((each, i) => (ours[i] as Found)[metric] - each[metric]))
  const differences = { recall10: ahead('recall10'), reciprocalRank: ahead('reciprocalRank') }
  return { name, ...meansOf(found), ahead: differences }
}

function tableOf(head: string, rows: readonly Row[]): Table {
  return {
    head: [head, ...METRIC_HEADS, 'elfmem ahead, R@10', 'elfmem ahead, MRR'],
    rows: rows.map(({ name, ahead, ...means }) => [
      name,
      ...METRICS.map((metric) => percent(means[metric])),
      ...(ahead ? [intervalText(ahead.recall10), intervalText(ahead.reciprocalRank)] : ['', '']),
    ]),
  }
}
