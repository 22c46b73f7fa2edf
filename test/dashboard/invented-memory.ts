import { type Memory, type OpenOptions, openMemory } from '../../src/memory.ts'
import { createTestClock, type TestClock } from '../helpers/clock.ts'

/** Facts that are remembered, besides those that are written out below. */
const FACTS = 400
/** A working day has so many hours until the next, and so many facts. */
const DAY = { hours: 24, facts: 8 }

const people = [
  { name: 'Mara Linden', topics: ['rowing', 'bread', 'the night train', 'her sister Eva'] },
  { name: 'Jonas Okoye', topics: ['chess', 'his allotment', 'cold brew', 'choir practice'] },
  { name: 'Priya Sandoval', topics: ['climbing', 'map making', 'green tea', 'her dog Pico'] },
] as const

const projects = [
  { name: 'tidewater', parts: ['the ferry timetable', 'the gauge importer', 'the alert service', 'staging'] },
  {
    name: 'seedbank',
    parts: ['the label printer', 'the vault inventory', 'the germination log', 'the loan desk'],
  },
] as const

const habits = [
  'prefers {topic} to anything planned before nine',
  'talked about {topic} again and wants to go on in {month}',
  'asked to be reminded of {topic} on the first {weekday} of {month}',
  'does not want {topic} mentioned in reports',
  'said {topic} costs about {number} euros a month',
]
const findings = [
  '{part} fails when the import of {month} holds more than {number} rows',
  '{part} is deployed every {weekday} at {number}:00',
  '{part} needs the flag --window={number} since {month}',
  'Before touching {part}, ask whoever is on call on {weekday}',
  'The tests of {part} take {number} minutes; run them apart',
  '{part} keeps its state in a table of {number} columns',
  'Ask about {part} in {month}',
  'Nobody may restart {part} on a {weekday}',
]
/** What makes two facts about the same thing different ones. */
const reasons = [
  'since the proxy drops connections that rest',
  'which surprised whoever wrote the first version',
  'as the harbour office confirmed by letter',
  'because two cables share one socket',
  'and nobody has complained about it yet',
  'after the heat of last summer',
  'until the new keyboard layout is decided',
  'so the volunteers bring their own lamps',
  'although the manual says otherwise on page nine',
  'and that is why the blue folder exists',
  'while the museum borrows the projector',
  'when snow closes the eastern gate',
  'because the translation into Welsh was late',
  'as long as the apprentices are in Lisbon',
  'which the auditors found rather charming',
  'now that the canteen opens earlier',
  'if the satellite picture is cloudless',
  'in memory of the flood two years ago',
  'and the spare key hangs behind the clock',
  'even though it doubles the electricity bill',
]
const months = ['January', 'March', 'April', 'June', 'August', 'September', 'November']
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

/** Chooses the same each time it begins with the same seed. */
function chooser(seed: number) {
  let state = seed
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  return { below, from: <T>(all: readonly T[]): T => all[below(all.length)] as T }
}

type Spec = Parameters<Memory['rememberMany']>[0]['blocks'][number]

/** Made for tests and pictures: three people, two projects, some weeks of use. Everything in it is invented. */
export interface InventedMemory {
  readonly memory: Memory
  readonly clock: TestClock
  readonly ids: readonly string[]
}

interface Invented {
  readonly facts?: number
  readonly seed?: number
  /** The built-in model unless given; a file is searched with what it was made with. */
  readonly embedder?: OpenOptions['embedder']
}

/** Plays the weeks into a file; the same seed makes the same memory. */
export async function inventMemory(
  path: string,
  { facts = FACTS, seed = 7, embedder }: Invented = {},
): Promise<InventedMemory> {
  const clock = createTestClock('2026-08-03T08:00:00Z')
  const memory = await openMemory(path, {
    clock,
    ...(embedder === undefined ? {} : { embedder }),
    actor: 'cli',
    as: 'owner',
    config: { session: { gapCapMinutes: 60 } },
  })
  const choose = chooser(seed)
  await memory.setup({
    identity: 'I am Fern, who keeps notes for a team of three.',
    values: ['Say where a number comes from.', 'Ask before changing what somebody else wrote.'],
  })
  const ids: string[] = []
  for (let day = 0; ids.length < facts; day++) {
    const blocks = Array.from({ length: Math.min(DAY.facts, facts - ids.length) }, () => factOf(choose, day))
    const { results } = await memory.rememberMany({ blocks })
    ids.push(...results.map(({ blockId }) => blockId))
    clock.advance({ hours: 1 })
    await memory.dream()
    await useOf(memory, choose, day)
    clock.advance({ hours: day % 5 === 4 ? 3 * DAY.hours : DAY.hours })
  }
  await lastWeek(memory, clock, ids)
  return { memory, clock, ids }
}

