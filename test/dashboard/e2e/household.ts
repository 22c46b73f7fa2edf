import { type Memory, openMemory } from '../../../src/memory.ts'
import { createTestClock, type TestClock } from '../../helpers/clock.ts'

/** Days before the facts of the household are told over. */
const START = '2026-03-02T09:00:00Z'

/** One statement of a household: who says it, and when. */
interface Told {
  readonly content: string
  readonly by?: 'user' | 'agent' | 'document' | 'peer'
  readonly from?: string
}

const FACTS: readonly Told[] = [
  { content: 'The ferry to Brannoch leaves at ten on weekdays.', by: 'user' },
  { content: 'The ferry to Brannoch carries forty cars and two buses.' },
  {
    content: 'Tickets for the ferry to Brannoch are sold at the harbour office.',
    by: 'document',
    from: 'timetable.pdf',
  },
  { content: 'The ferry to Brannoch does not sail when the wind is above nine.' },
  { content: 'The captain of the ferry to Brannoch is Elsbeth Rourke.', by: 'peer', from: 'osprey' },
  { content: 'Marta takes the ferry to Brannoch every second Friday.', by: 'user' },
  { content: 'Dogs ride free on the ferry to Brannoch.', by: 'document', from: 'timetable.pdf' },
  { content: 'The ferry to Brannoch was rebuilt in the winter of 2024.' },
  { content: 'Breakfast on the ferry to Brannoch costs nine euros.' },
  { content: 'The harbour office opens at eight.' },
  { content: 'The greenhouse project is led by Ruben.', by: 'user' },
  { content: 'The greenhouse is heated with waste heat of the bakery.' },
  { content: 'Seeds for the greenhouse are ordered in February.' },
  { content: 'Tomatoes in the greenhouse are watered at six in the morning.' },
  { content: 'Ruben prefers short answers with one example.', by: 'user' },
  { content: 'Marta keeps the accounts of the greenhouse in a blue binder.' },
  { content: 'The bakery delivers bread on Tuesdays and Fridays.' },
  { content: 'The bakery closes for two weeks in August.', by: 'document', from: 'notice' },
  { content: 'Joss repairs the bicycles of the whole street.' },
  { content: 'Joss is allergic to walnuts.', by: 'user' },
  { content: 'The archive project scans letters of the harbour masters.' },
  { content: 'Letters of the archive are scanned at 600 dots an inch.' },
  { content: 'The archive keeps its scans on two disks in different houses.' },
  { content: 'Elsbeth Rourke reads the letters that nobody else can read.', by: 'peer', from: 'osprey' },
]

/** More looks than two waiting blocks need. */
const LOOKS_MOST = 50

/** Pairs that say nearly the same: so many of one notice board that they are best decided together. */
const ROOMS = ['north', 'south', 'east', 'west'] as const

/** Opens a file as its owner, with a clock that a script moves. */
function openHousehold(path: string, clock: TestClock, as: 'owner' | 'agent' = 'owner'): Promise<Memory> {
  return openMemory(path, { config: {}, clock, as, actor: as === 'owner' ? 'script' : 'osprey' })
}

/** Fills a file with a household: facts of three people and two projects, and a decision of every kind but one. */
export async function fillHousehold(path: string): Promise<void> {
  const clock = createTestClock(START)
  await using memory = await openHousehold(path, clock)
  const ids = await tell(memory, clock, FACTS)
  await learnFromUse(memory, ids)
  await contradict(memory, clock)
  await outdate(memory, clock)
  await repeat(memory, clock)
  await using agent = await openHousehold(path, clock, 'agent')
  await ask(agent, ids)
  await untilEmbedded(memory)
}

/** A look spends little time on vectors of what waits, so on busy cores two looks may answer otherwise before all are made. */
async function untilEmbedded(memory: Memory): Promise<void> {
  for (let look = 0; look < LOOKS_MOST; look++) {
    const { waitingWithoutVector } = await memory.recall({ query: 'ferry', reinforce: false })
    if (waitingWithoutVector === undefined) return
  }
}

async function tell(memory: Memory, clock: TestClock, told: readonly Told[]): Promise<string[]> {
  const ids: string[] = []
  for (const { content, by = 'agent', from } of told) {
    const { blockId } = await memory.remember({
      ...{ content, sourceClass: by, session: 'kitchen' },
      ...(from === undefined ? {} : { source: from }),
    })
    ids.push(blockId)
    clock.advance({ minutes: 40 })
  }
  await memory.dream()
  return ids
}

async function learnFromUse(memory: Memory, ids: readonly string[]): Promise<void> {
  const [ten = '', cars = '', , wind = '', captain = '', marta = '', dogs = ''] = ids
  for (const query of ['When does the ferry to Brannoch leave?', 'Who takes the ferry to Brannoch?']) {
    const { recallId } = await memory.recall({ query })
    await memory.outcome({ helped: [ten, marta], misled: [dogs], ...(recallId && { recallId }) })
  }
  await memory.connect({ source: wind, target: ten, relation: 'elaborates', note: 'what keeps it in port' })
  await memory.connect({ source: captain, target: cars, relation: 'supports' })
}

async function contradict(memory: Memory, clock: TestClock): Promise<void> {
  clock.advance({ hours: 20 })
  const pairs = [
    ['The weekly digest goes out on Mondays at nine.', 'The weekly digest goes out on Mondays at eleven.'],
    ['The door code of the archive is 4210.', 'The door code of the archive is 4217.'],
  ]
  for (const [older = '', newer = ''] of pairs) {
    const [a = ''] = await tell(memory, clock, [{ content: older }])
    const [b = ''] = await tell(memory, clock, [{ content: newer, by: 'document', from: 'board' }])
    await memory.connect({ source: b, target: a, relation: 'contradicts' })
  }
}

async function outdate(memory: Memory, clock: TestClock): Promise<void> {
  const [tea = ''] = await tell(memory, clock, [{ content: 'Tea is served at four in the kitchen.' }])
  await memory.remember({ content: 'The kitchen closes after tea.', derivedFrom: [tea] })
  await memory.dream()
  await memory.edit({ blockId: tea, validUntil: '2026-03-03' })
}

async function repeat(memory: Memory, clock: TestClock): Promise<void> {
  for (const room of ROOMS) {
    const said = `The notice board says that the ${room} reading room is closed for painting until further notice`
    await tell(memory, clock, [{ content: `${said}.`, by: 'document', from: 'board' }])
    await tell(memory, clock, [{ content: `${said} now.`, by: 'document', from: 'board' }])
  }
}

async function ask(agent: Memory, [ten = '', , , , , , , , , , , , , , answers = '']: readonly string[]) {
  await agent.propose({
    kind: 'principle',
    content: 'I say what I do not know before I say what I guess.',
    reason: 'Marta asked for it three times in March.',
  })
  await agent.propose({
    kind: 'rewording',
    blockId: answers,
    content: 'Ruben prefers short answers with one example and no list.',
    reason: 'He struck out the lists twice.',
  })
  await agent.remember({ content: 'The ferry to Brannoch leaves at eleven on weekdays.', supersedes: ten })
  await agent.remember({
    content: 'Prices of the ferry rise in May.',
    sourceClass: 'document',
    source: 'advert',
  })
}
