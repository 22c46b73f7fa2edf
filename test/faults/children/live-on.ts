import { once } from 'node:events'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { ElfmemError } from '../../../src/errors.ts'
import { openMemory } from '../../../src/index.ts'
import { type Act, type Line, perform } from '../acts.ts'
import { createDice } from '../dice.ts'

/**
 * Does one thing after the other until it is killed, saying each before it begins and once it is acknowledged. What, is
 * decided by the seed. Begins when its parent says where.
 */
const say = (line: Line) => void process.stdout.write(`${JSON.stringify(line)}\n`)
process.stdout.write('ready\n')
const [told] = await once(process.stdin, 'data')
const { path, seed, dimensions } = JSON.parse(String(told))
const dice = createDice(seed)
say({ begins: { does: 'open' } })
const memory = await openMemory(path, {
  as: 'owner',
  embedder: createHashingEmbedder({ dimensions }),
  config: { memory: { embedBatch: 4, coRetrievalThreshold: 1 } },
})
say({ done: { does: 'open' }, ids: [] })
await attempt({ does: 'reembed' })
let turn = 0
for (;;) {
  turn += 1
  for (const act of await next()) await attempt(act)
}

async function attempt(act: Act): Promise<readonly string[]> {
  say({ begins: act })
  try {
    const ids = await perform(memory, act)
    say({ done: act, ids })
    return ids
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    say({ refused: act, code: error.code })
    return []
  }
}

/** The turn's acts; ids are looked up, because lives before this one have left some. */
async function next(): Promise<readonly Act[]> {
  const roll = Math.floor(dice() * 12)
  if (roll < 3) return [{ does: 'remember', contents: contents(1) }]
  if (roll === 3) return [{ does: 'rememberMany', contents: contents(7) }]
  if (roll === 4) return [{ does: 'learnDocument', contents: contents(3) }, { does: 'curate' }]
  if (roll < 7) return [{ does: 'dream' }]
  const ids = await idsIn('active')
  if (ids.length < 4) return [{ does: 'remember', contents: contents(1) }, { does: 'dream' }]
  const [a = '', b = '', c = '', d = ''] = ids
  if (roll === 7)
    return [
      { does: 'outcome', ids: [a, b] },
      { does: 'recordUse', ids: [c] },
    ]
  if (roll === 8)
    return [
      { does: 'connect', a, b },
      { does: 'disconnect', a: c, b: d },
    ]
  if (roll === 9) return [{ does: 'forget', id: a }, ...(await idsIn('archived')).slice(0, 1).map(restoreOf)]
  if (roll === 10) return [...(await editAndUndo(a)), { does: 'recall', ids }]
  const [newer = ''] = await attempt({ does: 'remember', contents: contents(1), supersedes: a })
  return [{ does: 'dream' }, { does: 'resolve', a: newer, b: a }]
}

/** Edits a block; what takes that back when it was done, every other time. */
async function editAndUndo(id: string): Promise<Act[]> {
  const { block } = await memory.show({ blockId: id })
  const edited = await attempt({ does: 'edit', id, content: contents(1)[0] as string })
  return edited.length > 0 && dice() < 0.5 ? [{ does: 'undo', id, content: block.content }] : []
}

function restoreOf(id: string): Act {
  return { does: 'restore', id }
}

async function idsIn(status: 'active' | 'archived'): Promise<string[]> {
  const { blocks } = await memory.ls({ status, limit: 100 })
  return blocks
    .map(({ id }) => ({ id, at: dice() }))
    .sort((one, other) => one.at - other.at)
    .map(({ id }) => id)
}

function contents(count: number): string[] {
  const subject = () => ['harbour', 'kitchen', 'library', 'orchard'][Math.floor(dice() * 4)]
  return Array.from(
    { length: count },
    (_, i) => `The ${subject()} keeps record s${seed}t${turn}i${i} in its cellar`,
  )
}
