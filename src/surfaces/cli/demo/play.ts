import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { resolveProject } from '../../../adapters/project/resolve.ts'
import { parseGivenSettings } from '../../../adapters/project/settings-schema.ts'
import { type Memory, openMemory } from '../../../engine/memory.ts'
import { openLifetime } from '../../../engine/open-memory.ts'
import { count } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { progressLine } from '../screen/progress.ts'
import { pageFor, setOnPage } from '../screen/style.ts'
import story from './journal.json' with { type: 'json' }

/** A question about the journal, with words that only answering entries hold and words that only replaced entries hold. */
interface Question {
  readonly question: string
  readonly kind: string
  readonly expected: readonly string[]
  readonly outdated?: readonly string[]
}

type Note = Parameters<Memory['remember']>[0] & { readonly minute: number }

/** Four invented weeks of an agent at a bakery-supply shop, oldest session first; entries count minutes from its start. */
const sessions = story.sessions as readonly { name: string; startedAt: string; entries: readonly Note[] }[]
const questions: readonly Question[] = story.questions

const MINUTE_MS = 60_000
const SESSIONS_A_WEEK = 3
/** Milliseconds to read a heading. */
const BEAT_MS = 450
const WIDTH_MAX = 100

/** Plays four weeks of an agent's journal through a memory of its own, which is gone afterwards. */
export async function playDemo(_: ParsedFlags, io: CliIo): Promise<number> {
  const { path, remove } = demoPlace()
  try {
    await play(await worldOf(path, io), screenOf(io), io)
    return EXIT_OK
  } finally {
    remove()
  }
}

