import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { type Answer, clientRoad, cliRoad, libraryRoad, mcpRoad, type Road } from './helpers/roads.ts'

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>]

const tea = '0c2d1a5e'
const roads: Readonly<Record<string, () => Promise<Road>>> = {
  library: libraryRoad,
  client: clientRoad,
  cli: cliRoad,
  mcp: mcpRoad,
}

/** Calls every operation. Ids come from contents, so they are the same on every surface. */
const story = (ids: Readonly<Record<'tea' | 'port', string>>): readonly Call[] => [
  ['inbox', { maxCount: 5 }],
  [
    'learnDocument',
    { text: '# Kitchen\n\nThe kettle is blue.\n\n# Garden\n\nRoses need sun.', source: 'house.md' },
  ],
  [
    'rememberMany',
    {
      blocks: [
        { content: 'The shed needs paint', tags: ['house'], session: 'walk' },
        { content: 'Tea is at four', cue: 'guests' },
      ],
    },
  ],
  ['dream', { maxSeconds: 30 }],
  ['recall', { query: 'when is tea', topK: 2, explain: true }],
  ['recall', { frame: 'self' }],
  ['why', { query: 'when is tea', block: ids.port }],
  ['why', { query: 'when is tea', block: ids.port, tags: ['nowhere'] }],
  ['outcome', { helped: [ids.tea], misled: [ids.port], source: 'parity' }],
  ['outcome', { blockIds: [ids.tea, ids.port], signal: 0.9 }],
  ['overview', { about: 'tea' }],
  ['recordUse', { blockIds: [ids.tea] }],
  ['disconnect', { source: ids.tea, target: ids.port, reason: 'parity' }],
  ['connect', { source: ids.tea, target: ids.port, relation: 'supports', note: 'tea, then port' }],
  [
    'connectByQuery',
    {
      sourceQuery: 'Tea is at four',
      targetQuery: 'Staging listens on port',
      relation: 'supports',
      dryRun: true,
    },
  ],
  [
    'connects',
    {
      edges: [
        { source: ids.tea, target: ids.port },
        { source: ids.tea, target: 'ffffffff' },
      ],
    },
  ],
  ['graph', { blockId: ids.tea, depth: 1 }],
  ['recall', { query: 'when is tea', topK: 1, suggest: true }],
  ['ls', { words: 'TEA', sort: 'fading', details: true, count: true, offset: 0 }],
  ['facets', { tier: 'standard', undecided: false }],
  ['ls', { asOf: '2000-01-01' }],
  ['ls', { knownAt: '2000-01-01' }],
  ['diff', { from: '2000-01-01', to: '2000-02-01' }],
  ['recall', { query: 'when is tea', asOf: '2000-01-01' }],
  ['recall', { query: 'when is tea', instead: [ids.tea] }],
  ['graph', { asOf: '2100-01-01' }],
  ['edit', { blockId: ids.tea, content: 'Tea is at five, not at four' }],
  [
    'remember',
    {
      content: 'Tea is at five, not at four',
      at: '2026-01-01',
      expect: { by: '2100-01-01', probability: 0.7 },
    },
  ],
  ['outcome', { blockIds: [ids.tea], signal: 1, about: 'prediction' }],
  ['show', { blockId: ids.tea }],
  ['forget', { blockId: ids.port, reason: 'parity' }],
  ['restore', { blockId: ids.port }],
  ['ls', { tag: 'house', limit: 5 }],
  ['setup', { identity: 'I keep a house', values: ['Be kind, be brief', 'Tell the truth'], seed: true }],
  ['remember', { content: 'Tea is at five over there', scope: 'elsewhere' }],
  ['ls', { status: 'inbox', scope: 'elsewhere' }],
  ['dream', { scope: 'elsewhere' }],
  ['recall', { query: 'when is tea', scope: 'elsewhere' }],
  ['curate', {}],
  ['reembed', { dryRun: true }],
  ['backup', {}],
  ['export', { name: 'house.jsonl' }],
  ['import', { name: 'house.jsonl' }],
  ['status', {}],
  ['status', { scope: 'elsewhere' }],
  ['doctor', {}],
  ['doctor', { resolve: true }],
  ['inbox', { pairs: 5, pendingJudgement: 5, identity: true }],
  ['propose', { kind: 'value', content: 'I lay the table, then pour.', reason: 'parity' }],
  ['decisions', { kind: 'contradiction', limit: 2 }],
  ['history', { lastN: 4 }],
  ['undo', { dryRun: true }],
  ['undo', { reason: 'parity' }],
  ['guide', { method: 'recall' }],
]