type Choose = ReturnType<typeof chooser>

function factOf(choose: Choose, day: number): Spec {
  const person = choose.from(people)
  const project = choose.from(projects)
  const isHabit = choose.below(10) < 4
  const filled = (text: string) =>
    text
      .replace('{topic}', choose.from(person.topics))
      .replace('{part}', choose.from(project.parts))
      .replace('{month}', choose.from(months))
      .replace('{weekday}', choose.from(weekdays))
      .replace('{number}', String(2 + choose.below(40)))
  const first = person.name.split(' ')[0] ?? ''
  const session = `week-${Math.floor(day / 5) + 1}-${project.name}`
  if (isHabit)
    return {
      content: `${first} ${filled(choose.from(habits))}, ${choose.from(reasons)}.`,
      tags: [`person/${first.toLowerCase()}`],
      session,
      ...(choose.below(2) === 0 ? { sourceClass: 'peer', source: person.name } : {}),
    }
  const text = filled(choose.from(findings))
  return {
    content: `${text.charAt(0).toUpperCase()}${text.slice(1)}, ${choose.from(reasons)}.`,
    tags: [`project/${project.name}`, ...(choose.below(4) === 0 ? ['runbook'] : [])],
    category: choose.below(3) === 0 ? 'decision' : 'fact',
    session,
    ...speakerOf(choose),
  }
}

function speakerOf(choose: Choose): Pick<Spec, 'sourceClass' | 'source'> {
  const at = choose.below(10)
  if (at < 2) return { sourceClass: 'tool', source: 'psql' }
  if (at < 4) return { sourceClass: 'document', source: 'runbook.md' }
  if (at < 6) return { sourceClass: 'user' }
  return {}
}

/** Questions of a day, and what came of the answers. */
async function useOf(memory: Memory, choose: Choose, day: number): Promise<void> {
  const about = choose.from([...projects.flatMap(({ parts }) => parts), ...people.map(({ name }) => name)])
  const { blocks, recallId } = await memory.recall({ query: `What is known about ${about}?` })
  const [first, second, third] = blocks.map(({ id }) => id)
  if (first === undefined || second === undefined) return
  await memory.outcome({
    helped: [first],
    ...(day % 3 === 0 ? { misled: [second] } : {}),
    ...(recallId === undefined ? {} : { recallId }),
    source: `answer about ${about}`,
  })
  if (day % 4 === 0 && third !== undefined)
    await memory.connect({
      source: first,
      target: third,
      relation: 'supports',
      note: 'came up together',
      ifExists: 'update',
    })
  if (day % 7 === 0)
    await memory.connect({ source: second, target: first, relation: 'elaborates', ifExists: 'update' })
}

/** Corrections, things forgotten, a fact that replaced another, a contradiction, and what an agent proposes. */
async function lastWeek(memory: Memory, clock: TestClock, ids: readonly string[]): Promise<void> {
  const at = (index: number) => ids[index] ?? ''
  await memory.dream()
  const port = await memory.remember({
    content: 'Staging of tidewater listens on port 4210.',
    tags: ['project/tidewater'],
  })
  await memory.remember({
    content: 'The vault of seedbank is kept at minus 18 degrees.',
    tags: ['project/seedbank'],
    sourceClass: 'user',
  })
  await memory.dream()
  clock.advance({ hours: 20 })
  await memory.edit({
    blockId: port.blockId,
    content: 'Staging of tidewater listens on port 4211, behind the proxy.',
    cue: 'somebody asks how to reach staging',
  })
  await memory.remember({
    content: 'Staging of tidewater moved to port 4300 in November.',
    supersedes: port.blockId,
    sourceClass: 'document',
    source: 'runbook.md',
  })
  await memory.remember({
    content: 'The vault of seedbank is kept at minus 20 degrees.',
    sourceClass: 'peer',
    source: 'Jonas Okoye',
  })
  await memory.forget({ blockId: at(3), reason: 'it was about somebody else' })
  await memory.forget({ blockId: at(11) })
  clock.advance({ hours: 6 })
  await memory.dream()
  await memory.restore({ blockId: at(11) })
  await memory.propose({
    kind: 'principle',
    content: 'Name the person a preference belongs to.',
    reason: 'Two preferences were mixed up in week nine.',
  })
  await memory.remember({
    content: 'Priya will show the new map of the quay on Friday.',
    sourceClass: 'peer',
    source: 'Priya Sandoval',
  })
  await memory.remember({ content: 'The gauge importer was slow on Tuesday after the restart.' })
}
