import { expect, test } from 'vitest'
import { isLessTrusted, type SourceClass } from '../../src/domain/block/source-class.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Every two of some classes, the newer first. */
const SOME = ['user', 'agent', 'tool', 'peer'] as const satisfies readonly SourceClass[]
const ORDERED = SOME.flatMap((newer) => SOME.map((older) => [newer, older] as const))

const QUERY = 'Which node does the backup job run on?'

interface Note {
  readonly content: string
  readonly sourceClass?: SourceClass
  readonly source?: string
}

/** Two notes, a week apart, and what a question finds. */
async function told(older: Note, newer: Note, query = QUERY) {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const { blockId: before } = await memory.remember({ ...older, session: 'one' })
  await memory.dream()
  clock.advance({ hours: 24 * 7 })
  const { blockId: since, mayReplace = [] } = await memory.remember({ ...newer, session: 'two' })
  await memory.dream()
  const { blocks } = await memory.recall({ query, reinforce: false })
  const isVersion = blocks[0]?.id === since && blocks[0].versions?.[0]?.id === before && blocks.length === 1
  return { isVersion, entries: blocks.map(({ id }) => (id === since ? 'newer' : 'older')), mayReplace }
}

test.each(ORDERED)(
  'what %s says of a change stands over what %s said just when it is not trusted less',
  async (newer, older) => {
    const mayStand = !isLessTrusted(newer, older)
    const { isVersion, entries } = await told(
      { content: 'The backup job runs on node 4.', sourceClass: older },
      { content: 'The backup job now runs on node 7.', sourceClass: newer },
    )
    expect(isVersion).toBe(mayStand)
    expect(entries.includes('older')).toBe(!mayStand)
  },
)

test.each([
  ['tool: scan', 'user'],
  ['wiki', 'user'],
  ['tool: scan', 'self'],
  ['Ana', 'tool: scan'],
])('the same holds of two sources: %s, and then %s, who is trusted more', async (first, second) => {
  const older = { content: 'The backup job runs on node 4.', source: first }
  const { isVersion } = await told(older, { content: 'The backup job now runs on node 7.', source: second })
  expect(isVersion).toBe(true)
})

test.each([
  ['Ana', 'I play the cello in the orchestra.', 'user', 'I now play the flute in the orchestra.'],
  ['Ana', 'Our office is in Bonn.', 'user', 'Our office is now in Kiel.'],
  ['Ana', 'Unser Büro ist in Bonn.', 'user', 'Unser Büro ist jetzt in Kiel.'],
  ['Ana', 'Vivo en Sevilla.', 'user', 'Ahora vivo en Málaga.'],
  ['Ana', 'The office is in Bonn.', 'Ben', 'The office is now in Kiel.'],
])(
  'two sources that speak of themselves, or are trusted alike, are of two things: %s, %s',
  async (one, first, two, second) => {
    const { entries } = await told({ content: first, source: one }, { content: second, source: two }, second)
    expect(entries.toSorted()).toEqual(['newer', 'older'])
  },
)

test('an agent archives no word of the owner, whichever way it resolves, and the pair stays open', async () => {
  const { memory, path, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({
    content: 'Releases go out on Mondays.',
    sourceClass: 'user',
  })
  await memory.dream()
  clock.advance({ hours: 1 })
  const { memory: agent } = await openTestMemory({ path, clock, as: 'agent' })
  const proposal = { content: 'Releases go out on Tuesdays.', supersedes: a }
  const { blockId: b, summary } = await agent.remember(proposal)
  expect(summary).toContain('recall shows both until the owner decides')
  await agent.dream()
  for (const keep of ['b', 'merge', 'both'] as const)
    expect((await refusal(agent.resolve({ a, b, keep }))).code).toBe('OWNER_ONLY')
  expect((await agent.show({ blockId: a })).block).toMatchObject({ status: 'active' })
  expect((await agent.recall({ query: 'When do releases go out?' })).blockIds.toSorted()).toEqual(
    [a, b].sort(),
  )
  expect((await memory.resolve({ a, b, keep: 'b' })).archived).toBe(a)
})

test.each([
  [
    'The Kestrel service runs on port 8123.',
    'Is the Kestrel service on port 8124?',
    'Which port does the Kestrel service run on?',
  ],
  [
    'The night ferry leaves from quay 3.',
    'Does the night ferry leave from quay 5?',
    'Where does the night ferry leave from?',
  ],
  ['The court clerk is Odile Marchetti.', 'Is the court clerk now Bram Oyelaran?', 'Who is the court clerk?'],
  [
    'Der Nachtzug fährt von Gleis 9.',
    'Fährt der Nachtzug jetzt von Gleis 11?',
    'Von welchem Gleis fährt der Nachtzug?',
  ],
])('a question of somebody trusted more is no later word: %s', async (fact, asked, query) => {
  for (const source of [undefined, 'agent: ferret']) {
    const older = { content: fact, sourceClass: 'agent' as const, ...(source && { source }) }
    const { entries, mayReplace } = await told(older, { content: asked, sourceClass: 'user' }, query)
    expect(entries).toContain('older')
    expect(mayReplace).toEqual([])
  }
})
