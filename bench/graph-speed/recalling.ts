import { copyFileSync } from 'node:fs'
import { type Memory, openMemory } from '../../src/index.ts'
import { type Timing, timed, timing } from '../speed/timed.ts'
import { ToldEmbedder } from './told-embedder.ts'
import type { World } from './world.ts'

export const EXPANSIONS = ['off', 'neighbours'] as const
type Expansion = (typeof EXPANSIONS)[number]

/** Recall with each way of following edges, on two copies of one file. Times in milliseconds. */
export interface RecallPart {
  readonly open: number
  readonly look: Readonly<Record<Expansion, Timing>>
  readonly reinforce: Readonly<Record<Expansion, Timing>>
  readonly suggest: Readonly<Record<Expansion, Timing>>
  readonly self: Readonly<Record<Expansion, Timing>>
  /** Blocks that an edge brought, of all shown, with `neighbours`. */
  readonly brought: number
}

const QUESTIONS = 150
const WARM = 20

export async function measureRecalling(path: string, world: World): Promise<RecallPart> {
  const embedder = new ToldEmbedder()
  const questions = Array.from({ length: 4 * QUESTIONS + WARM }, (_, i) => world.question(i))
  for (const { text, vector } of questions) embedder.tell(text, vector)
  const memories = new Map<Expansion, Memory>()
  let open = 0
  try {
    for (const expansion of EXPANSIONS) {
      const copy = `${path}.${expansion}`
      copyFileSync(path, copy)
      const memory = await openMemory(copy, {
        embedder,
        config: { recall: expansion === 'off' ? { expansionSeeds: 0 } : {} },
      })
      memories.set(expansion, memory)
      open = await timed(() => memory.recall({ query: questions.at(-1)?.text ?? '', reinforce: false }))
      for (const { text } of questions.slice(-WARM)) await memory.recall({ query: text })
    }
    let [shown, brought] = [0, 0]
    const measure = (round: number, input: Parameters<Memory['recall']>[0]) =>
      inTurns(
        memories,
        questions.slice(round * QUESTIONS, (round + 1) * QUESTIONS),
        async (memory, query) => {
          const { blocks } = await memory.recall({ ...input, query })
          if (memory !== memories.get('neighbours') || round > 0) return
          shown += blocks.length
          brought += blocks.filter((block) => block.path !== undefined).length
        },
      )
    const look = await measure(0, { reinforce: false })
    const reinforce = await measure(1, {})
    const suggest = await measure(2, { suggest: true })
    const self = await measure(3, { frame: 'self' })
    return { open, look, reinforce, suggest, self, brought: shown === 0 ? 0 : brought / shown }
  } finally {
    for (const memory of memories.values()) await memory.close()
  }
}

/** Each question to each memory, in turns that change, so that what else the machine does falls on all alike. */
async function inTurns(
  memories: ReadonlyMap<Expansion, Memory>,
  questions: readonly { readonly text: string }[],
  ask: (memory: Memory, query: string) => Promise<void>,
): Promise<Record<Expansion, Timing>> {
  const times: Record<Expansion, number[]> = { off: [], neighbours: [] }
  for (const [i, { text }] of questions.entries())
    for (let turn = 0; turn < EXPANSIONS.length; turn++) {
      const expansion = EXPANSIONS[(i + turn) % EXPANSIONS.length] as Expansion
      const memory = memories.get(expansion) as Memory
      times[expansion].push(await timed(() => ask(memory, text)))
    }
  return {
    off: timing(times.off),
    neighbours: timing(times.neighbours),
  }
}
