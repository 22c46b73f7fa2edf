// Run by fresh-part.ts with its types stripped beforehand, so that it imports nothing but the built package.
import { readFileSync } from 'node:fs'

const MORE_RECALLS = 20

interface Question {
  readonly query: string
  readonly vector: readonly number[]
}

interface Job {
  /** URL of the built library. */
  readonly library: string
  readonly path: string
  readonly model: string
  readonly questions: readonly Question[]
}

const kilobytes = (field: string): number | undefined => {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))
    return found?.[1] === undefined ? undefined : Number(found[1])
  } catch {
    return undefined
  }
}

const { library, path, model, questions } = JSON.parse(readFileSync(0, 'utf8')) as Job
const given = new Map(questions.map(({ query, vector }) => [query, Float32Array.from(vector)]))
const [first] = questions as [Question]
const embedder = {
  model,
  dimensions: first.vector.length,
  embed: async (texts: readonly string[]) => texts.map((text) => given.get(text) as Float32Array),
  close: async () => {},
}
const imported = performance.now()
const { openMemory } = (await import(library)) as typeof import('../../src/index.ts')
const opened = performance.now()
const memory = await openMemory(path, { embedder, config: {} })
const { blocks } = await memory.recall({ query: first.query })
const answered = performance.now()
for (let i = 0; i < MORE_RECALLS; i++)
  await memory.recall({ query: (questions[i % questions.length] as Question).query })
const result = {
  found: blocks.length,
  import: opened - imported,
  openAndRecall: answered - opened,
  whole: answered,
  residentKilobytes: kilobytes('VmRSS'),
  peakKilobytes: kilobytes('VmHWM'),
}
await memory.close()
process.stdout.write(JSON.stringify(result))