const refused: readonly (readonly [...Call, code: string])[] = [
  ['remember', {}, 'INVALID_INPUT'],
  ['remember', { content: '' }, 'INVALID_INPUT'],
  ['remember', { content: 'x', expect: { by: '2100-01-01', probability: 1 } }, 'INVALID_INPUT'],
  ['rememberMany', { blocks: [{ content: 'x' }, { content: ' ' }] }, 'INVALID_INPUT'],
  ['rememberMany', { blocks: [{ tags: [] }] }, 'INVALID_INPUT'],
  ['recall', { query: 'x', frame: 'dream' }, 'INVALID_INPUT'],
  ['recall', { query: 'x', topK: -3 }, 'INVALID_INPUT'],
  ['recall', { query: 'x', instead: ['ffffffff'] }, 'NOT_FOUND'],
  ['forget', { blockId: 'ffffffff' }, 'NOT_FOUND'],
  ['connect', { source: 'ffffffff', target: 'eeeeeeee' }, 'NOT_FOUND'],
  ['connect', { source: 'ffffffff', target: 'eeeeeeee', weight: 1.5 }, 'INVALID_INPUT'],
  ['resolve', { a: 'ffffffff', b: 'eeeeeeee', keep: 'a' }, 'NOT_FOUND'],
  ['recall', { query: 'x', scope: 'two words' }, 'INVALID_INPUT'],
  ['show', { blockId: 'ffffffff', scope: '' }, 'INVALID_INPUT'],
  ['why', { query: 'x', block: 'ffffffff' }, 'NOT_FOUND'],
  ['dream', { rescore: true, noLlm: true }, 'INVALID_INPUT'],
  ['reembed', { drop: true, dryRun: true }, 'INVALID_INPUT'],
  ['restoreBackup', { name: 'none.db' }, 'NOT_FOUND'],
  ['restoreBackup', { name: '../none.db' }, 'INVALID_INPUT'],
  ['restoreBackup', {}, 'INVALID_INPUT'],
  ['erase', {}, 'INVALID_INPUT'],
  ['erase', { blockIds: ['ffffffff'], yes: true }, 'NOT_FOUND'],
  ['import', { name: 'none.jsonl' }, 'NOT_FOUND'],
  ['import', { name: '/etc/passwd' }, 'INVALID_INPUT'],
  ['export', { name: '../../x' }, 'INVALID_INPUT'],
]

test('the library, a client, the command line and MCP give the same answers to the same calls', async () => {
  const answers = await everywhere(async (road) => {
    const kept = [
      await road('remember', { content: 'Tea is at four', tags: ['house', 'habit'], cue: 'tea time' }),
    ]
    kept.push(await road('remember', { content: 'Staging listens on port 8443', tags: ['ops'] }))
    const [tea, port] = kept.map(({ result }) => String(result?.block_id))
    const told: Answer[] = [...kept]
    for (const [name, input] of story({ tea: tea!, port: port! })) told.push(await road(name, input))
    return told.map(comparable)
  })
  expect(answers.library?.every((answer) => 'result' in (answer as object))).toBe(true)
  expect(answers.client).toEqual(answers.library)
  expect(answers.cli).toEqual(answers.library)
  expect(answers.mcp).toEqual(answers.library)
})

test('the library, a client, the command line and MCP refuse the same calls with the same codes', async () => {
  const codes = await everywhere(async (road) => {
    // A command makes no memory in order to refuse.
    await road('remember', { content: 'Tea is at four' })
    const told: unknown[] = []
    for (const [name, input] of refused) told.push([name, input, (await road(name, input)).code])
    return told
  })
  for (const surface of ['library', 'client', 'cli', 'mcp']) expect(codes[surface]).toEqual(refused)
})

test('every tool is compared', () => {
  const called = new Set([...story({ tea, port: tea }), ...refused].map(([name]) => name))
  const tools = operations.filter(({ tools }) => tools !== 'none').map(({ name }) => name)
  expect(tools.filter((name) => !called.has(name) && name !== 'remember')).toEqual([])
})

async function everywhere<T>(work: (road: Road) => Promise<T>): Promise<Record<string, T>> {
  const answers = await Promise.all(
    Object.entries(roads).map(async ([name, open]) => [name, await work(await open())] as const),
  )
  return Object.fromEntries(answers)
}

const PASSING = new Set([
  'run',
  'seconds',
  'actor',
  // MCP sets up as the agent, the command line as the owner.
  'source_class',
  'session',
  'session_active',
  'session_hours',
  'total_active_hours',
  'last_reinforced_at',
  'last_useful_at',
  'location',
  'path',
  'name',
  'bytes',
  'hours',
  'archived_after_hours',
  // Vectors are made in pauses, and writes over the wire note their keys.
  'records',
  'block_vectors',
  'requests',
])

/** Removes what differs between two runs: hours of use, the session, the caller, the place of the file, rounding. */
/** Fields with our own sentences, which name calls as the surface spells them. */
const SENTENCES = new Set(['summary', 'hint', 'warning', 'suggestion', 'message', 'recovery'])

function comparable(answer: Answer): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) =>
      PASSING.has(key) || SENTENCES.has(key) || (key === 'text' && isGuide(value)) ? undefined : value,
    ),
    (_, value) => {
      if (typeof value === 'number') return Math.round(value * 1_000) / 1_000
      return typeof value === 'string' ? withoutPlaces(value) : value
    },
  )
}

/** The guide speaks the language of the surface, which test/surfaces/language.test.ts holds. */
function isGuide(text: string): boolean {
  return /^(?:recall|elfmem[_ ]recall)\b/.test(text)
}

function withoutPlaces(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\/\S+\.(db|jsonl)\b/g, '<file>')
    .replace(/\b\d+ records\b/g, '<some> records')
}
