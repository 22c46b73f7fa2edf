import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveProject } from '../../../adapters/project/resolve.ts'
import type { SettingsInput } from '../../../config/settings.ts'
import { type Memory, openMemory } from '../../../memory.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import {
  type Asked,
  askAll,
  connectCause,
  DemoClock,
  dreamAll,
  explain,
  fade,
  learn,
  type Moved,
  rememberSession,
  type Stage,
} from './acts.ts'
import { journal } from './journal.ts'
import { openScreen, type Screen } from './screen.ts'

const RESTED_HOURS = 120

/** Plays four weeks of an agent's journal through a memory of its own, which is gone afterwards. */
export async function playDemo({ global: { json } }: ParsedFlags, io: CliIo): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'elfmem-demo-'))
  const screen = openScreen(io, json)
  try {
    const facts = await playAll(await worldOf(join(directory, 'memory.db'), io), screen, io)
    if (json) io.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`)
    return EXIT_OK
  } finally {
    screen.progress.clear()
    rmSync(directory, { recursive: true, force: true })
  }
}

interface World {
  readonly clock: DemoClock
  readonly open: (settings?: SettingsInput) => Promise<Memory>
}

/** The local model, unless texts are hashed; somebody's endpoint is never asked for a demo. */
async function worldOf(path: string, io: CliIo): Promise<World> {
  const { settings } = await resolveProject({ cwd: io.cwd, env: io.env, home: io.home })
  const provider = settings.embeddings.provider === 'hashing' ? ('hashing' as const) : ('local' as const)
  const clock = new DemoClock()
  const open = (more: SettingsInput = {}) =>
    openMemory(path, { clock, actor: 'demo', as: 'owner', config: { embeddings: { provider }, ...more } })
  return { clock, open }
}

async function playAll({ clock, open }: World, screen: Screen, io: CliIo) {
  const begun = performance.now()
  const { line, style } = screen
  line(`${style.bold('elfmem')}  ${style.dim('four weeks in the life of an agent, in a memory of its own')}`)
  const lived = await (async () => {
    await using memory = await open()
    const stage = { memory, clock }
    const weeks = await playWeeks(stage, screen, io)
    const setup = await playSetup(stage, screen, io)
    return { weeks, setup, ...(await playUse(stage, screen)) }
  })()
  // Working hours without any use count only as far as the cap on a pause lets them.
  await using rested = await open({ session: { gapCapMinutes: RESTED_HOURS * 60 } })
  const faded = await playFade({ memory: rested, clock }, screen)
  const seconds = (performance.now() - begun) / 1000
  playEnd(screen, seconds)
  return { ...lived, faded, seconds }
}

async function playWeeks(stage: Stage, screen: Screen, io: CliIo) {
  const { act, line, style, progress, shorten } = screen
  await act(
    'Remember, then dream',
    'a note is on disk in a millisecond; a dream at the end of each week makes it recallable',
  )
  const weeks = []
  for (let first = 0; first < journal.length; first += 3) {
    const sessions = journal.slice(first, first + 3)
    let [notes, repeated] = [0, 0]
    const times: number[] = []
    for (const session of sessions) {
      const kept = await rememberSession(stage, session)
      notes += kept.notes
      repeated += kept.repeated
      times.push(kept.milliseconds)
      line(
        `  ${style.dim(session.startedAt.slice(0, 10))}  ${shorten(session.name, 30).padEnd(50)} ${String(kept.notes).padStart(3)} notes`,
      )
    }
    const dreamt = await dreamAll(stage, {
      progress: progress.report,
      ...(io.signal && { signal: io.signal }),
    })
    progress.clear()
    const { promoted, deduplicated, nearDuplicatesFlagged, edgesCreated, seconds } = dreamt
    line(
      `  ${style.good('dream')}       ${promoted} recallable, ${edgesCreated} edges, ${repeated + deduplicated} known already, ${nearDuplicatesFlagged} near-duplicates  ${style.dim(`${seconds.toFixed(1)} s`)}`,
    )
    weeks.push({
      sessions: sessions.length,
      notes,
      repeated,
      millisecondsPerNote: Math.max(...times),
      ...dreamt,
    })
  }
  return weeks
}

async function playSetup(stage: Stage, screen: Screen, io: CliIo) {
  const { act, line, style, quote } = screen
  await act(
    'Who am I',
    'ten principles to begin with, seeded once; the self frame shows them with what was learned',
  )
  const { summary } = await stage.memory.setup({ seed: true })
  await dreamAll(stage, io.signal ? { signal: io.signal } : {})
  line(`  ${summary}`)
  const { text, blocks } = await stage.memory.recall({ frame: 'self', reinforce: false })
  const more = quote(text, 9)
  if (more > 0) line(`  ${style.dim(`│ … ${more} more lines`)}`)
  return { summary, selfBlocks: blocks.length }
}

async function playUse(stage: Stage, screen: Screen) {
  const { act } = screen
  await act('Ask', 'exact, in other words, out of date, across topics, and one thing nobody ever said')
  const asked = await askAll(stage)
  showAsked(screen, asked)
  const frames = await playFrames(stage, screen)
  const question = (asked.findLast(({ rank }) => rank === 1) ?? asked[0])?.question ?? ''
  await act('Why that answer', `${question} Every score says what it is made of`)
  const explained = await explain(stage, question)
  showExplained(screen, explained)
  await act('Learn', 'tell it twice which answer helped and which misled; the next recall is another')
  const learned = await learn(stage)
  if (learned) showMoved(screen, learned.question, learned.moved)
  const connected = await playConnect(stage, screen)
  return { asked, frames, explained, learned, connected }
}

async function playConnect(stage: Stage, { act, line, style, shorten }: Screen) {
  await act('Connect', 'say what no similarity shows: why it happened; the answer brings the cause along')
  const connected = await connectCause(stage)
  if (connected === undefined) return undefined
  const { question, cause, before, after, tree } = connected
  line(`  ${style.bold(question)}`)
  const places = [before, after].map((place) => (place === 0 ? 'not in the answer' : `place ${place}`))
  line(`  ${style.good('brought')}  ${shorten(cause, 12)}`)
  line(`           ${places.join(' → ')}`)
  for (const each of tree) line(`  ${style.dim('│')} ${style.dim(shorten(each, 4))}`)
  return connected
}

const FRAMES = [
  ['task', 'prepare the cutover to Larder', 'my goals, and what bears on the work'],
  ['simulate', 'announce an evening release to the team', 'who I am, and who would care'],
] as const

async function playFrames({ memory }: Stage, { act, line, style, quote }: Screen) {
  await act(
    'Frames',
    'the same memory seen for a purpose: self and attention were above, here are the other two',
  )
  const frames = []
  for (const [frame, query, purpose] of FRAMES) {
    const { text, blocks, budgetUsed, budgetTotal } = await memory.recall({ frame, query, reinforce: false })
    line(
      `  ${style.name(frame)}  ${style.bold(query)}  ${style.dim(`${purpose}; ${budgetUsed} of ${budgetTotal} tokens`)}`,
    )
    quote(text, 6)
    frames.push({ frame, query, blocks: blocks.length, budgetUsed, budgetTotal })
  }
  return frames
}

async function playFade(stage: Stage, screen: Screen) {
  const { act, line, style, shorten } = screen
  await act(
    'Fade',
    `${RESTED_HOURS} working hours later, unused: observations go, knowledge stays, nothing is lost`,
  )
  const faded = await fade(stage, RESTED_HOURS)
  line(`  ${faded.archived} faded into the archive, ${faded.active} are active`)
  for (const content of faded.faded) line(`  ${style.dim('·')} ${style.dim(shorten(content, 6))}`)
  if (faded.restored) line(`  ${style.good('restored')}  ${shorten(faded.restored, 14)}`)
  return faded
}

function playEnd({ line, style }: Screen, seconds: number): void {
  line()
  line(style.dim(`That took ${seconds.toFixed(1)} s, no key and no network. Now yours:`))
  line(`  ${style.name('elfmem init')}                      a memory for this project`)
  line(`  ${style.name('elfmem setup --seed')}              who the agent is`)
  line(
    `  ${style.name("elfmem remember '…'")}              and ${style.name('dream')}, ${style.name('recall')}, ${style.name('outcome')}`,
  )
  line(`  ${style.name('elfmem serve')}                     for an MCP client`)
}

const KINDS: Readonly<Record<Asked['kind'], string>> = {
  direct: 'in its words',
  paraphrase: 'in other words',
  superseded: 'where an older answer lies, too',
  'cross-topic': 'across topics',
  unanswerable: 'without an answer',
}

/** Questions with what was found, and where it stood. */
function showAsked({ line, style, shorten }: Screen, asked: readonly Asked[]): void {
  for (const { question, kind, rank, first, match, right, milliseconds } of asked) {
    const mark = right ? style.good('✓') : style.bad('✗')
    line(`  ${mark} ${style.bold(question)}  ${style.dim(`${KINDS[kind]}, ${milliseconds.toFixed(0)} ms`)}`)
    if (rank !== undefined) line(`    ${style.dim(`${rank}.`)} ${shorten(first ?? '', 8)}`)
    else
      line(
        `    ${style.dim(match === 'nothing' ? 'nothing bears on this, and it says so' : shorten(`a ${match === 'weak' ? 'weak match, and it says so' : 'wrong answer'}: ${first ?? ''}`, 6))}`,
      )
  }
}

interface Explained {
  readonly content: string
  readonly score: number
  readonly terms: readonly { readonly name: string; readonly value: number; readonly amount: number }[]
  readonly match?: Readonly<Record<string, number>>
}

/** Every block of an answer with the parts of its score as bars. */
function showExplained({ line, style, shorten, gauge }: Screen, blocks: readonly Explained[]): void {
  for (const [at, { content, score, terms, match = {} }] of blocks.entries()) {
    line(`  ${style.dim(`${at + 1}.`)} ${shorten(content, 18)}  ${style.bold(score.toFixed(3))}`)
    for (const name of ['cosine', 'lexical']) {
      const value = match[name]
      if (value !== undefined) line(`     ${gauge(name, value)}`)
    }
    for (const { name, amount } of terms.filter((term) => Math.abs(term.amount) >= 0.005))
      line(`     ${gauge(name, Math.abs(amount))}${amount < 0 ? style.bad(' −') : ''}`)
  }
}

/** Where blocks stood before and after their outcomes. */
function showMoved({ line, style, shorten, gauge }: Screen, question: string, moved: readonly Moved[]): void {
  line(`  ${style.bold(question)}`)
  for (const { content, verdict, before, after, confidence } of moved) {
    const mark = verdict === 'helped' ? style.good('helped') : style.bad('misled')
    const place = after === 0 ? 'gone' : `place ${after}`
    line(`  ${mark}  ${shorten(content, 12)}`)
    line(`          place ${before} → ${style.bold(place)}   ${gauge('confidence', confidence, 12)}`)
  }
}