/** The memory of the demo after its four weeks, open to be looked at; `remove` takes its folder away once it is closed. */
export async function openDemoMemory(io: CliIo) {
  const { path, remove } = demoPlace()
  try {
    const world = await worldOf(path, io)
    await play(world, screenOf(io, true), io)
    const settings = parseGivenSettings({ ...world.config })
    const project = { settings, database: { path, rule: '--db' }, env: {}, surface: 'dashboard' } as const
    // The clock stands still, so that nothing grows older while somebody looks.
    const now = world.clock.now()
    const how = { clock: { now: () => now }, sessionMode: 'resume', as: 'reader' } as const
    return { memory: await openLifetime(project, how), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function demoPlace() {
  const directory = mkdtempSync(join(tmpdir(), 'elfmem-demo-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  return { path: join(directory, 'memory.db'), remove }
}

/** Makes a clock that moves by a second each time it is read, and a memory with the local model or hashed texts. */
async function worldOf(path: string, io: CliIo) {
  const { settings } = await resolveProject({ cwd: io.cwd, env: io.env, home: io.home })
  const provider = settings.embeddings.provider === 'hashing' ? ('hashing' as const) : ('local' as const)
  const config = { embeddings: { provider } }
  const clock = { ms: 0, now: () => (clock.ms += 1000) }
  const open = () => openMemory(path, { clock, actor: 'demo', as: 'owner', config })
  return { clock, config, open }
}

/** Prints lines, and waits after each heading where somebody watches. */
function screenOf(io: CliIo, isSilent = false) {
  const { stdout, signal } = io
  const page = pageFor(stdout, io)
  const { style } = page
  const width = Math.min(stdout.columns ?? WIDTH_MAX, WIDTH_MAX)
  const isWatched = stdout.isTTY === true && !isSilent
  const line = (text = '') => void (isSilent || stdout.write(`${setOnPage(text, page)}\n`))
  let acts = 0
  return {
    ...{ style, line },
    progress: progressLine(stdout, io, { isSilent: !isWatched }),
    /** Cuts a text so that it fits on a line beside so many columns. */
    cut: (text: string, taken: number) =>
      text.length > width - taken ? `${text.slice(0, Math.max(1, width - taken - 1))}…` : text,
    act: async (title: string, what: string) => {
      acts += 1
      line(`\n${style.bold(`${acts}  ${title}`)}  ${style.dim(what)}\n`)
      if (isWatched) await pause(BEAT_MS, undefined, signal ? { signal } : {})
    },
  }
}

type World = Awaited<ReturnType<typeof worldOf>>
type Screen = ReturnType<typeof screenOf>

async function play({ clock, open }: World, screen: Screen, io: CliIo): Promise<void> {
  const { line, style } = screen
  line(`${style.bold('elfmem')}  ${style.dim('four weeks in the life of an agent, in a memory of its own')}`)
  await using lived = await open()
  await lived.setup({ seed: true })
  await live(lived, clock, screen, io)
  await screen.act('Ask', 'exact, in other words, out of date, across topics, and one thing nobody ever said')
  for (const each of questions) await ask(lived, screen, each)
  await learn(lived, screen)
  await connect(lived, screen)
  line(`\n${style.dim('No key and no network was used. Now yours:')}`)
  line(`  ${style.name('elfmem init')}                       a memory for this project`)
  line(`  ${style.name("elfmem remember 'Tea is at four'")}  one thing worth keeping`)
  line(`  ${style.name("elfmem recall 'when is tea'")}       ask for it in other words`)
}

/** Remembers each session at its time, and dreams at the end of each week. */
async function live(memory: Memory, clock: World['clock'], screen: Screen, { signal }: CliIo): Promise<void> {
  const { act, cut, line, style, progress } = screen
  await act('Remember, then dream', 'a note is on disk at once; a dream at the end of each week connects it')
  for (const [at, { name, startedAt, entries }] of sessions.entries()) {
    clock.ms = Date.parse(startedAt)
    await memory.beginSession({ taskType: name })
    for (const { minute, ...note } of entries) {
      clock.ms = Math.max(clock.ms, Date.parse(startedAt) + minute * MINUTE_MS)
      await memory.remember(note)
    }
    await memory.endSession()
    line(`  ${startedAt.slice(0, 10)}  ${cut(name, 30)}: ${count(entries.length, 'note')}`)
    if ((at + 1) % SESSIONS_A_WEEK !== 0 && at + 1 < sessions.length) continue
    const dreamt = await memory.dream({}, { progress: progress.report, ...(signal && { signal }) })
    progress.clear()
    const { promoted, deduplicated, edgesCreated } = dreamt
    const found = `${count(promoted, 'note')} taken in, ${deduplicated} known already, ${count(edgesCreated, 'link')}`
    line(`  ${style.good('dream')}       ${found}`)
  }
}

/** Asks a question, and shows the first block that answers it, else the first block found. */
async function ask(memory: Memory, { line, style, cut }: Screen, { question, kind, expected }: Question) {
  const { blocks, match } = await memory.recall({ query: question, reinforce: false })
  const answer = blocks.find(({ content }) => holdsAny(content, expected))
  const isRight = expected.length === 0 ? match === 'nothing' || match === 'perhaps' : answer !== undefined
  const mark = isRight ? style.good('✓') : style.bad('✗')
  line(`  ${mark} ${style.bold(question)}  ${style.dim(kind)}`)
  const found = (answer ?? blocks[0])?.content ?? ''
  line(`    ${match === 'nothing' ? 'nothing bears on this, and it says so' : cut(`${match}: ${found}`, 6)}`)
}

/** Reports twice which answers helped and which misled, asks again, and shows what moved. */
async function learn(memory: Memory, { act, line, style, cut }: Screen): Promise<void> {
  await act('Learn', 'tell it twice which answer helped and which misled; the next recall is another')
  const { question, expected, outdated = [] } = questions.find((each) => each.outdated) as Question
  const before = await memory.recall({ query: question, reinforce: false })
  const told = before.blocks.flatMap(({ id, content }) => {
    const [helped, misled] = [holdsAny(content, expected), holdsAny(content, outdated)]
    return helped || misled ? [{ id, content, helped }] : []
  })
  const idsOf = (wanted: boolean) => told.filter(({ helped }) => helped === wanted).map(({ id }) => id)
  for (const _ of [1, 2])
    await memory.outcome({ helped: idsOf(true), misled: idsOf(false), source: 'the demo checked' })
  const after = await memory.recall({ query: question, reinforce: false })
  line(`  ${style.bold(question)}`)
  for (const { id, content, helped } of told) {
    line(`  ${helped ? style.good('helped') : style.bad('misled')}  ${cut(content, 12)}`)
    line(`          ${placeIn(before.blockIds, id)} → ${placeIn(after.blockIds, id)}`)
  }
}

/** Joins a cause to its effect, which no similarity shows, and asks again. */
async function connect(memory: Memory, { act, line, style, cut }: Screen): Promise<void> {
  await act('Connect', 'say what no similarity shows: why it happened; the answer brings the cause along')
  const idOf = async (query: string) => {
    const { blocks } = await memory.recall({ query, reinforce: false })
    return blocks.find(({ content }) => content.includes(query))
  }
  const cause = await idOf('article weights in grams')
  const symptom = await idOf('absurd freight for a single sack')
  if (cause === undefined || symptom === undefined) return
  const query = 'Why were three bakers quoted absurd freight?'
  const before = await memory.recall({ query, reinforce: false })
  await memory.connect({ source: cause.id, target: symptom.id, relation: 'elaborates' })
  const after = await memory.recall({ query, reinforce: false })
  line(`  ${style.bold(query)}`)
  line(`  ${style.good('brought')}  ${cut(cause.content, 12)}`)
  line(`           ${placeIn(before.blockIds, cause.id)} → ${placeIn(after.blockIds, cause.id)}`)
}

function placeIn(ids: readonly string[], id: string): string {
  const at = ids.indexOf(id)
  return at < 0 ? 'not in the answer' : `place ${at + 1}`
}

const holdsAny = (content: string, words: readonly string[]) => words.some((each) => content.includes(each))
